/*
 * The estimates that the papers on signatures give themselves, for comparison with ours.
 *
 * c times the edit distance of the signatures: right for blocks of text, but one changed character touches up
 * to 2n windows, so scattered edits are overestimated many times (7 to 16 fold at 1 %).
 */
#ifndef ALIGN_PARITY_H
#define ALIGN_PARITY_H

#include "base/error.h"
#include "sketch/signature.h"

/* Coates 2011 and 2015: c · LD(symbols). The two have one n, c and alphabet. Quadratic in their lengths. */
stemma_status parity_estimate(const struct signature *a, const struct signature *b, uint64_t *out,
                              stemma_error *err);

/* Coates 2015, step 5(a): what unrelated texts of these sizes would have, (shorter + difference) · c · fudge,
 * fudge being LD ÷ length of random strings of the same length. No distance comes into it. */
double parity_unrelated(const struct signature *a, const struct signature *b, double fudge);

#endif
