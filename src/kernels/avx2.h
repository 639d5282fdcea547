/* The AVX2 kernels by name, for the tables in avx2.c and for AVX-512 where nothing wider pays. */
#ifndef KERNELS_AVX2_H
#define KERNELS_AVX2_H

#include "kernels/kernels.h"

/* avx2_text.c */
size_t avx2_fold_text(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                      size_t *written, bool *gap, bool *any, struct fold_breaks *breaks);
size_t avx2_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                       size_t *used);
size_t avx2_map_spaces(const uint8_t *piece, size_t size, size_t offset, size_t before,
                       struct space_block *blocks, uint32_t *behind);
void avx2_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                  uint64_t *out);

/* avx2_rabin.c */
void avx2_rabin_all(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t *out);
size_t avx2_rabin_mod(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t n,
                      uint64_t *out);

/* avx2_windows.c */
size_t avx2_sign_windows(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                         uint64_t mask, uint32_t *places, uint64_t *hashes);

/* avx2_horner.c */
void avx2_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]);

/* avx2_clmul.c, avx2_clmul_horner.c: need VPCLMULQDQ */
size_t avx2_clmul_rabin_mod(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t n,
                            uint64_t *out);
void avx2_clmul_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]);

/* avx2_sketch.c */
size_t avx2_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out);
size_t avx2_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out);
void avx2_oph_update(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
void avx2_bin_minima(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
size_t avx2_open_bins(const uint64_t *values, size_t count, uint64_t seed, size_t bins,
                      const uint64_t filled[OPEN_BINS_MOST / 64], uint64_t *out);
void avx2_fill_bins(uint32_t minima[FILL_BINS], uint64_t open[FILL_BINS / 64], uint64_t seed,
                    const uint64_t *values, size_t count);
void avx2_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                         size_t count);
void avx2_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count);
uint64_t avx2_hamming(const uint8_t *a, const uint8_t *b, size_t size);
size_t avx2_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                       uint32_t most, uint32_t *out);
uint64_t avx2_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits);

/* avx2_symbols.c */
void avx2_symbol_columns(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                         struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]);
size_t avx2_filter_counters(const uint8_t *counters, const uint32_t *sizes, size_t count,
                            const uint8_t *query, uint32_t query_size, uint64_t most, uint32_t *out);

/* Vertical counters: bit b of planes[k * lanes + lane] counts 2^k; twice the sums over lanes are added to
 * sums[b]. For up to 8 lanes. */
void avx2_add_planes(int64_t sums[64], const uint64_t *planes, int count, int lanes);

/* avx2_edit.c */
size_t avx2_common_prefix(const uint8_t *a, const uint8_t *b, size_t size);
size_t avx2_common_suffix(const uint8_t *a_end, const uint8_t *b_end, size_t size);
int32_t avx2_edit_wave(const struct edit_texts *texts, const int32_t *from, int32_t *to, int32_t first,
                       int32_t last);
void avx2_edit_rows(const struct edit_rows *rows, uint8_t *edge, size_t count);

#endif
