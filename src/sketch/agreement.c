#include "sketch/agreement.h"

#include <math.h>

static const double by_chance = 1. / (1 << KEY_BITS);

/* All rows of a band, and its check where it has one: this tells rows that are the same from those that only
 * look so. */
static double whole_band(double resemblance, double p, size_t rows) {
    double same = pow(resemblance, (double)rows), alike = pow(p, (double)rows);
    return band_checks(rows) ? same + (alike - same) * by_chance : alike;
}

void agreement_init(struct agreement *a, size_t rows, double resemblance) {
    const double p = resemblance + (1 - resemblance) * by_chance;
    *a = (struct agreement){.rows = rows, .band = {1}, .all = {1}, .apart = {1}};
    for (size_t row = 1; row <= rows; row++)
        for (size_t n = row + 1; n-- > 0;)
            a->band[n] = a->band[n] * (1 - p) + (n > 0 ? a->band[n - 1] * p : 0);
    for (size_t n = 0; n <= rows; n++) a->band_apart[n] = a->band[n];
    a->band_apart[rows] -= whole_band(resemblance, p, rows);
}

void polynomial_multiply(double *a, size_t degree, const double *factor, size_t factor_degree) {
    for (size_t n = degree + factor_degree + 1; n-- > 0;) {
        double sum = 0;
        for (size_t k = 0; k <= factor_degree && k <= n; k++)
            if (n - k <= degree) sum += a[n - k] * factor[k];
        a[n] = sum;
    }
}

static void add(struct agreement *a, const double *band_apart) {
    polynomial_multiply(a->all, a->minima, a->band, a->rows);
    polynomial_multiply(a->apart, a->minima, band_apart, a->rows);
    a->minima += a->rows;
}

void agreement_add_band(struct agreement *a) {
    add(a, a->band_apart);
}

void agreement_add_rows(struct agreement *a) {
    add(a, a->band);
}

double agreement_chance(const struct agreement *a, size_t least) {
    double sum = 0;
    for (size_t n = a->minima + 1; n-- > least;) sum += a->all[n] - a->apart[n];
    return sum;
}

/* The largest `least` with which so many are found; 0 when there is none. */
static size_t agreement_least(const struct agreement *a, double share) {
    double sum = 0;
    for (size_t n = a->minima + 1; n-- > 0;) {
        sum += a->all[n] - a->apart[n];
        if (sum >= share) return n;
    }
    return 0;
}

size_t agreement_reaching(const struct agreement floors[AGREEMENT_FLOORS]) {
    size_t least = KEY_MINIMA;
    for (int i = 0; i < AGREEMENT_FLOORS; i++) {
        size_t most = agreement_least(&floors[i], agreement_floors[i].share);
        if (most < least) least = most;
    }
    return least;
}
