/*
 * A look at samples of two documents before they are compared: most candidates that come to nothing differ so
 * much that a few shingles tell.
 */
#ifndef ESTIMATE_GLANCE_H
#define ESTIMATE_GLANCE_H

#include "estimate/overlap.h"
#include "estimate/tally.h"

/* Samples are the fingerprints that are 0 mod this. */
#define GLANCE_MODULUS 16

/* To be initialised, and reusable. */
struct glance {
    struct vec64 base, other; /* samples */
    struct tally_base shingles;
    struct tally tally;
};

void glance_init(struct glance *glance);
/* Of the base; only samples matter, and they are copied. KERNEL_SLACK readable elements behind. */
stemma_status glance_set(struct glance *glance, const uint64_t *fp, size_t count, stemma_error *err);
/* Whether another document does not reach the aim, likewise by its samples. */
stemma_status glance_at(struct glance *glance, const uint64_t *fp, size_t count,
                        const struct overlap_aim *aim, bool *hopeless, stemma_error *err);
void glance_release(struct glance *glance);

/* Whether documents of which the samples have this in common do not reach the aim. Of a million pairs
 * that do, fewer than one is taken for hopeless. */
bool glance_is_hopeless(const struct overlap *samples, const struct overlap_aim *aim);

#endif
