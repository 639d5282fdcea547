/* Horner's rule with two carry-less products per instruction (VPCLMULQDQ). */
#include "kernels/avx2.h"

#include <immintrin.h>

#define LANES 2
typedef __m256i lanes;

static inline lanes lanes_zero(void) {
    return _mm256_setzero_si256();
}

static inline lanes lanes_first(__m128i block) {
    return _mm256_zextsi128_si256(block);
}

static inline lanes lanes_some(const void *bytes, size_t count) {
    if (count == 1) return lanes_first(_mm_loadu_si128((const __m128i *)bytes));
    return _mm256_loadu_si256((const __m256i *)bytes);
}

static inline lanes lanes_xor(lanes a, lanes b) {
    return _mm256_xor_si256(a, b);
}

static inline lanes lanes_swap(lanes a) {
    return _mm256_shuffle_epi32(a, 0x4e);
}

#define LANES_PRODUCT(a, b, halves) _mm256_clmulepi64_epi128((a), (b), (halves))

static inline __m128i lanes_sum(lanes a) {
    return _mm_xor_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

#include "kernels/horner_template.h"

void avx2_clmul_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]) {
    horner(r, blocks, count, sum);
}
