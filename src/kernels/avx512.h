/* The AVX-512 kernels by name, for the table in avx512.c. */
#ifndef KERNELS_AVX512_H
#define KERNELS_AVX512_H

#include "kernels/avx512_intrinsics.h" /* first: the emulation renames what is declared here */
#include "kernels/kernels.h"

/* avx512_text.c */
size_t avx512_fold_text(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                        size_t *written, bool *gap, bool *any, struct fold_breaks *breaks);
size_t avx512_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                         size_t *used);
size_t avx512_map_spaces(const uint8_t *piece, size_t size, size_t offset, size_t before,
                         struct space_block *blocks, uint32_t *behind);
void avx512_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                    uint64_t *out);

/* avx512_rabin.c */
size_t avx512_rabin_mod(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t n,
                        uint64_t *out);

/* avx512_windows.c */
size_t avx512_sign_windows(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                           uint64_t mask, uint32_t *places, uint64_t *hashes);

/* avx512_horner.c */
void avx512_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]);

/* avx512_sketch.c */
size_t avx512_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out);
size_t avx512_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out);
void avx512_oph_update(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
void avx512_bin_minima(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
void avx512_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                           size_t count);
void avx512_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count);
uint64_t avx512_hamming(const uint8_t *a, const uint8_t *b, size_t size);
size_t avx512_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                         uint32_t most, uint32_t *out);
uint64_t avx512_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits);

/* avx512_edit.c */
size_t avx512_common_prefix(const uint8_t *a, const uint8_t *b, size_t size);
size_t avx512_common_suffix(const uint8_t *a_end, const uint8_t *b_end, size_t size);
int32_t avx512_edit_wave(const struct edit_texts *texts, const int32_t *from, int32_t *to, int32_t first,
                         int32_t last);
void avx512_edit_rows(const struct edit_rows *rows, uint8_t *edge, size_t count);

#endif
