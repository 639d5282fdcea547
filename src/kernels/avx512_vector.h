/* What the templates (*_template.h) are written in, at 64 bytes; avx2_vector.h has the same words for 32. */
#ifndef KERNELS_AVX512_VECTOR_H
#define KERNELS_AVX512_VECTOR_H

#include "kernels/avx512.h" /* first: the emulation renames */

#include "base/rng.h"

typedef __m512i vec;
typedef uint64_t vec_map; /* a bit per byte */

#define VEC_BYTES    64
#define VEC_LANES    8 /* of 64 bits */
#define KERNEL(name) avx512_##name

static inline vec vec_load(const void *bytes) {
    return _mm512_loadu_si512(bytes);
}

static inline void vec_store(void *bytes, vec a) {
    _mm512_storeu_si512(bytes, a);
}

static inline vec vec_zero(void) {
    return _mm512_setzero_si512();
}

static inline vec vec_all8(int byte) {
    return _mm512_set1_epi8((char)byte);
}

static inline vec vec_all64(uint64_t number) {
    return _mm512_set1_epi64((int64_t)number);
}

static inline vec vec_and(vec a, vec b) {
    return _mm512_and_si512(a, b);
}

static inline vec vec_xor(vec a, vec b) {
    return _mm512_xor_si512(a, b);
}

/* 16 bytes in every lane of 128 bits. */
static inline vec vec_repeat(const void *bytes) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)bytes));
}

/* Bytes of each lane of 128 bits, by their places in it. */
static inline vec vec_shuffle(vec lanes, vec places) {
    return _mm512_shuffle_epi8(lanes, places);
}

/* Bits 3 to 5 of each byte. */
static inline vec vec_eighths(vec a) {
    return vec_and(_mm512_srli_epi16(a, 3), vec_all8(7));
}

static inline vec vec_high_nibbles(vec a) {
    return vec_and(_mm512_srli_epi16(a, 4), vec_all8(15));
}

/* Which bytes are zero under the mask. */
static inline vec_map vec_zeros(vec a, vec mask) {
    return _mm512_testn_epi8_mask(a, mask);
}

/* Which bytes are this one, and which this one or above, that is not 0. */
static inline vec_map vec_same(vec a, int byte) {
    return _mm512_cmpeq_epi8_mask(a, vec_all8(byte));
}

static inline vec_map vec_from(vec a, int byte) {
    return _mm512_cmpgt_epu8_mask(a, vec_all8(byte - 1));
}

/* Which bytes continue a character in UTF-8. */
static inline vec_map vec_continues(vec a) {
    return vec_zeros(vec_xor(a, vec_all8(0x80)), vec_all8(0xC0));
}

/* Modulo 2^64. */
static inline vec vec_multiply64(vec a, vec factor) {
    return _mm512_mullo_epi64(a, factor);
}

/* mix64 of base/rng.h. */
static inline vec vec_mix64(vec x) {
    const vec multiplier = vec_all64(MIX64_MULTIPLIER);
    for (int round = 0; round < 2; round++)
        x = vec_multiply64(vec_xor(x, _mm512_srli_epi64(x, 32)), multiplier);
    return vec_xor(x, _mm512_srli_epi64(x, 32));
}

#endif
