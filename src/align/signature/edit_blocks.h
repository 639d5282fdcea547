/* How many characters the blocks of a comparison have on each side, and what they cost. */
#ifndef ALIGN_EDIT_BLOCKS_H
#define ALIGN_EDIT_BLOCKS_H

#include "align/signature/edit_gaps.h"

/* What the estimators know of both texts. */
struct edit_frame {
    double n, c;               /* window and rate of the signatures */
    double length_a, length_b; /* characters */
    double agree;
};

struct block_costs {
    double size_a, size_b; /* characters in all */
    double cost, variance; /* edits, and how uncertain */
    double net;            /* what of the difference of the lengths is left for edits outside of blocks */
    double missed,
        missed_variance; /* how far the sizes were from that difference before they were corrected */
};

/* places: about how many edits there are outside of blocks. */
stemma_status cost_blocks(const struct edit_gaps *gaps, const struct edit_frame *frame, double places,
                          struct block_costs *out, stemma_error *err);

#endif
