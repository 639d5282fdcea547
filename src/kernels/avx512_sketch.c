/* Sampling fingerprints, and making and comparing sketches of them, eight lanes at a time. */
#include "kernels/avx512.h"

#include "base/rng.h"
#include "kernels/avx2.h"
#include "kernels/divisor.h"
#include "kernels/generic.h"

/* ---- samples ---- */

/* The first `count` of eight lanes. */
static inline __mmask8 first_lanes(size_t count) {
    return count >= 8 ? 0xff : (__mmask8)((1u << count) - 1);
}

/* Values that are kept move together; storing a whole register is quicker than storing under a mask. */
static inline size_t append(uint64_t *out, __m512i values, __mmask8 keep) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(keep, values));
    return (size_t)__builtin_popcount(keep);
}

size_t avx512_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out) {
    const struct divisor divisor = divisor_of(n);
    const __m512i inverse = _mm512_set1_epi64((int64_t)divisor.inverse);
    const __m512i limit = _mm512_set1_epi64((int64_t)divisor.limit);
    const __m512i shift = _mm512_set1_epi64(divisor.shift);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 8) {
        __mmask8 lanes = first_lanes(count - i);
        __m512i eight = _mm512_maskz_loadu_epi64(lanes, values + i);
        __m512i product = _mm512_rorv_epi64(_mm512_mullo_epi64(eight, inverse), shift);
        kept += append(out + kept, eight, lanes & _mm512_cmple_epu64_mask(product, limit));
    }
    return kept;
}

size_t avx512_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out) {
    const __m512i limits = _mm512_set1_epi64((int64_t)limit);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 8) {
        __mmask8 lanes = first_lanes(count - i);
        __m512i eight = _mm512_maskz_loadu_epi64(lanes, values + i);
        kept += append(out + kept, eight, lanes & _mm512_cmple_epu64_mask(eight, limits));
    }
    return kept;
}

/* ---- Sketch_n ---- */

#define VALUE_BLOCK 512 /* values that stay in the first-level cache while all functions see them */

struct functions8 {
    __m512i a, b, c, minima;
};

static inline struct functions8 functions8_load(const uint64_t *coefficients, size_t n,
                                                const uint64_t *minima, __mmask8 lanes) {
    return (struct functions8){
        _mm512_maskz_loadu_epi64(lanes, coefficients), _mm512_maskz_loadu_epi64(lanes, coefficients + n),
        _mm512_maskz_loadu_epi64(lanes, coefficients + 2 * n), _mm512_maskz_loadu_epi64(lanes, minima)};
}

static inline void functions8_see(struct functions8 *f, uint64_t value) {
    __m512i low = _mm512_set1_epi64((int64_t)value), high = _mm512_set1_epi64((int64_t)(value >> 32));
    __m512i sum = _mm512_add_epi64(_mm512_mul_epu32(f->a, low), _mm512_mul_epu32(f->b, high));
    f->minima = _mm512_min_epu64(f->minima, _mm512_rol_epi64(_mm512_add_epi64(sum, f->c), 32));
}

/* Two registers of functions at a time hide the latency of the multiplications. */
static void minhash_block(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                          size_t count) {
    for (size_t i = 0; i < n; i += 16) {
        __mmask8 lanes = first_lanes(n - i), more = n - i > 8 ? first_lanes(n - i - 8) : 0;
        size_t second = more ? i + 8 : i;
        struct functions8 f = functions8_load(coefficients + i, n, minima + i, lanes);
        struct functions8 g = functions8_load(coefficients + second, n, minima + second, more);
        for (size_t v = 0; v < count; v++) {
            functions8_see(&f, values[v]);
            functions8_see(&g, values[v]);
        }
        _mm512_mask_storeu_epi64(minima + i, lanes, f.minima);
        _mm512_mask_storeu_epi64(minima + second, more, g.minima);
    }
}

void avx512_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                           size_t count) {
    for (size_t begin = 0; begin < count; begin += VALUE_BLOCK) {
        size_t size = count - begin < VALUE_BLOCK ? count - begin : VALUE_BLOCK;
        minhash_block(minima, n, coefficients, values + begin, size);
    }
}

/* ---- simhash: vertical counters, as in avx2_sketch.c ---- */

#define PLANES 18
struct bit_counters {
    __m512i plane[PLANES];
};

/* Full adder: the sum of three bits is 2 carry + sum; the constants are the truth tables of majority and xor.
 */
static inline __m512i add_bits(__m512i *sum, __m512i a, __m512i b) {
    __m512i carry = _mm512_ternarylogic_epi64(*sum, a, b, 0xe8);
    *sum = _mm512_ternarylogic_epi64(*sum, a, b, 0x96);
    return carry;
}

static inline void count_eight(struct bit_counters *c, const __m512i v[8]) {
    __m512i twos[4], fours[2];
    for (int i = 0; i < 4; i++) twos[i] = add_bits(&c->plane[0], v[2 * i], v[2 * i + 1]);
    for (int i = 0; i < 2; i++) fours[i] = add_bits(&c->plane[1], twos[2 * i], twos[2 * i + 1]);
    __m512i carry = add_bits(&c->plane[2], fours[0], fours[1]);
    for (int k = 3; k < PLANES && _mm512_test_epi64_mask(carry, carry); k++) {
        __m512i next = _mm512_and_si512(c->plane[k], carry);
        c->plane[k] = _mm512_xor_si512(c->plane[k], carry);
        carry = next;
    }
}

