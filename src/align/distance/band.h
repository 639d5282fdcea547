/*
 * The edit distance of texts that are far from each other: the matrix, as differences of neighbouring cells
 * in bits (Myers 1999), a strip of rows at a time.
 *
 * Of the matrix only a band of diagonals is computed (Ukkonen 1985): a way of at most k edits leaves the
 * strip between the corners by no more than (k - |n - m|) / 2. What is outside counts as unreachable, so that
 * every number is the length of some way, and the result is the distance when it is at most k.
 */
#ifndef ALIGN_BAND_H
#define ALIGN_BAND_H

#include "align/distance/meter.h"
#include "kernels/kernels.h"

#define BAND_CHARACTERS (0x110000u + 256) /* code points, and bytes that are part of none */

struct band {
    const struct kernels *kernels;
    size_t capacity;   /* columns */
    uint32_t *columns; /* their symbols' places in `equal` */
    uint8_t *edge;     /* differences along the last row computed */
    uint8_t *tables;
    uint64_t *equal;     /* [symbol][words] of the strip at work */
    uint16_t *numbers;   /* of each character: which it is of those in the strip's rows; 0: none */
    int32_t first, last; /* columns of the last strip */
    uint64_t corner;     /* the distance in the last row, before column `first` */
};

/* Diagonals (column - row) from low <= 0 to high >= 0. */
struct diagonal_range {
    int32_t low, high;
};

void band_init(struct band *band, const struct kernels *kernels);
void band_release(struct band *band);

/* Those that a way of at most `bound` edits (at least the difference of the lengths) can be on. */
struct diagonal_range band_range(int32_t rows, int32_t columns, uint64_t bound);

/* The first `rows` rows of texts->a against all columns: the last row of distances is left in `band`. */
stemma_status band_run(struct band *band, const struct edit_texts *texts, int32_t rows,
                       struct diagonal_range range, const struct meter *meter, stemma_error *err);

/* The distance at the end of the last row. */
uint64_t band_end(const struct band *band, int32_t columns);

static inline int edge_step(uint8_t edge) {
    return 1 - (edge & 1) - (edge >> 1);
}

#endif
