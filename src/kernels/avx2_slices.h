/* Rabin fingerprints of SLICED_STREAMS stretches of text side by side (avx2_slices.c). The stretches follow
 * one another, `length` windows each; windows of up to SLICED_WINDOW bytes. */
#ifndef KERNELS_AVX2_SLICES_H
#define KERNELS_AVX2_SLICES_H

#include "kernels/kernels.h"

#define SLICED_STREAMS 32
#define SLICED_LENGTH  260 /* at most; not a power of two, or the stretches of output compete for the cache */
#define SLICED_WINDOW  256
#define SLICED_CHUNK   (SLICED_STREAMS * SLICED_LENGTH)

/* All fingerprints; `length` is even. */
void avx2_sliced_all(const struct rabin_tables *tables, const uint8_t *bytes, size_t length, uint64_t *out);

/* Where fingerprints may be multiples of n, in order; returns how many. Few others get through. For n
 * with an odd part below SLICED_ODD. */
size_t avx2_sliced_find(const struct rabin_tables *tables, const uint8_t *bytes, size_t length, uint64_t n,
                        uint32_t *positions);
#define SLICED_ODD 16384

#endif
