/*
 * Text with AVX2: canonical form of ASCII, word hashes, fingerprints of word windows.
 *
 * English text has something to remove (", " or ". ") in every second block of 32 bytes, so bytes are moved
 * together without a branch, eight at a time, by shuffles looked up from the mask of what stays.
 */
#include <immintrin.h>

#include "kernels/avx2.h"
#include "kernels/avx2_multiply.h"
#include "kernels/set_bits.h"
#include "kernels/words.h"

/* ---- fold_ascii ---- */

struct folded {
    __m256i bytes;    /* lower case letters and digits, everything else a space */
    uint32_t letters; /* which are letters or digits */
    uint32_t high;    /* which are not ASCII */
};

static inline struct folded fold_block(const uint8_t *src) {
    __m256i raw = _mm256_loadu_si256((const __m256i *)src);
    __m256i lower = _mm256_or_si256(raw, _mm256_set1_epi8(0x20)); /* leaves digits as they are */
    /* Moved to the top of the signed range, a range of bytes is one comparison. */
    __m256i letter =
        _mm256_cmpgt_epi8(_mm256_add_epi8(lower, _mm256_set1_epi8(127 - 'z')), _mm256_set1_epi8(127 - 26));
    __m256i digit =
        _mm256_cmpgt_epi8(_mm256_add_epi8(raw, _mm256_set1_epi8(127 - '9')), _mm256_set1_epi8(127 - 10));
    __m256i alnum = _mm256_or_si256(letter, digit);
    return (struct folded){
        .bytes = _mm256_blendv_epi8(_mm256_set1_epi8(' '), lower, alnum),
        .letters = (uint32_t)_mm256_movemask_epi8(alnum),
        .high = (uint32_t)_mm256_movemask_epi8(raw),
    };
}

/* Store the bytes selected by keep, side by side; up to 32 bytes are written. */
static inline size_t store_kept(uint8_t *dst, __m256i bytes, uint32_t keep) {
    __m256i order = _mm256_set_epi64x((int64_t)set_bits[keep >> 24], (int64_t)set_bits[keep >> 16 & 255],
                                      (int64_t)set_bits[keep >> 8 & 255], (int64_t)set_bits[keep & 255]);
    const int64_t upper = 0x0808080808080808; /* every second group of eight is the upper half of a lane */
    __m256i packed =
        _mm256_shuffle_epi8(bytes, _mm256_or_si256(order, _mm256_set_epi64x(upper, 0, upper, 0)));
    __m128i first = _mm256_castsi256_si128(packed), second = _mm256_extracti128_si256(packed, 1);
    _mm_storel_epi64((__m128i *)dst, first);
    _mm_storeh_pi((__m64 *)(dst + _mm_popcnt_u32(keep & 0xff)), _mm_castsi128_ps(first));
    _mm_storel_epi64((__m128i *)(dst + _mm_popcnt_u32(keep & 0xffff)), second);
    _mm_storeh_pi((__m64 *)(dst + _mm_popcnt_u32(keep & 0xffffff)), _mm_castsi128_ps(second));
    return (size_t)_mm_popcnt_u32(keep);
}

/* A space is written at once behind a word, and taken back at the end if no other word followed. */
size_t avx2_fold_ascii(const uint8_t *src, size_t size, uint8_t *dst, size_t *written, bool *gap, bool *any) {
    size_t out = 0, i = 0;
    if (*gap && !*any) i = generic_fold_ascii(src, size > 0, dst, &out, gap, any); /* no text leads here */
    uint32_t in_word = *any && !*gap; /* whether the byte before was a letter */
    if (*gap) dst[out++] = ' ';
    for (; size - i >= 32; i += 32) {
        struct folded block = fold_block(src + i);
        if (block.high) break;
        out += store_kept(dst + out, block.bytes, block.letters | block.letters << 1 | in_word);
        in_word = block.letters >> 31;
    }
    if (i < size) {
        struct folded block = fold_block(src + i);
        size_t ascii = block.high ? _tzcnt_u32(block.high) : 32;
        size_t rest = size - i < ascii ? size - i : ascii;
        uint32_t letters = _bzhi_u32(block.letters, (unsigned)rest);
        out +=
            store_kept(dst + out, block.bytes, _bzhi_u32(letters | letters << 1 | in_word, (unsigned)rest));
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
    const __m128i step = _mm_set1_epi16(8);
    __m128i base = _mm_set1_epi16((short)offset);
    size_t count = 0;
    for (size_t group = 0; group < 8; group++, spaces >>= 8) {
        __m128i at = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)&set_bits[spaces & 255]));
        _mm_storeu_si128((__m128i *)(ends + count), _mm_add_epi16(at, base));
        base = _mm_add_epi16(base, step);
        count += (size_t)_mm_popcnt_u64(spaces & 255);
    }
    return count;
}

static inline uint64_t find_spaces(const uint8_t *text) {
    const __m256i space = _mm256_set1_epi8(' ');
    __m256i low = _mm256_loadu_si256((const __m256i *)text),
            high = _mm256_loadu_si256((const __m256i *)(text + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, space)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, space)) << 32;
}

size_t avx2_hash_words(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                       size_t *used) {
    uint16_t ends[WORD_BLOCK + 8];
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

/* ---- combine ---- */

/* mix64 of each; count is a multiple of 4. */
static void finish_sums(uint64_t *sums, size_t count, uint64_t finish) {
    const __m256i last = _mm256_set1_epi64x((int64_t)finish);
    for (size_t i = 0; i < count; i += 4) {
        __m256i *four = (__m256i *)(sums + i);
        _mm256_storeu_si256(four, mix64_four(_mm256_xor_si256(_mm256_loadu_si256(four), last)));
    }
}

void avx2_combine(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                  uint64_t *out) {
    combine_blocks(tokens, count, window, keys, out, finish_sums);
}
