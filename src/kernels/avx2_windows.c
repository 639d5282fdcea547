/* Hashes of windows of characters: windows_template.h four lanes at a time. */
#include "kernels/avx2_vector.h"

static inline vec vec_add64(vec a, vec b) {
    return _mm256_add_epi64(a, b);
}

static inline vec vec_widen(const uint32_t *chars) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)chars));
}

static inline vec vec_half_mix(vec a) {
    a = vec_multiply64(vec_xor(a, _mm256_srli_epi64(a, 32)), vec_all64(MIX64_MULTIPLIER));
    return vec_xor(a, _mm256_srli_epi64(a, 32));
}

static inline unsigned zero_lanes(vec a, vec mask) {
    const vec zeros = _mm256_cmpeq_epi64(vec_and(a, mask), vec_zero());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(zeros));
}

#include "kernels/windows_template.h"
