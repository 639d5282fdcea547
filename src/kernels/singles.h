/*
 * Eight characters of three bytes at a time, each to be followed by a space: for AVX2, and for AVX-512, whose
 * longer vectors would not be filled by what stands between two commas.
 */
#ifndef KERNELS_SINGLES_H
#define KERNELS_SINGLES_H

#include "kernels/run_chars.h"

#define SINGLES 8

/* Which numbers are in one of the ranges of run_singles. */
static inline __m256i in_ranges(__m256i numbers) {
    __m256i in = _mm256_setzero_si256();
    for (int i = 0; i < RUN_RANGES; i++) {
        __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)run_singles[i][0]), numbers);
        __m256i above = _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32((int)run_singles[i][1]));
        in = _mm256_or_si256(in, _mm256_cmpeq_epi32(below, above)); /* neither */
    }
    return in;
}

/* Writes the characters at `src` that are in the ranges, up to the first that is not, and returns how many.
 * 28 bytes are read and 32 written. */
static inline size_t space_singles(const uint8_t *src, uint8_t *dst) {
    const __m128i forward = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i backward = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
    __m256i raw = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)src)),
                                          _mm_loadu_si128((const __m128i *)(src + 12)), 1);
    __m256i spaced = _mm256_shuffle_epi8(raw, _mm256_broadcastsi128_si256(forward));
    __m256i numbers = _mm256_shuffle_epi8(raw, _mm256_broadcastsi128_si256(backward));
    __m256i shape = _mm256_and_si256(numbers, _mm256_set1_epi32(0xF0C0C0));
    __m256i good =
        _mm256_and_si256(in_ranges(numbers), _mm256_cmpeq_epi32(shape, _mm256_set1_epi32(0xE08080)));
    _mm256_storeu_si256((__m256i *)dst, _mm256_or_si256(spaced, _mm256_set1_epi32(' ' << 24)));
    return (size_t)__builtin_ctz(~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(good)));
}

#endif
