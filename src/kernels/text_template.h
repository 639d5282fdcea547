/*
 * Template: word hashes, fingerprints of word windows, where words are.
 *
 * Expects a *_vector.h, find_spaces of 64 bytes, list_spaces, list_behind, and combine_few (the first of
 * the fingerprints, as many as are not better made by sums that roll on). Gives hash_words, combine and
 * map_spaces.
 */
#include "kernels/words.h"

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
    size_t done = combine_few(tokens, count - window + 1, window, keys, out);
    if (done <= count - window)
        combine_blocks(tokens + done, count - done, window, keys, out + done, finish_sums);
}

size_t KERNEL(map_spaces)(const uint8_t *piece, size_t size, size_t offset, size_t before,
                          struct space_block *blocks, uint32_t *behind) {
    size_t count = 0;
    for (size_t i = 0; i < size; i += 64) {
        uint64_t spaces = find_spaces(piece + i);
        if (size - i < 64) spaces = _bzhi_u64(spaces, (unsigned)(size - i));
        blocks[i / 64] = (struct space_block){spaces, before + count};
        count += list_behind(spaces, offset + i, behind + count);
    }
    return count;
}
