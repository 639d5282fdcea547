/* The obvious versions, by name: what the other tables fall back to, and what the tests compare with. */
#ifndef KERNELS_GENERIC_H
#define KERNELS_GENERIC_H

#include "kernels/kernels.h"

size_t generic_fold_text(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                         size_t *written, bool *gap, bool *any, struct fold_breaks *breaks);
size_t generic_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                          size_t *used);
size_t generic_map_spaces(const uint8_t *piece, size_t size, size_t offset, size_t before,
                          struct space_block *blocks, uint32_t *behind);
void generic_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                     uint64_t *out);
size_t generic_sign_windows(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                            uint64_t mask, uint32_t *places, uint64_t *hashes);
void generic_rabin_all(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t *out);
size_t generic_rabin_mod(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t n,
                         uint64_t *out);
size_t generic_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out);
size_t generic_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out);
void generic_oph_update(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
void generic_bin_minima(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);
size_t generic_open_bins(const uint64_t *values, size_t count, uint64_t seed, size_t bins,
                         const uint64_t filled[OPEN_BINS_MOST / 64], uint64_t *out);
void generic_fill_bins(uint32_t minima[FILL_BINS], uint64_t open[FILL_BINS / 64], uint64_t seed,
                       const uint64_t *values, size_t count);
void generic_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                            size_t count);
void generic_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count);
void generic_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]);
uint64_t generic_hamming(const uint8_t *a, const uint8_t *b, size_t size);
size_t generic_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                          uint32_t most, uint32_t *out);
uint64_t generic_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits);
size_t generic_common_prefix(const uint8_t *a, const uint8_t *b, size_t size);
size_t generic_common_suffix(const uint8_t *a_end, const uint8_t *b_end, size_t size);
int32_t generic_edit_wave(const struct edit_texts *texts, const int32_t *from, int32_t *to, int32_t first,
                          int32_t last);
void generic_edit_rows(const struct edit_rows *rows, uint8_t *edge, size_t count);

/* The rows of a word that are one more than the one above, at the left: all but those that are none. */
static inline uint64_t edit_first_up(const struct edit_rows *strip, int word) {
    uint64_t before = (uint64_t)word * 64, none = strip->above <= before ? 0 : strip->above - before;
    return none >= 64 ? 0 : UINT64_MAX << none;
}
void generic_symbol_columns(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                            struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]);
size_t generic_filter_counters(const uint8_t *counters, const uint32_t *sizes, size_t count,
                               const uint8_t *query, uint32_t query_size, uint64_t most, uint32_t *out);

/* Hash of one token (hash=mix). */
uint64_t token_hash(const struct mix_keys *keys, const uint8_t *token, size_t size);

#endif
