/*
 * Symbols that correspond are found (symbol_chain.h), the gaps between them told apart (edit_gaps.h), and
 * what may have happened is listed as readings with weights (edit_readings.h), with and without blocks. The
 * estimate is the reading in the middle; the interval covers 95 % of all of them, their sampling noise
 * included.
 */
#include "align/signature/estimated.h"

#include "align/signature/edit_readings.h"
#include "align/signature/meet.h"
#include "align/signature/unrelated.h"
#include "estimate/estimate.h"

#include <math.h>

/* Texts are taken for unrelated when chance explains the chain this well; up to DOUBTFUL the interval reaches
 * there. */
#define BY_CHANCE         .5 /* the bound is a loose one: of unrelated pairs nearly all are at 1 */
#define UNRELATED_MATCHED 10 /* and no more than this part of the symbols is matched */
#define DOUBTFUL          .001

#define LEAST_LOG_WEIGHT -12. /* readings that matter */

/* Probability that a gamma variable is at most x (Wilson and Hilferty). */
static double gamma_below(double x, double mean, double deviation) {
    if (deviation <= 0) return x >= mean;
    if (x <= 0) return 0;
    double ratio = deviation * deviation / (9 * mean * mean);
    double z = (cbrt(x / mean) - (1 - ratio)) / sqrt(ratio);
    return erfc(-z / sqrt(2)) / 2;
}

/* Makes the weights sum up to 1. */
static void normalise(struct reading *readings, size_t count) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, readings[i].log_weight);
    for (size_t i = 0; i < count; i++) sum += exp(readings[i].log_weight - most);
    for (size_t i = 0; i < count; i++) readings[i].log_weight -= most + log(sum);
}

/* Probability, under all readings, that there are at most `least` + x edits. */
static double edits_below(double x, const struct reading *readings, size_t count, double least) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (readings[i].log_weight < LEAST_LOG_WEIGHT) continue;
        double excess = fmax(readings[i].edits - least, readings[i].deviation);
        sum += exp(readings[i].log_weight) * gamma_below(x, excess, readings[i].deviation);
    }
    return sum;
}

static double edits_quantile(double share, const struct reading *readings, size_t count, double least,
                             double most) {
    double low = 0, high = most - least;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        if (edits_below(middle, readings, count, least) < share)
            low = middle;
        else
            high = middle;
    }
    return least + high;
}

/* The reading in the middle, by weight. Not the mean: one improbable reading of long edits would spoil it. */
static double middle_reading(const struct reading *readings, size_t count) {
    double middle = 0, below = -1;
    for (double sum = 0; sum < .5;) { /* next larger one, until half of the weight is passed */
        double next = INFINITY;
        for (size_t i = 0; i < count; i++)
            if (readings[i].edits > below) next = fmin(next, readings[i].edits);
        if (isinf(next)) break;
        for (size_t i = 0; i < count; i++)
            if (readings[i].edits == next) sum += exp(readings[i].log_weight);
        middle = below = next;
    }
    return middle;
}

/* A reading by which no more edits than the lengths differ by are nothing unusual. */
static bool allows_least(const struct reading *readings, size_t count, double least) {
    for (size_t i = 0; i < count; i++)
        if (readings[i].log_weight > log(.025) && readings[i].edits - least <= readings[i].deviation)
            return true;
    return false;
}

/* Never fewer edits than the lengths differ by. Distances are whole numbers. */
static stemma_quantity combine(const struct reading *readings, size_t count, double least, double most) {
    double value = fmin(most, fmax(least, middle_reading(readings, count)));
    double low = least, high = ceil(edits_quantile(.975, readings, count, least, most));
    if (!allows_least(readings, count, least))
        low = floor(edits_quantile(.025, readings, count, least, most));
    return (stemma_quantity){
        .value = value, .low = fmin(low, value), .high = fmax(high, value), .known = true};
}

static stemma_edit_kind kind_of(const struct edit_gaps *gaps, double difference) {
    bool scattered = gaps->scattered_a + gaps->scattered_b > 0;
    if (gaps->block_count) return scattered ? STEMMA_EDITS_MIXED : STEMMA_EDITS_BLOCKS;
    return scattered || difference != 0 ? STEMMA_EDITS_SCATTERED : STEMMA_EDITS_UNKNOWN;
}

