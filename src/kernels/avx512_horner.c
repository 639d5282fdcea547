/* Horner's rule with four carry-less products per instruction. */
#include "kernels/avx512.h" /* first: the emulation renames */

#define LANES 4
typedef __m512i lanes;

static inline lanes lanes_zero(void) {
    return _mm512_setzero_si512();
}

static inline lanes lanes_first(__m128i block) {
    return _mm512_zextsi128_si512(block);
}

static inline lanes lanes_some(const void *bytes, size_t count) {
    if (count == LANES) return _mm512_loadu_si512(bytes);
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << 2 * count) - 1), bytes);
}

static inline lanes lanes_xor(lanes a, lanes b) {
    return _mm512_xor_si512(a, b);
}

static inline lanes lanes_swap(lanes a) {
    return _mm512_shuffle_epi32(a, 0x4e);
}

#define LANES_PRODUCT(a, b, halves) _mm512_clmulepi64_epi128((a), (b), (halves))

static inline __m128i lanes_sum(lanes a) {
    __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

#include "kernels/horner_template.h"

void avx512_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]) {
    horner(r, blocks, count, sum);
}
