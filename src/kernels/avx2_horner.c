/* Horner's rule with one carry-less product per instruction. */
#include "kernels/avx2.h"

#include <immintrin.h>

#define LANES 1
typedef __m128i lanes;

static inline lanes lanes_zero(void) {
    return _mm_setzero_si128();
}

static inline lanes lanes_some(const void *bytes, size_t count) {
    (void)count;
    return _mm_loadu_si128((const __m128i *)bytes);
}

static inline lanes lanes_first(__m128i block) {
    return block;
}

static inline lanes lanes_xor(lanes a, lanes b) {
    return _mm_xor_si128(a, b);
}

static inline lanes lanes_swap(lanes a) {
    return _mm_shuffle_epi32(a, 0x4e);
}

#define LANES_PRODUCT(a, b, halves) _mm_clmulepi64_si128((a), (b), (halves))

static inline __m128i lanes_sum(lanes a) {
    return a;
}

#include "kernels/horner_template.h"

void avx2_horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]) {
    horner(r, blocks, count, sum);
}
