/*
 * Text with AVX-512: the loops of fold_template.h and text_template.h with the instructions that avx2_text.c
 * had to do without; bytes are moved together by one compression (VBMI2).
 */
#include "kernels/avx512_vector.h"

static inline vec_map vec_tops(vec raw) {
    return _mm512_movepi8_mask(raw);
}

static inline vec_map vec_leads(vec raw) {
    return _mm512_cmpgt_epu8_mask(raw, vec_all8(0xBF));
}

static inline vec fold_block(vec raw, vec_map *letters) {
    vec lower = _mm512_or_si512(raw, vec_all8(0x20)); /* leaves digits as they are */
    *letters = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, vec_all8('a')), vec_all8(26)) |
               _mm512_cmplt_epu8_mask(_mm512_sub_epi8(raw, vec_all8('0')), vec_all8(10));
    return _mm512_mask_mov_epi8(vec_all8(' '), *letters, lower);
}

/* Bit 6 tells leading bytes from those that continue. */
static inline vec lower_latin(vec raw) {
    return _mm512_or_si512(raw, _mm512_srli_epi16(_mm512_andnot_si512(raw, vec_all8(0x40)), 1));
}

static inline vec mix_block(vec folded, vec raw, vec_map letters) {
    vec mixed = _mm512_mask_mov_epi8(folded, _mm512_movepi8_mask(raw), raw);
    return _mm512_mask_mov_epi8(vec_all8(' '), letters, mixed);
}

/* Store the bytes selected by keep, side by side, and nothing behind them. */
static inline size_t store_kept(uint8_t *dst, __m512i bytes, uint64_t keep) {
    size_t count = (size_t)_mm_popcnt_u64(keep);
    _mm512_mask_storeu_epi8(dst, _bzhi_u64(UINT64_MAX, (unsigned)count),
                            _mm512_maskz_compress_epi8(keep, bytes));
    return count;
}

static inline uint64_t find_spaces(const uint8_t *text) {
    return _mm512_cmpeq_epi8_mask(vec_load(text), vec_all8(' '));
}

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

#include "kernels/fold_template.h"
#include "kernels/text_template.h"
