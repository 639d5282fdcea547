/* Anchors: runs of a few tokens that stand once in a stretch of a and once in a stretch of b, and in the same
 * order in both. What lies between two of them is aligned for itself. */
#ifndef ALIGN_ANCHORS_H
#define ALIGN_ANCHORS_H

#include "align/tokens/gap.h"

struct anchor {
    uint32_t a, b;   /* where the run begins */
    uint32_t before; /* while they are chosen: the one before it in the longest chain that ends here */
};

struct anchor_list {
    struct anchor *anchors;
    size_t count;
};

/* Memory for finding them, for the largest stretch of a. */
struct anchor_finder {
    const struct id_pair *pair;
    struct anchor_slot *slots;
    uint64_t steps; /* taken in all */
};

stemma_status anchor_finder_init(struct anchor_finder *finder, const struct id_pair *pair, stemma_error *err);
void anchor_finder_release(struct anchor_finder *finder);

/* Runs of `length` tokens (at least 1), in order; they may overlap. Free the anchors with mem_free. */
stemma_status anchors_find(struct anchor_finder *finder, const struct gap *gap, size_t length,
                           struct anchor_list *out, stemma_error *err);

#endif
