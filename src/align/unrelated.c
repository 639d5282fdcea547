#include "align/unrelated.h"

#include <math.h>

/*
 * Share of the shorter text's characters that find a partner, so that the distance is longer - share * shorter. It grows
 * from about 3.5 agree at equal lengths to 1 where the longer text is long enough to contain the shorter one as a
 * subsequence. Coefficients: least squares over stretches of real text (docs/design/edit-estimate.md).
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
 * A chain of m points is m partners in the same order in both. Of symbols in random order, expect (sets of m partners)
 * / m! such chains; their number bounds the probability of one. With every symbol unique the sets are C(X, m). In
 * general a symbol that occurs x <= y times adds a factor (1 + y z)^x to a generating function G that is at least that
 * of the sets, so there are at most G(z) / z^m of them, for every z: take the z where that is least.
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
static void classify(const struct common *common, struct repeat_table *out) {
    double symbols[CLASSES][CLASSES] = {{0}};
    for (size_t i = 0; i <= common->mask; i++) {
        const struct token_entry *entry = &common->entries[i];
        if (entry->last == NOWHERE || !entry->in_a) continue;
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

double chance_of_chain(const struct common *common, double length, double run) {
    double m = length / run, low = -30, high = 30, slope;
    if (m < 1) return 1;
    struct repeat_table table;
    classify(common, &table);
    for (int i = 0; i < 30; i++) { /* the slope ascends with t */
        double t = (low + high) / 2;
        log_sets(&table, m, t, &slope);
        if (slope < 0) low = t;
        else high = t;
    }
    return fmin(1, exp(log_sets(&table, m, (low + high) / 2, &slope) - lgamma(m + 1)));
}
