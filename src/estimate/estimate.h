/* From two sketches, or two full sets, to numbers with intervals. */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include "sketch/sketch.h"

/* What one pair of parts says. A quantity that the scheme cannot give is not known and says why. */
struct estimates {
    stemma_quantity resemblance, a_in_b, b_in_a, cosine;
};

/* Resemblance, containment and cosine from part `a` of spec `sa` and part `b` of spec `sb` (comparable). */
stemma_status estimate_parts(const struct spec *sa, const struct part *a, const struct spec *sb,
                             const struct part *b, struct estimates *out, stemma_error *err);

/* The best of all parts of two comparable sketches, for each quantity. */
stemma_status estimate_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b,
                                struct estimates *out, stemma_error *err);

/* 95 % interval of a proportion: `hits` of `trials`, variance scaled by `shrink` (finite population). */
void proportion_interval(double hits, double trials, double shrink, double *low, double *high);

/* The relation that the numbers say, and whether every value in the intervals says the same. */
stemma_relation judge(const struct estimates *estimates, const stemma_thresholds *thresholds, bool *certain);

#endif
