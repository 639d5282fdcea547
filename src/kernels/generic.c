/* Portable kernels: plain C, the definition that every other version has to reproduce bit for bit. */
#include "kernels/generic.h"

#include "base/bits.h"
#include "base/buf.h"
#include "base/rng.h"
#include "kernels/run_chars.h"
#include "kernels/tables.h"

#include <string.h>

/* Whether a word ends between two characters, the first of which is RUN_MARK only where it begins a word. */
static bool is_border(enum run_kind before, enum run_kind behind) {
    return behind == RUN_SINGLE ? before != RUN_BREAK : behind != RUN_MARK && before == RUN_SINGLE;
}

size_t generic_fold_text(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                         size_t *written, bool *gap, bool *any, struct fold_breaks *breaks) {
    size_t out = 0, i = 0;
    struct run_char c;
    enum run_kind before = RUN_BREAK, kind; /* of the last character that is no mark on another */
    if (breaks) breaks->count = 0;
    for (size = run_whole(src, size); i < size; i += c.size) {
        c = run_char_at(chars, src + i);
        kind = run_kind_of(c);
        if (!run_takes(chars, kind)) break;
        if (kind == RUN_BREAK) *gap = *any;
        if (kind != RUN_BREAK) {
            if (run_splits(chars) && is_border(before, kind)) *gap = true;
            if (*gap) dst[out++] = ' ';
            if (breaks) run_list_break(breaks, i, out);
            store_u32(dst + out, load_u32(src + i) ^ run_change(c));
            out += c.size;
            *gap = false;
            *any = true;
        }
        if (kind != RUN_MARK || before == RUN_BREAK) before = kind;
    }
    if (run_splits(chars) && before == RUN_SINGLE) *gap = true;
    *written = out;
    return i;
}

/* Both halves of a 128-bit product, folded: the mixing step of the token hash. */
static uint64_t fold_multiply(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* 16 bytes at a time, the last piece padded with zeros; the length makes padding unambiguous. */
uint64_t token_hash(const struct mix_keys *keys, const uint8_t *token, size_t size) {
    uint64_t hash = keys->token[1] ^ (uint64_t)size * keys->token[2];
    for (; size > 16; token += 16, size -= 16)
        hash = fold_multiply(load_u64(token) ^ keys->token[0], load_u64(token + 8) ^ hash);
    uint8_t last[16] = {0};
    memcpy(last, token, size);
    return fold_multiply(load_u64(last) ^ keys->token[0], load_u64(last + 8) ^ hash);
}

size_t generic_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                          size_t *used) {
    size_t begin = 0, count = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != ' ') continue;
        if (i > begin) out[count++] = token_hash(keys, text + begin, i - begin);
        begin = i + 1;
    }
    *used = begin;
    return count;
}

size_t generic_map_spaces(const uint8_t *piece, size_t size, size_t offset, size_t before,
                          struct space_block *blocks, uint32_t *behind) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if (i % 64 == 0) blocks[i / 64] = (struct space_block){0, before + count};
        if (piece[i] != ' ') continue;
        blocks[i / 64].spaces |= UINT64_C(1) << i % 64;
        behind[count++] = (uint32_t)(offset + i + 1);
    }
    return count;
}

void generic_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                     uint64_t *out) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum = sum * keys->multiplier + tokens[i];
        if (i >= window) sum -= tokens[i - window] * keys->leave;
        if (i + 1 >= window) out[i + 1 - window] = mix64(sum ^ keys->finish);
    }
}

size_t generic_sign_windows(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                            uint64_t mask, uint32_t *places, uint64_t *hashes) {
    uint64_t sum = 0;
    size_t count = 0;
    for (size_t i = 0; windows && i + 1 < windows + n; i++) {
        sum = sum * keys->multiplier + (chars[i] - (i >= n ? chars[i - n] * keys->leave : 0));
        if (i + 1 < n) continue;
        uint64_t hash = sum ^ keys->finish;
        hash = (hash ^ hash >> 32) * MIX64_MULTIPLIER;
        hash ^= hash >> 32;
        if (hash & mask) continue;
        places[count] = (uint32_t)(i + 1 - n);
        hashes[count++] = hash;
    }
    return count;
}

