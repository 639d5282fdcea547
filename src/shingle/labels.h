/*
 * Option A of Broder 1997: each shingle is numbered by its occurrence, so that how often it occurs counts
 * too.
 *
 * Labels need the whole document: fingerprints are sorted (on disk, when they are many), and the k-th of a
 * run of equal ones becomes a fingerprint of its own. They reach the sink when the document ends, in no
 * useful order.
 */
#ifndef SHINGLE_LABELS_H
#define SHINGLE_LABELS_H

#include "shingle/stream.h"

/* Fingerprints in ascending order, which may come in several blocks, get their labels in place. */
struct labels {
    int width;
    uint64_t last, occurrence; /* of the value seen last; zero at first */
};
void labels_put(struct labels *labels, uint64_t *values, size_t count);

struct labeller;

stemma_status labeller_new(int width, struct shingle_sink target, size_t memory, const char *directory,
                           struct labeller **out, stemma_error *err);
struct shingle_sink labeller_sink(struct labeller *labeller);
stemma_status labeller_finish(struct labeller *labeller, stemma_error *err);
void labeller_free(struct labeller *labeller);

#endif
