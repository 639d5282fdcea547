/* Products modulo 2^64, which AVX2 has no instruction for. */
#ifndef KERNELS_AVX2_MULTIPLY_H
#define KERNELS_AVX2_MULTIPLY_H

#include <immintrin.h>

#include "base/rng.h"

static inline __m256i swap_halves(__m256i four) {
    return _mm256_shuffle_epi32(four, _MM_SHUFFLE(2, 3, 0, 1));
}

/* By a factor that is given with its 32-bit halves swapped, too. */
static inline __m256i multiply4(__m256i four, __m256i factor, __m256i swapped) {
    __m256i cross =
        _mm256_add_epi64(_mm256_mul_epu32(swap_halves(four), factor), _mm256_mul_epu32(four, swapped));
    return _mm256_add_epi64(_mm256_mul_epu32(four, factor), _mm256_slli_epi64(cross, 32));
}

/* mix64 of base/rng.h. */
static inline __m256i mix64_four(__m256i x) {
    const __m256i factor = _mm256_set1_epi64x((int64_t)MIX64_MULTIPLIER), swapped = swap_halves(factor);
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    x = multiply4(x, factor, swapped);
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    x = multiply4(x, factor, swapped);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
}

#endif
