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

/* Store the bytes selected by keep, side by side. 64 are written if there is any: a store under a mask takes
 * longer. If there is none, the space before them may be taken back, and 64 would be one too many. */
static inline size_t store_kept(uint8_t *dst, __m512i bytes, uint64_t keep) {
    if (keep) _mm512_storeu_si512(dst, _mm512_maskz_compress_epi8(keep, bytes));
    return (size_t)_mm_popcnt_u64(keep);
}

/* The bits of a at even places, those of b at odd ones. */
static inline uint64_t interleave(uint32_t a, uint32_t b) {
    return _pdep_u64(a, UINT64_C(0x5555555555555555)) | _pdep_u64(b, UINT64_C(0xAAAAAAAAAAAAAAAA));
}

/* As store_kept, with a space behind each byte selected by spaces. */
static inline size_t store_spaced(uint8_t *dst, __m512i bytes, uint64_t keep, uint64_t spaces) {
    const __m512i behind = _mm512_set1_epi16(' ' << 8);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)),
            high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1));
    size_t written =
        store_kept(dst, _mm512_or_si512(low, behind), interleave((uint32_t)keep, (uint32_t)spaces));
    return written + store_kept(dst + written, _mm512_or_si512(high, behind),
                                interleave((uint32_t)(keep >> 32), (uint32_t)(spaces >> 32)));
}

static inline uint64_t find_spaces(const uint8_t *text) {
    return _mm512_cmpeq_epi8_mask(vec_load(text), vec_all8(' '));
}

/* The places of the bits, side by side. */
static inline __m512i places_of(uint64_t bits) {
    static const uint8_t position[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(position));
}

/* Append where the spaces of 64 bytes are, counted from the start of the block; returns how many. */
static inline size_t list_spaces(uint64_t spaces, size_t offset, uint16_t *ends) {
    __m512i at = places_of(spaces), base = _mm512_set1_epi16((short)offset);
    size_t count = (size_t)_mm_popcnt_u64(spaces);
    _mm512_storeu_si512(ends, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(at)), base));
    if (__builtin_expect(count > 32, 0))
        _mm512_storeu_si512(ends + 32,
                            _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1)), base));
    return count;
}

/* offset + 1 + the place of each bit; up to 16 more are written. Returns how many there are. */
static inline size_t list_behind(uint64_t spaces, size_t offset, uint32_t *out) {
    __m512i at = places_of(spaces), base = _mm512_set1_epi32((int)(offset + 1));
    size_t count = (size_t)_mm_popcnt_u64(spaces);
    _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(at)), base));
    for (size_t i = 16; __builtin_expect(i < count, 0); i += 16) {
        at = _mm512_alignr_epi64(at, at, 2);
        _mm512_storeu_si512(out + i,
                            _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(at)), base));
    }
    return count;
}

/* Products with powers of the multiplier, which do not wait for each other, are quicker than sums that roll
 * on as long as a window has few tokens. */
#define POWERS_MOST 8

/* Fingerprints of `windows` windows, in whole vectors; returns how many were made. */
__attribute__((always_inline)) static inline size_t combine_window(const uint64_t *tokens, size_t windows,
                                                                   size_t window, const struct mix_keys *keys,
                                                                   uint64_t *out) {
    const vec last = vec_all64(keys->finish);
    vec power[POWERS_MOST] = {vec_all64(1)};
    for (size_t i = 1; i < window; i++)
        power[i] = _mm512_mullo_epi64(power[i - 1], vec_all64(keys->multiplier));
    size_t at = 0;
    for (; windows - at >= VEC_LANES; at += VEC_LANES) {
        vec sum = vec_load(tokens + at + window - 1);
        for (size_t i = 1; i < window; i++)
            sum = _mm512_add_epi64(sum, _mm512_mullo_epi64(vec_load(tokens + at + window - 1 - i), power[i]));
        vec_store(out + at, vec_mix64(vec_xor(sum, last)));
    }
    return at;
}

/* The usual window is known when this is compiled. */
static size_t combine_few(const uint64_t *tokens, size_t windows, size_t window, const struct mix_keys *keys,
                          uint64_t *out) {
    if (window == 5) return combine_window(tokens, windows, 5, keys, out);
    return window <= POWERS_MOST ? combine_window(tokens, windows, window, keys, out) : 0;
}

#include "kernels/fold_template.h"
#include "kernels/text_template.h"
