/*
 * A window of n characters survives when no edit touches it: at a rate p of substitutions with probability (1
 * - p)^n. An edit of m characters touches n - 1 + m windows, so the same loss of windows means m / (n - 1 +
 * m) edits per window: up to n times as many for long edits as for single characters. One window size cannot
 * tell. What can help is the difference of the lengths: substitutions leave it at 0 exactly, edits of m
 * characters at about m sqrt(places), and deletions alone at the distance itself. So each size is a reading,
 * weighed by how well it explains the difference.
 */
#include "align/signature/edit_readings.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Minus the logarithm of the chance that a window survived, with its standard deviation. */
struct loss {
    double value, deviation;
};

#define CLUSTERED 1.2 /* windows that overlap are lost together: more variance than of independent ones */

static struct loss window_loss(const struct edit_gaps *gaps) {
    double m = fmax(gaps->matched, .5), a = gaps->scattered_a, b = gaps->scattered_b;
    /* The geometric mean of both sides' shares; m is in both, what each lost is drawn independently. */
    double total = m + (a + b) / 2, survived = m / total;
    double variance = (1 - survived) * (survived * pow(1 / survived - .5, 2) + .25) / total;
    return (struct loss){(log1p(a / m) + log1p(b / m)) / 2, sqrt(CLUSTERED * variance + .25 / (m * m))};
}

/* Prior readings: deletions alone (or insertions), substitutions alone, then edits of these sizes. */
enum manner { ONE_SIDED, SUBSTITUTED, SIZED };
static const struct {
    enum manner manner;
    double size, weight;
} priors[READINGS] = {{ONE_SIDED, 0, .20}, {SUBSTITUTED, 1, .30}, {SIZED, 1, .06},  {SIZED, 2, .08},
                      {SIZED, 4, .10},     {SIZED, 8, .10},       {SIZED, 16, .06}, {SIZED, 32, .06},
                      {SIZED, 64, .05},    {SIZED, 128, .04}};

/* Places where edits of one size must have happened: one-sided ones for the difference of the lengths, then
 * others. */
struct places {
    double one_sided, others;
};

/* Windows that an edit of so many characters touches, on average of both texts: a substitution n; of longer
 * edits many have nothing, or less, on one side. */
static double windows_lost(double size, double n) {
    return n - 1 + .6 * size + .4;
}

static struct places place_edits(double loss, double size, double characters, double net, double n) {
    double one_sided = fabs(net) / size;
    double left = loss - (fabs(net) / 2 + one_sided * (n - 1)) / characters;
    double others = left > 0 ? characters * (1 - exp(-left / windows_lost(size, n))) : 0;
    return (struct places){one_sided, others};
}

static double normal_density(double x, double variance) {
    return exp(-x * x / (2 * variance)) / sqrt(2 * pi * variance);
}

#define KEEPS_LENGTH .08 /* how often longer edits leave the length as it was: moved text, numbers, dates */

/* How likely the difference of the lengths is under a reading, as the probability of a whole number. */
static double likelihood(enum manner manner, double size, struct places places,
                         const struct block_costs *blocks) {
    const double rounding = 1 / (2 * pi); /* makes the density at 0 a probability of 1 */
    double noise = blocks->missed_variance + rounding, missed = blocks->missed;
    if (manner == SUBSTITUTED) return normal_density(missed, noise);
    if (manner == ONE_SIDED) return .5 * normal_density(missed, noise) + .5 / (2 * fabs(missed) + 1);
    double count = places.one_sided + places.others + 1, spread = .6 * size * size * count;
    double kept = KEEPS_LENGTH * normal_density(missed, noise);
    return kept + .5 * normal_density(missed, spread + noise) + .5 / (2 * size * count + 2 * sqrt(noise) + 1);
}

static struct reading read_size(size_t prior, const struct loss *loss, double characters,
                                const struct edit_frame *frame, const struct block_costs *blocks) {
    double size = priors[prior].size;
    struct places places = place_edits(loss->value, size, characters, blocks->net, frame->n);
    double likely = likelihood(priors[prior].manner, size, places, blocks);
    double slope = characters * size / windows_lost(size, frame->n) * (1 - places.others / characters);
    return (struct reading){
        .log_weight = log(priors[prior].weight) + log(fmax(likely, 1e-300)),
        .edits = blocks->cost + fabs(blocks->net) + size * places.others,
        .deviation = hypot(slope * loss->deviation, sqrt(blocks->variance)),
        .block_edits = blocks->cost,
    };
}

#define ONE_SIDED_LEAST                                                                                      \
    4. /* mean size of deletions where there is nothing else; smaller ones are sized readings */

/* The difference of the lengths is the distance; it loses n - 1 windows per place and its own. */
static struct reading read_one_sided(const struct loss *loss, double characters,
                                     const struct edit_frame *frame, const struct block_costs *blocks) {
    struct places none = {0};
    double explained = fabs(blocks->net) * (.5 + (frame->n - 1) / ONE_SIDED_LEAST) / characters;
    double unexplained = fmax(0, loss->value - explained) / loss->deviation;
    bool possible = loss->value <= 0 || fabs(blocks->net) >= 1;
    double likely =
        possible ? likelihood(ONE_SIDED, 0, none, blocks) * exp(-unexplained * unexplained / 2) : 0;
    return (struct reading){
        .log_weight = log(priors[0].weight) + log(fmax(likely, 1e-300)),
        .edits = blocks->cost + fabs(blocks->net),
        .deviation = sqrt(blocks->variance),
        .block_edits = blocks->cost,
    };
}

stemma_status read_edits(const struct edit_gaps *gaps, const struct edit_frame *frame,
                         struct reading readings[READINGS], stemma_error *err) {
    struct loss loss = window_loss(gaps);
    double length = (frame->length_a + frame->length_b) / 2;
    struct block_costs blocks;
    TRY(cost_blocks(gaps, frame, length * loss.value / frame->n, &blocks, err));
    double characters = fmax(length - (blocks.size_a + blocks.size_b) / 2, frame->c);
    for (size_t i = 0; i < READINGS; i++) {
        readings[i] = priors[i].manner == ONE_SIDED ? read_one_sided(&loss, characters, frame, &blocks)
                                                    : read_size(i, &loss, characters, frame, &blocks);
        readings[i].log_weight += gaps->evidence;
    }
    return STEMMA_OK;
}
