/* Rabin fingerprints of SLICED_STREAMS stretches of text side by side (avx2_slices.c). The stretches follow
 * one another, `length` windows each, a multiple of SLICED_STEP; windows of up to SLICED_WINDOW bytes. */
#ifndef KERNELS_AVX2_SLICES_H
#define KERNELS_AVX2_SLICES_H

#include "kernels/kernels.h"

#define SLICED_STREAMS 32
#define SLICED_LENGTH                                                                                        \
    248 /* at most; an odd number of cache lines of output, or the stretches compete for sets */
#define SLICED_STEP   8
#define SLICED_WINDOW 256
#define SLICED_CHUNK  (SLICED_STREAMS * SLICED_LENGTH)

/* All fingerprints. */
void avx2_sliced_all(const struct rabin_tables *tables, const uint8_t *bytes, size_t length, uint64_t *out);

/* Only those that are 0 mod n; returns how many. */
size_t avx2_sliced_mod(const struct rabin_tables *tables, const uint8_t *bytes, size_t length, uint64_t n,
                       uint64_t *out);

#endif
