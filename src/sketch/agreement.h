/*
 * How many minima of two documents agree, and whether whole bands of them do: exact probabilities, for
 * choosing how documents are looked up.
 *
 * A minimum of one document equals that of another with probability p, the resemblance and what the cut to a
 * few bits adds. Minima stand in bands of `rows` each; a pair is met when some band agrees entirely. The
 * number of minima that agree is a sum of independent ones, so both distributions are powers of a polynomial:
 * that of one band, with and without its last term (the whole band agrees). Their difference is the
 * probability.
 */
#ifndef SKETCH_AGREEMENT_H
#define SKETCH_AGREEMENT_H

#include "sketch/keyer.h"

#define BAND_ROWS_LEAST 2
#define BAND_ROWS_MOST  16

/* Whether a band needs a check. With less than 24 bits it would bring strangers together; with up to four rows,
 * some of which a common template has, those who share the template. */
static inline size_t band_checks(size_t rows) {
    return rows < 5;
}

/* Coefficient n: the probability that n minima agree; in those that are `apart`, and no band does. */
struct agreement {
    size_t rows, minima;
    double band[BAND_ROWS_MOST + 1], band_apart[BAND_ROWS_MOST + 1];
    double all[KEY_MINIMA + 1], apart[KEY_MINIMA + 1];
};

/* Of no minima yet. */
void agreement_init(struct agreement *a, size_t rows, double resemblance);
void agreement_add_band(struct agreement *a);
/* Minima that are counted, but are no band by which pairs meet. */
void agreement_add_rows(struct agreement *a);

/* At least `least` minima and a whole band. */
double agreement_chance(const struct agreement *a, size_t least);

/* What is promised: of the pairs with this much more than the threshold, this share is found. */
static const struct {
    double above, share;
} agreement_floors[] = {{0, .99}, {.05, .999}};
enum { AGREEMENT_FLOORS = sizeof agreement_floors / sizeof *agreement_floors };

/* The largest number of minima with which every floor is reached, each by the agreement at its resemblance;
 * 0: none. */
size_t agreement_reaching(const struct agreement floors[AGREEMENT_FLOORS]);

/* a * factor, polynomials of these degrees. */
void polynomial_multiply(double *a, size_t degree, const double *factor, size_t factor_degree);

#endif
