/* The AVX-512 kernels by name, for the table in avx512.c. */
#ifndef KERNELS_AVX512_H
#define KERNELS_AVX512_H

#include "kernels/avx512_intrinsics.h" /* first: the emulation renames what is declared here */
#include "kernels/kernels.h"

/* avx512_text.c */
size_t avx512_fold_ascii(const uint8_t *src, size_t size, uint8_t *dst, size_t *written, bool *gap,
                         bool *any);
size_t avx512_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                         size_t *used);
void avx512_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                    uint64_t *out);

#endif
