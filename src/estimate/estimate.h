/* From two sketches, or two full sets, to numbers with intervals, and from numbers to a relation. */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include "sketch/sketch.h"

/* What is known of a pair. A quantity that the scheme cannot give is not known and says why. */
struct estimates {
    stemma_quantity resemblance, a_in_b, b_in_a, cosine;
    /* How many independent draws each of the first three is worth: what estimates are chosen by. Choosing the
     * narrowest interval would favour those that happen to say 0 or 1. */
    double resemblance_draws, a_draws, b_draws;
};

/* One part of each sketch, under the specs `sa` and `sb`, which are comparable; neither document is empty. width:
 * bits of a fingerprint. */
stemma_status estimate_parts(const struct spec *sa, const struct part *a, const struct spec *sb,
                             const struct part *b, int width, struct estimates *out, stemma_error *err);

/* All comparable parts of two sketches: for each quantity the answer that most draws stand behind.
 * MISMATCH when the recipes do not compare. */
stemma_status estimate_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b,
                                struct estimates *out, stemma_error *err);

/* The relation that the numbers say (near-duplicate to unknown), and whether every value in the intervals says
 * the same. */
stemma_relation judge(const struct estimates *estimates, const stemma_thresholds *thresholds, bool *certain);

/* ---- shared by the estimators of this layer ---- */

stemma_quantity quantity_unknown(const char *why);
stemma_quantity quantity_exact(double value);

/* `hits` of `trials` draws, and its 95 % interval. shrink < 1: the draws are a good part of all there is, so the
 * variance is that much smaller than the binomial's. */
stemma_quantity quantity_share(double hits, double trials, double shrink);

/* Each scheme's estimator (samples.c, minima.c, chunks.c, containment.c). */
stemma_status estimate_samples(const struct spec *sa, const struct part *a, const struct spec *sb,
                               const struct part *b, int width, struct estimates *out, stemma_error *err);
void estimate_minhash(const struct spec *sa, const struct part *a, const struct spec *sb, const struct part *b,
                      struct estimates *out);
void estimate_oph(const struct spec *spec, const struct part *a, const struct part *b, struct estimates *out);
void estimate_chunks(const struct spec *spec, const struct part *a, const struct part *b, struct estimates *out);
/* Better containments, where out->resemblance comes from this oph part and says more than the sample did. */
void containment_from_resemblance(const struct spec *spec, const struct part *a, const struct part *b,
                                  struct estimates *out);
void estimate_simhash(const struct spec *sa, const struct part *a, const struct spec *sb, const struct part *b,
                      struct estimates *out);

#endif
