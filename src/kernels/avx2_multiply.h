/* Products modulo 2^64, which AVX2 has no instruction for. */
#ifndef KERNELS_AVX2_MULTIPLY_H
#define KERNELS_AVX2_MULTIPLY_H

#include <immintrin.h>

#include "base/rng.h"

static inline __m256i swap_halves(__m256i four) {
    return _mm256_shuffle_epi32(four, _MM_SHUFFLE(2, 3, 0, 1));
}

/* By a constant that is given with its 32-bit halves swapped, too. */
static inline __m256i multiply4(__m256i four, __m256i factor, __m256i swapped) {
    __m256i low = _mm256_mul_epu32(four, factor), cross = _mm256_mullo_epi32(four, swapped);
    __m256i sum = _mm256_add_epi32(cross, _mm256_slli_epi64(cross, 32));
    return _mm256_add_epi64(low, _mm256_blend_epi32(_mm256_setzero_si256(), sum, 0xaa));
}

/* By a constant that is given as its two halves in every lane: three short products, which is what the many
 * values of a mix are limited by. */
static inline __m256i multiply_low(__m256i four, __m256i low, __m256i high) {
    __m256i cross =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(four, 32), low), _mm256_mul_epu32(four, high));
    return _mm256_add_epi64(_mm256_mul_epu32(four, low), _mm256_slli_epi64(cross, 32));
}

/* mix64 of base/rng.h. */
static inline __m256i mix64_four(__m256i x) {
    const __m256i low = _mm256_set1_epi64x(MIX64_MULTIPLIER & UINT32_MAX);
    const __m256i high = _mm256_set1_epi64x(MIX64_MULTIPLIER >> 32);
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    x = multiply_low(x, low, high);
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    x = multiply_low(x, low, high);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
}

#endif