/* What the signatures say, with and without blocks. */
static void conclude(const struct edit_gaps *gaps, const struct edit_gaps *plain, struct reading *readings,
                     double difference, struct edit_estimate *out) {
    size_t count = gaps->block_count ? 2 * READINGS : READINGS;
    normalise(readings, count);
    double block_edits = 0, blocks_weight = 0;
    for (size_t i = READINGS; i < count; i++) {
        block_edits += exp(readings[i].log_weight) * readings[i].block_edits;
        blocks_weight += exp(readings[i].log_weight);
    }
    const struct edit_gaps *likely = blocks_weight > .5 ? gaps : plain;
    /* However it came about, it takes no more edits than unrelated text. */
    for (size_t i = 0; i < count; i++) {
        readings[i].edits = fmin(readings[i].edits, out->unrelated.value);
        double share = readings[i].edits / fmax(out->unrelated.value, 1);
        readings[i].deviation =
            hypot(readings[i].deviation, share * share * UNRELATED_ERROR * readings[i].edits);
    }
    out->distance = combine(readings, count, difference, out->unrelated.high);
    out->kind = kind_of(likely, difference);
    out->blocks = likely->block_count;
    out->block_edits = fmin(block_edits, out->distance.value);
    out->scattered_edits = out->distance.value - out->block_edits;
}

static stemma_status estimate_related(const struct matching *matching, const struct edit_frame *frame,
                                      struct edit_estimate *out, stemma_error *err) {
    struct edit_gaps gaps;
    TRY(find_gaps(matching, &gaps, err));
    struct edit_gaps plain = gaps_without_blocks(&gaps);
    struct reading readings[2 * READINGS];
    stemma_status status = read_edits(&plain, frame, readings, err);
    if (status == STEMMA_OK && gaps.block_count) status = read_edits(&gaps, frame, readings + READINGS, err);
    if (status == STEMMA_OK) conclude(&gaps, &plain, readings, fabs(frame->length_a - frame->length_b), out);
    gaps_release(&gaps);
    return status;
}

/* No sign of a relation: as far apart as unrelated texts, or as much nearer as
 * the signatures would not show. */
static void estimate_unrelated(const struct edit_frame *frame, double symbols, double matched,
                               struct edit_estimate *out) {
    double longer = fmax(frame->length_a, frame->length_b),
           difference = fabs(frame->length_a - frame->length_b);
    double survived = fmin(1, (matched + 3) / symbols); /* at most: what is matched, and what may be unseen */
    out->kind = STEMMA_EDITS_UNRELATED;
    out->distance = out->unrelated;
    out->scattered_edits = out->distance.value;
    out->distance.low =
        fmax(difference, fmin(out->unrelated.low, longer * (1 - pow(survived, 1 / frame->n))));
}

static stemma_status estimate_alike(const struct signature *a, const struct signature *b,
                                    struct edit_estimate *out, stemma_error *err) {
    struct edit_frame frame = {.n = a->n,
                               .c = a->c,
                               .length_a = (double)a->length,
                               .length_b = (double)b->length,
                               .agree = sqrt(a->agree * b->agree)};
    struct edit_estimate result = {
        .unrelated = unrelated_quantity(frame.length_a, frame.length_b, frame.agree), .p_unrelated = 1};
    if (a->count == 0 || b->count == 0) {
        result.kind = STEMMA_EDITS_UNKNOWN;
        result.distance = quantity_unknown("too short, or too repetitive, for its signature to have symbols");
        *out = result;
        return STEMMA_OK;
    }
    struct matching matching;
    TRY(match_symbols(a, b, &matching, err));
    result.p_unrelated = matching.p_chance;
    stemma_status status = STEMMA_OK;
    size_t fewer = a->count < b->count ? a->count : b->count, matched = matching.count - 2;
    bool by_chance = matching.p_chance >= BY_CHANCE && UNRELATED_MATCHED * matched < fewer;
    if (matched == 0 || by_chance)
        estimate_unrelated(&frame, (double)fewer, (double)matched, &result);
    else
        status = estimate_related(&matching, &frame, &result, err);
    if (status == STEMMA_OK && 2 * matched < fewer && matching.p_chance > DOUBTFUL)
        result.distance.high = fmax(result.distance.high, result.unrelated.high);
    if (status == STEMMA_OK && matching.partial) result.distance.low = fabs(frame.length_a - frame.length_b);
    matching_release(&matching);
    if (status == STEMMA_OK) *out = result;
    return status;
}

stemma_status estimate_edit(const struct signature *a, const struct signature *b, struct edit_estimate *out,
                            stemma_error *err) {
    struct met_signatures met;
    TRY(meet_signatures(a, b, &met, err));
    stemma_status status = estimate_alike(&met.a, &met.b, out, err);
    met_signatures_release(&met);
    return status;
}
