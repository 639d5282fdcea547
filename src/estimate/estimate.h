/* From two sketches, or two full sets, to numbers with intervals, and from numbers to a relation. */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include "estimate/quantity.h"
#include "sketch/sketch.h"

/* One part of each sketch, under the specs `sa` and `sb`, which are comparable; neither document is empty.
 * width: bits of a fingerprint. */
stemma_status estimate_parts(const struct spec *sa, const struct part *a, const struct spec *sb,
                             const struct part *b, int width, struct estimates *out, stemma_error *err);

/* All comparable parts of two sketches: for each quantity the answer that most draws stand behind.
 * MISMATCH when the recipes do not compare. */
stemma_status estimate_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b,
                                struct estimates *out, stemma_error *err);

/* ---- shared by the estimators of this layer ---- */

/* Each scheme's estimator (samples.c, minima.c, chunks.c, containment.c). */
stemma_status estimate_samples(const struct spec *sa, const struct part *a, const struct spec *sb,
                               const struct part *b, int width, struct estimates *out, stemma_error *err);
void estimate_minhash(const struct spec *sa, const struct part *a, const struct spec *sb,
                      const struct part *b, struct estimates *out);
void estimate_oph(const struct spec *spec, const struct part *a, const struct part *b, struct estimates *out);
void estimate_chunks(const struct spec *spec, const struct part *a, const struct part *b,
                     struct estimates *out);
/* Better containments, where out->resemblance comes from this oph part and says more than the sample did. */
void containment_from_resemblance(const struct spec *spec, const struct part *a, const struct part *b,
                                  struct estimates *out);
void estimate_simhash(const struct spec *sa, const struct part *a, const struct spec *sb,
                      const struct part *b, struct estimates *out);

#endif