/* Byte at a time with two tables, as Broder 1993 describes it. */
void generic_rabin_all(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t *out) {
    int top = t->degree - 8;
    uint64_t mask = t->degree == 64 ? UINT64_MAX : (UINT64_C(1) << t->degree) - 1;
    uint64_t f = 0;
    for (size_t i = 0; i < count; i++) {
        f = (f << 8 & mask) ^ t->shift[f >> top] ^ t->enter[bytes[i]];
        if (i >= (size_t)t->window) f ^= t->leave[bytes[i - t->window]];
        if (i + 1 >= (size_t)t->window) out[i + 1 - t->window] = f;
    }
}

size_t generic_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                         uint64_t *out) {
    int top = t->degree - 8;
    uint64_t mask = t->degree == 64 ? UINT64_MAX : (UINT64_C(1) << t->degree) - 1;
    uint64_t f = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        f = (f << 8 & mask) ^ t->shift[f >> top] ^ t->enter[bytes[i]];
        if (i >= (size_t)t->window) f ^= t->leave[bytes[i - t->window]];
        if (i + 1 >= (size_t)t->window && f % n == 0) out[kept++] = f;
    }
    return kept;
}

size_t generic_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] % n == 0) out[kept++] = values[i];
    return kept;
}

size_t generic_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] <= limit) out[kept++] = values[i];
    return kept;
}

void generic_oph_update(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 product = (unsigned __int128)mix64(values[i] ^ seed) * bins;
        uint64_t *minimum = &minima[(uint64_t)(product >> 64)];
        if ((uint64_t)product < *minimum) *minimum = (uint64_t)product;
    }
}

void generic_bin_minima(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t x = values[i] ^ seed, product = ((x ^ x >> 32) * MIX64_MULTIPLIER >> 32) * bins;
        uint32_t *minimum = &minima[product >> 32];
        if ((uint32_t)product < *minimum) *minimum = (uint32_t)product;
    }
}

size_t generic_open_bins(const uint64_t *values, size_t count, uint64_t seed, size_t bins,
                         const uint64_t filled[OPEN_BINS_MOST / 64], uint64_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = mix64(values[i] ^ seed);
        size_t bin = (size_t)((unsigned __int128)mixed * bins >> 64);
        out[kept] = mixed;
        kept += ~filled[bin / 64] >> bin % 64 & 1; /* no branch: nobody could predict it */
    }
    return kept;
}

void generic_fill_bins(uint32_t minima[FILL_BINS], uint64_t open[FILL_BINS / 64], uint64_t seed,
                       const uint64_t *values, size_t count) {
    uint64_t left[FILL_BINS / 64];
    memcpy(left, open, sizeof left);
    for (size_t i = 0; i < count; i++) {
        uint64_t x = values[i] ^ seed, product = ((x ^ x >> 32) * MIX64_MULTIPLIER >> 32) * FILL_BINS;
        size_t bin = product >> 32;
        if (!(open[bin / 64] >> bin % 64 & 1)) continue;
        if ((uint32_t)product < minima[bin]) minima[bin] = (uint32_t)product;
        left[bin / 64] &= ~(UINT64_C(1) << bin % 64);
    }
    memcpy(open, left, sizeof left);
}

void generic_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                            size_t count) {
    const uint64_t *a = coefficients, *b = a + n, *c = b + n;
    for (size_t v = 0; v < count; v++) {
        uint64_t low = (uint32_t)values[v], high = values[v] >> 32;
        for (size_t i = 0; i < n; i++) {
            uint64_t sum = a[i] * low + b[i] * high + c[i];
            uint64_t hash = sum << 32 | sum >> 32;
            if (hash < minima[i]) minima[i] = hash;
        }
    }
}

