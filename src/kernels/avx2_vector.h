/* What the templates (*_template.h) are written in, at 32 bytes;
 * avx512_vector.h has the same words for 64. */
#ifndef KERNELS_AVX2_VECTOR_H
#define KERNELS_AVX2_VECTOR_H

#include <immintrin.h>

#include "kernels/avx2.h"
#include "kernels/avx2_multiply.h"

typedef __m256i vec;
typedef uint32_t vec_map; /* a bit per byte */

#define VEC_BYTES    32
#define VEC_LANES    4 /* of 64 bits */
#define KERNEL(name) avx2_##name

static inline vec vec_load(const void *bytes) {
    return _mm256_loadu_si256((const __m256i *)bytes);
}

static inline void vec_store(void *bytes, vec a) {
    _mm256_storeu_si256((__m256i *)bytes, a);
}

static inline vec vec_zero(void) {
    return _mm256_setzero_si256();
}

static inline vec vec_all8(int byte) {
    return _mm256_set1_epi8((char)byte);
}

static inline vec vec_all64(uint64_t number) {
    return _mm256_set1_epi64x((int64_t)number);
}

static inline vec vec_and(vec a, vec b) {
    return _mm256_and_si256(a, b);
}

static inline vec vec_xor(vec a, vec b) {
    return _mm256_xor_si256(a, b);
}

/* 16 bytes in every lane of 128 bits. */
static inline vec vec_repeat(const void *bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Bytes of each lane of 128 bits, by their places in it. */
static inline vec vec_shuffle(vec lanes, vec places) {
    return _mm256_shuffle_epi8(lanes, places);
}

/* Bits 3 to 5 of each byte. */
static inline vec vec_eighths(vec a) {
    return vec_and(_mm256_srli_epi16(a, 3), vec_all8(7));
}

static inline vec vec_high_nibbles(vec a) {
    return vec_and(_mm256_srli_epi16(a, 4), vec_all8(15));
}

/* Which bytes are zero under the mask. */
static inline vec_map vec_zeros(vec a, vec mask) {
    return (vec_map)_mm256_movemask_epi8(_mm256_cmpeq_epi8(vec_and(a, mask), vec_zero()));
}

/* Which bytes are this one, and which this one or above, that is not 0. */
static inline vec_map vec_same(vec a, int byte) {
    return (vec_map)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, vec_all8(byte)));
}

static inline vec_map vec_from(vec a, int byte) {
    return (vec_map)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, vec_all8(byte)), a));
}

/* Which bytes continue a character in UTF-8. */
static inline vec_map vec_continues(vec a) {
    return (vec_map)_mm256_movemask_epi8(_mm256_cmpgt_epi8(vec_all8((int)-64), a));
}

/* Modulo 2^64. */
static inline vec vec_multiply64(vec a, vec factor) {
    return multiply4(a, factor, swap_halves(factor));
}

/* mix64 of base/rng.h. */
static inline vec vec_mix64(vec x) {
    return mix64_four(x);
}

#endif
