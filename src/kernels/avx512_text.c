/*
 * Text with AVX-512: as avx2_text.c, with the instructions that were missing there: bytes are moved together
 * by one compression (VBMI2), sums are mixed by real 64-bit multiplications.
 */
#include "kernels/avx512.h" /* first: it may rename */

#include "base/rng.h"
#include "kernels/words.h"

/* ---- fold_ascii ---- */

struct folded {
    __m512i bytes;    /* lower case letters and digits, everything else a space */
    uint64_t letters; /* which are letters or digits */
    uint64_t high;    /* which are not ASCII */
};

static inline struct folded fold_block(__m512i raw) {
    __m512i lower = _mm512_or_si512(raw, _mm512_set1_epi8(0x20)); /* leaves digits as they are */
    uint64_t letters =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26)) |
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(raw, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    return (struct folded){
        .bytes = _mm512_mask_mov_epi8(_mm512_set1_epi8(' '), letters, lower),
        .letters = letters,
        .high = _mm512_movepi8_mask(raw),
    };
}

/* Store the bytes selected by keep, side by side, and nothing behind them. */
static inline size_t store_kept(uint8_t *dst, __m512i bytes, uint64_t keep) {
    size_t count = (size_t)_mm_popcnt_u64(keep);
    _mm512_mask_storeu_epi8(dst, _bzhi_u64(UINT64_MAX, (unsigned)count),
                            _mm512_maskz_compress_epi8(keep, bytes));
    return count;
}

/* A space is written at once behind a word, and taken back at the end if no other word followed. */
size_t avx512_fold_ascii(const uint8_t *src, size_t size, uint8_t *dst, size_t *written, bool *gap,
                         bool *any) {
    size_t out = 0, i = 0;
    if (*gap && !*any) i = generic_fold_ascii(src, size > 0, dst, &out, gap, any); /* no text leads here */
    uint64_t in_word = *any && !*gap; /* whether the byte before was a letter */
    if (*gap) dst[out++] = ' ';
    for (; size - i >= 64; i += 64) {
        struct folded block = fold_block(_mm512_loadu_si512(src + i));
        if (block.high) break;
        out += store_kept(dst + out, block.bytes, block.letters | block.letters << 1 | in_word);
        in_word = block.letters >> 63;
    }
    if (i < size) {
        size_t left = size - i < 64 ? size - i : 64;
        struct folded block =
            fold_block(_mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (unsigned)left), src + i));
        size_t ascii = (size_t)_tzcnt_u64(block.high), rest = left < ascii ? left : ascii;
        uint64_t letters = _bzhi_u64(block.letters, (unsigned)rest);
        out +=
            store_kept(dst + out, block.bytes, _bzhi_u64(letters | letters << 1 | in_word, (unsigned)rest));
        if (rest) in_word = letters >> (rest - 1) & 1;
        i += rest;
    }
    *gap = !in_word && out > 0;
    out -= *gap;
    *any |= out > 0;
    *written = out;
    return i;
}

/* ---- hash_words ---- */

/* Append where the spaces of 64 bytes are, counted from the start of the block; returns how many. */
static inline size_t list_spaces(uint64_t spaces, size_t offset, uint16_t *ends) {
    static const uint8_t position[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i at = _mm512_maskz_compress_epi8(spaces, _mm512_loadu_si512(position));
    __m512i base = _mm512_set1_epi16((short)offset);
    size_t count = (size_t)_mm_popcnt_u64(spaces);
    _mm512_storeu_si512(ends, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(at)), base));
    if (__builtin_expect(count > 32, 0))
        _mm512_storeu_si512(ends + 32,
                            _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1)), base));
    return count;
}

size_t avx512_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                         size_t *used) {
    const __m512i space = _mm512_set1_epi8(' ');
    uint16_t ends[WORD_BLOCK + 64];
    struct short_words table;
    short_words_init(&table, keys);
    ptrdiff_t word = 0; /* from the start of the block */
    size_t count = 0;
    for (size_t block = 0; block < size; block += WORD_BLOCK) {
        size_t length = size - block < WORD_BLOCK ? size - block : WORD_BLOCK, spaces = 0;
        for (size_t i = 0; i < length; i += 64) {
            size_t left = length - i < 64 ? length - i : 64;
            __mmask64 valid = _bzhi_u64(UINT64_MAX, (unsigned)left);
            __m512i bytes = _mm512_maskz_loadu_epi8(valid, text + block + i);
            spaces += list_spaces(_mm512_cmpeq_epi8_mask(bytes, space), i, ends + spaces);
        }
        count += hash_spans(text + block, &word, ends, spaces, keys, &table, out + count);
        word -= (ptrdiff_t)length;
    }
    *used = (size_t)((ptrdiff_t)size + word);
    return count;
}

/* ---- combine ---- */

static inline __m512i xor_shift(__m512i x) {
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* mix64 of each; count is a multiple of 8. */
static void finish_sums(uint64_t *sums, size_t count, uint64_t finish) {
    const __m512i multiplier = _mm512_set1_epi64((int64_t)MIX64_MULTIPLIER);
    const __m512i last = _mm512_set1_epi64((int64_t)finish);
    for (size_t i = 0; i < count; i += 8) {
        __m512i x = _mm512_xor_si512(_mm512_loadu_si512(sums + i), last);
        x = _mm512_mullo_epi64(xor_shift(x), multiplier);
        x = _mm512_mullo_epi64(xor_shift(x), multiplier);
        _mm512_storeu_si512(sums + i, xor_shift(x));
    }
}

void avx512_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                    uint64_t *out) {
    combine_blocks(tokens, count, window, keys, out, finish_sums);
}
