/* Products modulo 2^64, which AVX2 has no instruction for. */
#ifndef KERNELS_AVX2_MULTIPLY_H
#define KERNELS_AVX2_MULTIPLY_H

#include <immintrin.h>

static inline __m256i swap_halves(__m256i four) {
    return _mm256_shuffle_epi32(four, _MM_SHUFFLE(2, 3, 0, 1));
}

/* By a constant that is given with its 32-bit halves swapped, too. */
static inline __m256i multiply4(__m256i four, __m256i factor, __m256i swapped) {
    __m256i low = _mm256_mul_epu32(four, factor), cross = _mm256_mullo_epi32(four, swapped);
    __m256i sum = _mm256_add_epi32(cross, _mm256_slli_epi64(cross, 32));
    return _mm256_add_epi64(low, _mm256_blend_epi32(_mm256_setzero_si256(), sum, 0xaa));
}

#endif