void generic_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    for (size_t v = 0; v < count; v++) {
        uint64_t hash = mix64(values[v] ^ seed);
        for (int bit = 0; bit < 64; bit++) sums[bit] += (hash >> bit & 1) ? 1 : -1;
    }
}

/* What the words above the first two of a polynomial, up to x^252, are worth in those two: x^128 is
 * x^7 + x^2 + x + 1. */
static void fold_above(uint64_t words[4]) {
    for (int i = 3; i >= 2; i--) {
        uint64_t above = words[i];
        words[i - 2] ^= above ^ above << 1 ^ above << 2 ^ above << 7;
        words[i - 1] ^= above >> 63 ^ above >> 62 ^ above >> 57;
    }
}

/* Times r: four bits of each word of the factor in a step, the highest first. */
static void multiply(const struct horner_key *r, uint64_t factor[2]) {
    uint64_t product[4] = {0};
    for (int shift = 60; shift >= 0; shift -= 4) {
        for (int i = 3; i > 0; i--) product[i] = product[i] << 4 | product[i - 1] >> 60;
        product[0] <<= 4;
        const uint64_t *low = r->nibbles[factor[0] >> shift & 15],
                       *high = r->nibbles[factor[1] >> shift & 15];
        product[0] ^= low[0];
        product[1] ^= low[1] ^ high[0];
        product[2] ^= high[1];
    }
    fold_above(product);
    memcpy(factor, product, 2 * sizeof *factor);
}

void generic_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]) {
    for (size_t i = 0; i < count; i++) {
        sum[0] ^= load_u64(blocks + 16 * i);
        sum[1] ^= load_u64(blocks + 16 * i + 8);
        multiply(r, sum);
    }
}

uint64_t generic_hamming(const uint8_t *a, const uint8_t *b, size_t size) {
    uint64_t differing = 0;
    for (size_t i = 0; i < size; i++) differing += (uint64_t)__builtin_popcount(a[i] ^ b[i]);
    return differing;
}

size_t generic_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                          uint32_t most, uint32_t *out) {
    size_t kept = 0;
    for (size_t row = 0; row < count; row++) {
        uint32_t differing = 0;
        for (size_t w = 0; w < words; w++)
            differing += (uint32_t)bits_count(load_u64(columns[w] + 8 * row) ^ query[w]);
        if (differing <= most) out[kept++] = (uint32_t)row;
    }
    return kept;
}

static unsigned field(const uint8_t *bytes, size_t index, int bits) {
    if (bits == 16) return bytes[2 * index] | (unsigned)bytes[2 * index + 1] << 8;
    size_t bit = index * (size_t)bits;
    return bytes[bit / 8] >> (bit % 8) & ((1u << bits) - 1);
}

uint64_t generic_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits) {
    uint64_t equal = 0;
    for (size_t i = 0; i < count; i++) equal += field(a, i, bits) == field(b, i, bits);
    return equal;
}

const struct kernels kernels_portable = {
    .name = "portable",
    .fold_text = generic_fold_text,
    .hash_words = generic_hash_words,
    .map_spaces = generic_map_spaces,
    .combine = generic_combine,
    .sign_windows = generic_sign_windows,
    .rabin_all = generic_rabin_all,
    .rabin_mod = generic_rabin_mod,
    .filter_mod = generic_filter_mod,
    .filter_below = generic_filter_below,
    .oph_update = generic_oph_update,
    .bin_minima = generic_bin_minima,
    .open_bins = generic_open_bins,
    .fill_bins = generic_fill_bins,
    .minhash_update = generic_minhash_update,
    .simhash_update = generic_simhash_update,
    .horner = generic_horner,
    .hamming = generic_hamming,
    .near_words = generic_near_words,
    .equal_fields = generic_equal_fields,
    .symbol_columns = generic_symbol_columns,
    .filter_counters = generic_filter_counters,
    .common_prefix = generic_common_prefix,
    .common_suffix = generic_common_suffix,
    .edit_wave = generic_edit_wave,
    .edit_rows = generic_edit_rows,
    .edit_words = 8,
    .edit_lanes = 1,
};
