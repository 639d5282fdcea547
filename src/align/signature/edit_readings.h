/* What may have happened to the text, by sizes of edits, and how likely each is. */
#ifndef ALIGN_EDIT_READINGS_H
#define ALIGN_EDIT_READINGS_H

#include "align/signature/edit_blocks.h"

#define READINGS 10
struct reading {
    double log_weight;
    double edits, deviation; /* mean and standard deviation of the distance */
    double block_edits;      /* part of edits */
};

/* Readings of what is outside of blocks, with the blocks' cost added. */
stemma_status read_edits(const struct edit_gaps *gaps, const struct edit_frame *frame,
                         struct reading readings[READINGS], stemma_error *err);

#endif
