#include "align/signature/unrelated.h"

#include "align/distance/distance.h"
#include "base/alloc.h"
#include "base/log_factorial.h"
#include "base/rng.h"
#include "base/sort.h"

#include <math.h>

/*
 * Share of the shorter text's characters that find a partner, so that the distance is longer - share *
 * shorter. It grows from about 3.5 agree at equal lengths to 1 where the longer text is long enough to
 * contain the shorter one as a subsequence. Coefficients: least squares over stretches of real text
 * (docs/design/edit-estimate.md).
 */
static double share_saved(double ratio, double agree) {
    double q = fmin(agree, .085); /* above, it is runs of spaces that agree, which do not help */
    double l = log(1 / ratio);
    double x = 3.53 * q + 6.84 * q * l + .593 * sqrt(q) * l + 2.24 * q * q * (1 / ratio - 1) +
               .62 * q * sqrt(1 - ratio);
    return 1 - exp(-x);
}

double unrelated_distance(double length_a, double length_b, double agree) {
    double longer = fmax(length_a, length_b), shorter = fmin(length_a, length_b);
    if (shorter <= 0) return longer;
    return longer - shorter * share_saved(shorter / longer, agree);
}

stemma_quantity unrelated_quantity(double length_a, double length_b, double agree) {
    double value = unrelated_distance(length_a, length_b, agree);
    double longer = fmax(length_a, length_b), shorter = fmin(length_a, length_b);
    double error = 2 * UNRELATED_ERROR * value + 2 * sqrt(shorter);
    return (stemma_quantity){.value = value,
                             .low = fmax(longer - shorter, value - error),
                             .high = fmin(longer, value + error),
                             .known = true};
}

/*
 * A chain of m points is m partners in the same order in both. Of symbols in random order, expect (sets of m
 * partners) / m! such chains; their number bounds the probability of one. With every symbol unique the sets
 * are C(X, m). In general a symbol that occurs x <= y times adds a factor (1 + y z)^x to a generating
 * function G that is at least that of the sets, so there are at most G(z) / z^m of them, for every z: take
 * the z where that is least.
 */
struct repeats {
    double x, y, symbols; /* so many symbols occur x times in one and y >= x times in the other */
};
#define CLASSES 37 /* of repetitions: up to 4, then powers of two */

struct repeat_table {
    struct repeats entries[CLASSES * CLASSES];
    size_t count;
};

static size_t repeat_class(uint32_t times) {
    if (times <= 4) return times;
    size_t bits = 0;
    for (uint32_t rest = times - 1; rest; rest /= 2) bits++;
    return bits + 2;
}

static double most_of_class(size_t class) {
    return class <= 4 ? (double)class : ldexp(1, (int)class - 2);
}

/* Most symbols of most signatures fall into one class; larger classes count for their largest. */
static void classify(const struct symbol_table *common, uint32_t limit, struct repeat_table *out) {
    double symbols[CLASSES][CLASSES] = {{0}};
    for (size_t i = 0; i <= common->mask; i++) {
        const struct symbol_entry *entry = &common->entries[i];
        if (entry->last == NOWHERE || !entry->in_a || entry->in_a > limit || entry->in_b > limit) continue;
        size_t x = repeat_class(entry->in_a), y = repeat_class(entry->in_b);
        symbols[x < y ? x : y][x < y ? y : x]++;
    }
    out->count = 0;
    for (size_t x = 1; x < CLASSES; x++)
        for (size_t y = x; y < CLASSES; y++)
            if (symbols[x][y] > 0)
                out->entries[out->count++] =
                    (struct repeats){most_of_class(x), most_of_class(y), symbols[x][y]};
}

/* Logarithm of the bound at z = e^t, and its slope in t. */
static double log_sets(const struct repeat_table *table, double m, double t, double *slope) {
    double sum = -m * t, z = exp(t);
    *slope = -m;
    for (size_t i = 0; i < table->count; i++) {
        const struct repeats *r = &table->entries[i];
        sum += r->symbols * r->x * log1p(r->y * z);
        *slope += r->symbols * r->x * r->y * z / (1 + r->y * z);
    }
    return sum;
}

