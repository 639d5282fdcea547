/*
 * The edit distance of close texts: furthest-reaching points on diagonals, from both ends at once.
 *
 * With e edits, each diagonal (column - row) of the matrix is reached up to some row; one edit more takes it
 * further, then over all symbols that agree (Ukkonen 1985; Myers 1986). The waves from the two ends meet
 * after half of the edits each: d * d / 2 points in all, and two waves of d / 2 numbers in memory.
 */
#ifndef ALIGN_DIAGONALS_H
#define ALIGN_DIAGONALS_H

#include "align/distance/meter.h"
#include "kernels/kernels.h"

/* One direction. A zeroed one is empty. */
struct wave {
    int32_t *room[2];  /* the last wave, and the one to come */
    int32_t *rows;     /* [diagonal] of the last wave, in room[0] */
    int32_t capacity;  /* edits there is room for */
    int32_t edits;     /* so far */
    int32_t low, high; /* diagonals reached */
    int32_t furthest;  /* row */
};

struct diagonals {
    const struct kernels *kernels;
    struct wave forward, backward;
};

struct meeting {
    bool met;            /* else more than at_most, or given up, or not worth it */
    bool given_up;       /* no work is left */
    uint64_t distance;   /* when met */
    uint64_t at_least;   /* known in any case */
    uint64_t guess;      /* of the distance, from how far the edits have led so far */
    int32_t row, column; /* a point on a shortest way, */
    uint64_t before;     /* edits on the way to it */
};

void diagonals_init(struct diagonals *diagonals, const struct kernels *kernels);
/* The texts have no common first and no common last symbol, and neither is empty. When `patient` is false, it
 * ends as soon as a band (band.h) looks cheaper. */
stemma_status diagonals_meet(struct diagonals *diagonals, const struct edit_texts *texts, uint64_t at_most,
                             bool patient, struct meter *meter, struct meeting *out, stemma_error *err);
void diagonals_release(struct diagonals *diagonals);

/* Cells that a band of this bound costs; and points on diagonals, in cells. */
uint64_t band_cost(uint64_t rows, uint64_t columns, uint64_t bound);
uint64_t diagonals_cost(uint64_t edits);

#endif
