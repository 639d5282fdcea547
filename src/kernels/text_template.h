/*
 * Template: canonical form of ASCII, word hashes, fingerprints of word windows.
 *
 * Expects a *_vector.h, and fold_block (letters and digits in lower case, anything else a space, and which
 * were letters), vec_tops (which bytes are above 127), store_kept, find_spaces of 64 bytes and list_spaces.
 * Gives fold_ascii, hash_words and combine.
 */
#include "kernels/words.h"

static inline vec_map first_bits(vec_map map, size_t count) {
    return (vec_map)_bzhi_u64(map, (unsigned)count);
}

/* Lists the letters of the block at `at` behind two bytes that are none. `before` tells which of the two
 * bytes before the block were letters, `kept` what of the block goes to `out` and behind. */
static inline void list_breaks(struct fold_breaks *breaks, vec_map letters, vec_map before, vec_map kept,
                               size_t at, size_t out) {
    vec_map close = letters << 1 | before >> 1 | letters << 2 | before;
    for (vec_map first = letters & ~close; first; first &= first - 1) {
        size_t i = (size_t)__builtin_ctzll(first);
        size_t folded = out + (size_t)__builtin_popcountll(first_bits(kept, i));
        breaks->list[breaks->count++] = (struct fold_break){(uint32_t)(at + i), (uint32_t)folded};
    }
}

/* A space is written at once behind a word, and taken back at the end if no other word followed. */
static inline __attribute__((always_inline)) size_t fold_run(const uint8_t *src, size_t size, uint8_t *dst,
                                                             size_t *written, bool *gap, bool *any,
                                                             struct fold_breaks *breaks) {
    size_t out = 0, i = 0;
    vec_map in_word = *any && !*gap, letters; /* whether the byte before was a letter */
    vec_map before = 0;
    if (*gap) dst[out++] = ' ';
    if (breaks) breaks->count = 0;
    for (; size - i >= VEC_BYTES; i += VEC_BYTES) {
        vec raw = vec_load(src + i), folded = fold_block(raw, &letters);
        if (vec_tops(raw)) break;
        vec_map kept = letters | letters << 1 | in_word;
        if (breaks) list_breaks(breaks, letters, before, kept, i, out);
        out += store_kept(dst + out, folded, kept);
        in_word = letters >> (VEC_BYTES - 1);
        before = letters >> (VEC_BYTES - 2);
    }
    if (i < size) {
        vec raw = vec_load(src + i), folded = fold_block(raw, &letters);
        size_t ascii = vec_tops(raw) ? (size_t)__builtin_ctzll(vec_tops(raw)) : VEC_BYTES;
        size_t rest = size - i < ascii ? size - i : ascii;
        letters = first_bits(letters, rest);
        vec_map kept = first_bits(letters | letters << 1 | in_word, rest);
        if (breaks) list_breaks(breaks, letters, before, kept, i, out);
        out += store_kept(dst + out, folded, kept);
        if (rest) in_word = letters >> (rest - 1) & 1;
        i += rest;
    }
    *gap = !in_word && out > 0;
    out -= *gap;
    *any |= out > 0;
    *written = out;
    return i;
}

size_t KERNEL(fold_ascii)(const uint8_t *src, size_t size, uint8_t *dst, size_t *written, bool *gap,
                          bool *any, struct fold_breaks *breaks) {
    if (*gap && !*any)
        return generic_fold_ascii(src, size, dst, written, gap, any, breaks); /* never in text */
    if (!breaks) return fold_run(src, size, dst, written, gap, any, NULL);    /* a loop that knows of none */
    return fold_run(src, size, dst, written, gap, any, breaks);
}

size_t KERNEL(hash_words)(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                          size_t *used) {
    uint16_t ends[WORD_BLOCK + 64]; /* list_spaces writes whole vectors */
    struct short_words table;
    short_words_init(&table, keys);
    ptrdiff_t word = 0; /* from the start of the block */
    size_t count = 0;
    for (size_t block = 0; block < size; block += WORD_BLOCK) {
        size_t length = size - block < WORD_BLOCK ? size - block : WORD_BLOCK, spaces = 0, i = 0;
        for (; length - i >= 64; i += 64)
            spaces += list_spaces(find_spaces(text + block + i), i, ends + spaces);
        if (i < length)
            spaces += list_spaces(_bzhi_u64(find_spaces(text + block + i), (unsigned)(length - i)), i,
                                  ends + spaces);
        count += hash_spans(text + block, &word, ends, spaces, keys, &table, out + count);
        word -= (ptrdiff_t)length;
    }
    *used = (size_t)((ptrdiff_t)size + word);
    return count;
}

/* mix64 of each; count is a multiple of VEC_LANES. */
static void finish_sums(uint64_t *sums, size_t count, uint64_t finish) {
    const vec last = vec_all64(finish);
    for (size_t i = 0; i < count; i += VEC_LANES)
        vec_store(sums + i, vec_mix64(vec_xor(vec_load(sums + i), last)));
}

void KERNEL(combine)(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                     uint64_t *out) {
    combine_blocks(tokens, count, window, keys, out, finish_sums);
}
