/* The AVX2 kernels by name, for the table in avx2.c and for AVX-512 where nothing wider pays. */
#ifndef KERNELS_AVX2_H
#define KERNELS_AVX2_H

#include "kernels/kernels.h"

/* avx2_text.c */
size_t avx2_fold_ascii(const uint8_t *src, size_t size, uint8_t *dst, size_t *written, bool *gap, bool *any);
size_t avx2_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                       size_t *used);
void avx2_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                  uint64_t *out);

#endif
