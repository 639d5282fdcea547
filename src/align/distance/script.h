/*
 * A shortest edit script, in memory that grows with the texts and not with their product.
 *
 * The distance is found first; then the matrix is cut where a shortest way crosses its middle, and both parts
 * are treated alike: where the waves from both ends meet (diagonals.h), or, for texts far from each other, in
 * the middle row, from the distances to both ends (Hirschberg 1975, over band.h). How many edits each part
 * has is known, so that all parts of one size together cost half as much as those twice as large, or as much.
 */
#ifndef ALIGN_SCRIPT_H
#define ALIGN_SCRIPT_H

#include "align/distance/distance.h"

struct script {
    stemma_step *steps; /* in order; places are symbols */
    size_t count, capacity;
    struct distance_result found; /* no steps unless it is a distance */
};

/* A zeroed script is empty. */
stemma_status script_by(const struct distance_pair *pair, enum distance_method method,
                        const struct kernels *kernels, const struct distance_limits *limits,
                        struct script *out, stemma_error *err);
void script_release(struct script *script);

#endif
