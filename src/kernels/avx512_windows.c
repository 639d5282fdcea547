/* Hashes of windows of characters: windows_template.h eight lanes at a time. */
#include "kernels/avx512_vector.h"

static inline vec vec_add64(vec a, vec b) {
    return _mm512_add_epi64(a, b);
}

static inline vec vec_widen(const uint32_t *chars) {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)chars));
}

static inline vec vec_half_mix(vec a) {
    a = vec_multiply64(vec_xor(a, _mm512_srli_epi64(a, 32)), vec_all64(MIX64_MULTIPLIER));
    return vec_xor(a, _mm512_srli_epi64(a, 32));
}

static inline unsigned zero_lanes(vec a, vec mask) {
    return _mm512_testn_epi64_mask(a, mask);
}

#include "kernels/windows_template.h"