double chance_of_chain(const struct symbol_table *common, uint32_t limit, double length, double owed) {
    double m = length - owed, low = -30, high = 30, slope;
    if (m < 1) return 1;
    struct repeat_table table;
    classify(common, limit, &table);
    if (table.count && table.entries[0].y == 1)
        table.entries[0].symbols = fmax(0, table.entries[0].symbols - owed);
    for (int i = 0; i < 30; i++) { /* the slope ascends with t */
        double t = (low + high) / 2;
        log_sets(&table, m, t, &slope);
        if (slope < 0)
            low = t;
        else
            high = t;
    }
    return fmin(1, exp(log_sets(&table, m, (low + high) / 2, &slope) - log_factorial(m)));
}

/* ---- calibration ---- */

/* Chance that two characters drawn from all texts agree. */
static stemma_status measure_agree(const struct text_span *texts, size_t count, double *out,
                                   stemma_error *err) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) total += texts[i].count;
    uint64_t *all = mem_alloc(total * sizeof *all);
    if (!all) return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < texts[i].count; k++) all[at++] = texts[i].characters[k];
    bool ok = sort_u64(all, total);
    double sum = 0;
    for (size_t begin = 0, end = 0; ok && begin < total; begin = end) {
        while (end < total && all[end] == all[begin]) end++;
        double share = (double)(end - begin) / (double)total;
        sum += share * share;
    }
    mem_free(all);
    if (!ok) return fail_memory(err);
    *out = sum;
    return STEMMA_OK;
}

/* A stretch of `size` characters somewhere in one of the texts; false when this text is too short. */
static bool draw_stretch(const struct text_span *texts, size_t text, size_t size, uint64_t *rng,
                         size_t *begin) {
    if (texts[text].count < size) return false;
    *begin = rng_below(rng, texts[text].count - size + 1);
    return true;
}

/* Two stretches that cannot correspond: of different texts, or of one without overlap. */
static bool draw_pair(const struct text_span *texts, size_t count, size_t size, uint64_t *rng,
                      const uint32_t **a, const uint32_t **b) {
    size_t first = rng_below(rng, count), second = rng_below(rng, count), i, j;
    if (count > 1 && first == second) second = (second + 1) % count;
    if (!draw_stretch(texts, first, size, rng, &i) || !draw_stretch(texts, second, size, rng, &j))
        return false;
    if (first == second && (i < j ? j - i : i - j) < size) return false;
    *a = texts[first].characters + i;
    *b = texts[second].characters + j;
    return true;
}

#define DRAWS 20 /* tries per pair that is asked for: short texts and overlaps are passed over */

stemma_status calibrate_unrelated(const struct text_span *texts, size_t count, size_t stretch, size_t pairs,
                                  struct unrelated_sample *out, stemma_error *err) {
    const struct distance_limits limits = {.at_most = UINT64_MAX, .work = UINT64_MAX, .memory = SIZE_MAX};
    struct unrelated_sample sample = {0};
    uint64_t rng = 1;
    double sum = 0;
    for (size_t draw = 0; count && stretch && draw < DRAWS * pairs && sample.pairs < pairs; draw++) {
        const uint32_t *a, *b;
        struct distance_result result;
        if (!draw_pair(texts, count, stretch, &rng, &a, &b)) continue;
        TRY(distance_chars(a, stretch, b, stretch, &limits, &result, err));
        sum += (double)result.distance;
        sample.pairs++;
    }
    if (!sample.pairs)
        return fail(err, STEMMA_NOT_FOUND, "no text has two stretches of %zu characters", stretch);
    TRY(measure_agree(texts, count, &sample.agree, err));
    sample.measured = sum / ((double)sample.pairs * (double)stretch);
    sample.expected = unrelated_distance((double)stretch, (double)stretch, sample.agree) / (double)stretch;
    *out = sample;
    return STEMMA_OK;
}