static inline __m512i mix8(__m512i x) {
    const __m512i multiplier = _mm512_set1_epi64((int64_t)MIX64_MULTIPLIER);
    for (int round = 0; round < 2; round++)
        x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)), multiplier);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* Up to 64 values: no bits where there is no value. */
static inline void count_batch(struct bit_counters *counters, uint64_t seed, const uint64_t *values,
                               size_t count) {
    const __m512i seeds = _mm512_set1_epi64((int64_t)seed);
    __m512i mixed[8];
    for (size_t i = 0; i < 8; i++) {
        __mmask8 lanes = 8 * i < count ? first_lanes(count - 8 * i) : 0;
        __m512i eight = _mm512_maskz_loadu_epi64(lanes, values + (lanes ? 8 * i : 0));
        mixed[i] = _mm512_maskz_mov_epi64(lanes, mix8(_mm512_xor_si512(eight, seeds)));
    }
    count_eight(counters, mixed);
}

/* At most as many values as the counters hold; each set bit counts 2, each value -1. */
static void simhash_part(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    struct bit_counters counters = {0};
    for (size_t i = 0; i < count; i += 64) count_batch(&counters, seed, values + i, count - i);
    int planes = 64 - __builtin_clzll(count / 8 + 8); /* the others are zero */
    uint64_t bits[PLANES * 8];
    for (int k = 0; k < planes; k++) _mm512_storeu_si512(bits + 8 * k, counters.plane[k]);
    avx2_add_planes(sums, bits, planes, 8);
    for (int bit = 0; bit < 64; bit++) sums[bit] -= (int64_t)count;
}

void avx512_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    const size_t most = (size_t)1 << PLANES; /* an eighth of what the planes hold in eight lanes */
    for (; count > most; values += most, count -= most) simhash_part(sums, seed, values, most);
    if (count > 0) simhash_part(sums, seed, values, count);
}

/* ---- comparing bit strings ---- */

/* The first `size` of 64 bytes. */
static inline __mmask64 first_bytes(size_t size) {
    return size >= 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
}

/* A set bit for each differing field of 1, 2 or 4 bits. */
static inline __m512i differing_fields(__m512i a, __m512i b, int bits) {
    __m512i differing = _mm512_xor_si512(a, b);
    if (bits >= 2) differing = _mm512_or_si512(differing, _mm512_srli_epi64(differing, 1));
    if (bits >= 4) differing = _mm512_or_si512(differing, _mm512_srli_epi64(differing, 2));
    const int lowest[5] = {0, 0xff, 0x55, 0, 0x11};
    return _mm512_and_si512(differing, _mm512_set1_epi8((char)lowest[bits]));
}

static inline uint64_t count_differing(const uint8_t *a, const uint8_t *b, size_t size, int bits) {
    __m512i total = _mm512_setzero_si512();
    for (size_t i = 0; i < size; i += 64) {
        __mmask64 inside = first_bytes(size - i);
        __m512i x = _mm512_maskz_loadu_epi8(inside, a + i), y = _mm512_maskz_loadu_epi8(inside, b + i);
        total = _mm512_add_epi64(total, _mm512_popcnt_epi64(differing_fields(x, y, bits)));
    }
    return (uint64_t)_mm512_reduce_add_epi64(total);
}

static uint64_t count_equal_bytes(const uint8_t *a, const uint8_t *b, size_t size) {
    uint64_t equal = 0;
    for (size_t i = 0; i < size; i += 64) {
        __mmask64 inside = first_bytes(size - i);
        __m512i x = _mm512_maskz_loadu_epi8(inside, a + i), y = _mm512_maskz_loadu_epi8(inside, b + i);
        equal += (uint64_t)__builtin_popcountll(inside & _mm512_cmpeq_epi8_mask(x, y));
    }
    return equal;
}

static uint64_t count_equal_pairs(const uint8_t *a, const uint8_t *b, size_t size) {
    uint64_t equal = 0;
    for (size_t i = 0; i < size; i += 64) {
        __mmask64 inside = first_bytes(size - i);
        __m512i x = _mm512_maskz_loadu_epi8(inside, a + i), y = _mm512_maskz_loadu_epi8(inside, b + i);
        uint32_t fields = size - i >= 64 ? UINT32_MAX : (UINT32_C(1) << (size - i) / 2) - 1;
        equal += (uint64_t)__builtin_popcount(fields & _mm512_cmpeq_epi16_mask(x, y));
    }
    return equal;
}

uint64_t avx512_hamming(const uint8_t *a, const uint8_t *b, size_t size) {
    return count_differing(a, b, size, 1);
}

uint64_t avx512_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits) {
    size_t whole = count * (size_t)bits / 8; /* bytes; fields that do not fill one are left */
    if (bits == 16) return count_equal_pairs(a, b, whole);
    if (bits == 8) return count_equal_bytes(a, b, whole);
    size_t fields = whole * 8 / (size_t)bits;
    return fields - count_differing(a, b, whole, bits) +
           generic_equal_fields(a + whole, b + whole, count - fields, bits);
}
