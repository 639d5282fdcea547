/*
 * Sampling fingerprints, and making and comparing sketches of them.
 *
 * Most of it is the portable loop four lanes at a time. AVX2 compares 64-bit numbers as signed only: flipping
 * the top bit on both sides makes that the unsigned order.
 */
#include "base/rng.h"
#include "kernels/avx2.h"
#include "kernels/avx2_multiply.h"
#include "kernels/divisor.h"
#include "kernels/generic.h"

#include <immintrin.h>

static inline __m256i load4(const uint64_t *values) {
    return _mm256_loadu_si256((const __m256i *)values);
}

static inline void store4(uint64_t *values, __m256i lanes) {
    _mm256_storeu_si256((__m256i *)values, lanes);
}

static inline __m256i top_bits(void) {
    return _mm256_set1_epi64x(INT64_MIN);
}

/* ---- samples ---- */

/* Which 32-bit halves move to the front, for each set of the four values that are kept. */
static const uint32_t compress_order[16][8] = {
    {0},
    {0, 1},
    {2, 3},
    {0, 1, 2, 3},
    {4, 5},
    {0, 1, 4, 5},
    {2, 3, 4, 5},
    {0, 1, 2, 3, 4, 5},
    {6, 7},
    {0, 1, 6, 7},
    {2, 3, 6, 7},
    {0, 1, 2, 3, 6, 7},
    {4, 5, 6, 7},
    {0, 1, 4, 5, 6, 7},
    {2, 3, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7},
};

/* Keep the values selected by a bit each, at the front; writes four. */
static inline size_t keep4(uint64_t *out, __m256i four, unsigned keep) {
    __m256i order = _mm256_loadu_si256((const __m256i *)compress_order[keep]);
    store4(out, _mm256_permutevar8x32_epi32(four, order));
    return (size_t)__builtin_popcount(keep);
}

/* Whether each is above a limit whose top bit is flipped: a bit each. */
static inline unsigned above4(__m256i four, __m256i flipped_limit) {
    __m256i above = _mm256_cmpgt_epi64(_mm256_xor_si256(four, top_bits()), flipped_limit);
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(above));
}

/* divisor.h four at a time; no branch, because what is kept cannot be foreseen. */
size_t avx2_filter_mod(const uint64_t *values, size_t count, uint64_t n, uint64_t *out) {
    const struct divisor divisor = divisor_of(n);
    const __m256i limit = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)divisor.limit), top_bits());
    const __m256i inverse = _mm256_set1_epi64x((int64_t)divisor.inverse);
    const __m256i swapped = swap_halves(inverse);
    const __m128i right = _mm_cvtsi32_si128(divisor.shift), left = _mm_cvtsi32_si128(64 - divisor.shift);
    size_t kept = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i four = load4(values + i), product = multiply4(four, inverse, swapped);
        product = _mm256_or_si256(_mm256_srl_epi64(product, right), _mm256_sll_epi64(product, left));
        kept += keep4(out + kept, four, 15u ^ above4(product, limit));
    }
    return kept + generic_filter_mod(values + i, count - i, n, out + kept);
}

size_t avx2_filter_below(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out) {
    const __m256i flipped_limit = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)limit), top_bits());
    size_t kept = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i four = load4(values + i);
        kept += keep4(out + kept, four, 15u ^ above4(four, flipped_limit));
    }
    return kept + generic_filter_below(values + i, count - i, limit, out + kept);
}

/* ---- Sketch_n ---- */

#define VALUE_BLOCK 512 /* values that stay in the first-level cache while all functions see them */

/* Four functions; sums carry the flipped top bit of the half that decides. */
struct functions4 {
    __m256i a, b, c, minima;
};

static inline struct functions4 functions4_load(const uint64_t *coefficients, size_t n,
                                                const uint64_t *minima) {
    return (struct functions4){load4(coefficients), load4(coefficients + n), load4(coefficients + 2 * n),
                               _mm256_xor_si256(load4(minima), top_bits())};
}

static inline void functions4_see(struct functions4 *f, uint64_t value) {
    __m256i low = _mm256_set1_epi64x((int64_t)value), high = _mm256_set1_epi64x((int64_t)(value >> 32));
    __m256i sum = _mm256_add_epi64(_mm256_mul_epu32(f->a, low), _mm256_mul_epu32(f->b, high));
    __m256i hash = _mm256_shuffle_epi32(_mm256_add_epi64(sum, f->c), _MM_SHUFFLE(2, 3, 0, 1));
    hash = _mm256_xor_si256(hash, top_bits());
    f->minima = _mm256_blendv_epi8(f->minima, hash, _mm256_cmpgt_epi64(f->minima, hash));
}

static void minhash_block(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                          size_t count) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        struct functions4 f = functions4_load(coefficients + i, n, minima + i);
        struct functions4 g = functions4_load(coefficients + i + 4, n, minima + i + 4);
        for (size_t v = 0; v < count; v++) {
            functions4_see(&f, values[v]);
            functions4_see(&g, values[v]);
        }
        store4(minima + i, _mm256_xor_si256(f.minima, top_bits()));
        store4(minima + i + 4, _mm256_xor_si256(g.minima, top_bits()));
    }
    for (; i < n; i++) {
        const uint64_t one[3] = {coefficients[i], coefficients[n + i], coefficients[2 * n + i]};
        generic_minhash_update(minima + i, 1, one, values, count);
    }
}

void avx2_minhash_update(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                         size_t count) {
    for (size_t begin = 0; begin < count; begin += VALUE_BLOCK) {
        size_t size = count - begin < VALUE_BLOCK ? count - begin : VALUE_BLOCK;
        minhash_block(minima, n, coefficients, values + begin, size);
    }
}

/* ---- simhash ---- */

/* A counter per bit position and lane, bit k of all counters in plane k: adding a vector of bits is a few
 * logical operations, whatever the number of counters. */
#define PLANES 18
struct bit_counters {
    __m256i plane[PLANES];
};

/* Full adder: the sum of three bits is 2 carry + sum. */
static inline __m256i add_bits(__m256i *sum, __m256i a, __m256i b) {
    __m256i half = _mm256_xor_si256(*sum, a);
    __m256i carry = _mm256_or_si256(_mm256_and_si256(*sum, a), _mm256_and_si256(half, b));
    *sum = _mm256_xor_si256(half, b);
    return carry;
}

static inline void count_eight(struct bit_counters *c, const __m256i v[8]) {
    __m256i twos[4], fours[2];
    for (int i = 0; i < 4; i++) twos[i] = add_bits(&c->plane[0], v[2 * i], v[2 * i + 1]);
    for (int i = 0; i < 2; i++) fours[i] = add_bits(&c->plane[1], twos[2 * i], twos[2 * i + 1]);
    __m256i carry = add_bits(&c->plane[2], fours[0], fours[1]);
    for (int k = 3; k < PLANES && !_mm256_testz_si256(carry, carry); k++) {
        __m256i next = _mm256_and_si256(c->plane[k], carry);
        c->plane[k] = _mm256_xor_si256(c->plane[k], carry);
        carry = next;
    }
}

static inline __m256i multiply64(__m256i x, uint64_t by) {
    const __m256i low = _mm256_set1_epi64x((int64_t)by), high = _mm256_set1_epi64x((int64_t)(by >> 32));
    __m256i cross =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low), _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

static inline __m256i mix4(__m256i x) {
    for (int round = 0; round < 2; round++)
        x = multiply64(_mm256_xor_si256(x, _mm256_srli_epi64(x, 32)), MIX64_MULTIPLIER);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
}

#define BATCH 32 /* values that count_eight takes */

static inline void count_batch(struct bit_counters *counters, uint64_t seed, const uint64_t *values) {
    __m256i mixed[8];
    for (int i = 0; i < 8; i++)
        mixed[i] = mix4(_mm256_xor_si256(load4(values + 4 * i), _mm256_set1_epi64x((int64_t)seed)));
    count_eight(counters, mixed);
}

/* Less than a batch: no bits where there is no value. */
static void count_rest(struct bit_counters *counters, uint64_t seed, const uint64_t *values, size_t count) {
    uint64_t hashes[BATCH] = {0};
    for (size_t i = 0; i < count; i++) hashes[i] = mix64(values[i] ^ seed);
    __m256i mixed[8];
    for (int i = 0; i < 8; i++) mixed[i] = load4(hashes + 4 * i);
    count_eight(counters, mixed);
}

/* Adds five planes at a time, as byte counters: even 8 lanes of 31 fit. */
void avx2_add_planes(int64_t sums[64], const uint64_t *planes, int count, int lanes) {
    for (int begin = 0; begin < count; begin += 5) {
        uint64_t counts[8] = {0};
        for (int k = begin; k < begin + 5 && k < count; k++)
            for (int lane = 0; lane < lanes; lane++) {
                uint64_t plane = planes[k * lanes + lane];
                for (int byte = 0; byte < 8; byte++)
                    counts[byte] += _pdep_u64(plane >> 8 * byte, 0x0101010101010101) << (k - begin);
            }
        for (int bit = 0; bit < 64; bit++)
            sums[bit] += (int64_t)(counts[bit / 8] >> bit % 8 * 8 & 255) << (begin + 1);
    }
}

/* At most as many values as the counters hold; each set bit counts 2, each value -1. */
static void simhash_part(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    struct bit_counters counters = {0};
    size_t i = 0;
    for (; i + BATCH <= count; i += BATCH) count_batch(&counters, seed, values + i);
    if (i < count) count_rest(&counters, seed, values + i, count - i);
    int planes = 64 - __builtin_clzll(count / 4 + 8); /* the others are zero */
    uint64_t bits[PLANES * 4];
    for (int k = 0; k < planes; k++) store4(bits + 4 * k, counters.plane[k]);
    avx2_add_planes(sums, bits, planes, 4);
    for (int bit = 0; bit < 64; bit++) sums[bit] -= (int64_t)count;
}

void avx2_simhash_update(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    const size_t most = (size_t)1 << PLANES; /* a quarter of what the planes hold in four lanes */
    for (; count > most; values += most, count -= most) simhash_part(sums, seed, values, most);
    if (count > 0) simhash_part(sums, seed, values, count);
}

/* ---- one-permutation hashing ---- */

#define OPH_BLOCK 64 /* values mixed by vectors before scalar code puts them into their bins */

/* Stored in any case, because whether a value is the smallest of its bin cannot be predicted in a short document. */
static inline void put_into_bins(uint64_t *minima, size_t bins, const uint64_t *mixed, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 product = (unsigned __int128)mixed[i] * bins;
        uint64_t *bin = &minima[(uint64_t)(product >> 64)], candidate = (uint64_t)product, old = *bin;
        *bin = candidate < old ? candidate : old;
    }
}

void avx2_oph_update(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count) {
    const __m256i seeds = _mm256_set1_epi64x((int64_t)seed);
    uint64_t mixed[OPH_BLOCK];
    for (size_t at = 0; at < count; at += OPH_BLOCK) {
        size_t block = count - at < OPH_BLOCK ? count - at : OPH_BLOCK;
        for (size_t i = 0; i < block; i += 4) { /* past the end it reads slack */
            __m256i four = _mm256_loadu_si256((const __m256i *)(values + at + i));
            _mm256_storeu_si256((__m256i *)(mixed + i), mix64_four(_mm256_xor_si256(four, seeds)));
        }
        put_into_bins(minima, bins, mixed, block);
    }
}

/* ---- comparing bit strings ---- */

/* All ones for the first `size` of 32 bytes. */
static inline __m256i first_bytes(size_t size) {
    const __m256i index = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                           19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(size < 32 ? size : 32)), index);
}

static inline __m256i load_bytes(const uint8_t *bytes) {
    return _mm256_loadu_si256((const __m256i *)bytes);
}

/* Differing fields of 1, 2 or 4 bits, by what each differing nibble counts. */
static uint64_t count_differing(const uint8_t *a, const uint8_t *b, size_t size, __m256i per_nibble) {
    const __m256i four_bits = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i total = zero;
    for (size_t i = 0; i < size; i += 32) {
        __m256i differing = _mm256_xor_si256(load_bytes(a + i), load_bytes(b + i));
        differing = _mm256_and_si256(differing, first_bytes(size - i));
        __m256i low = _mm256_and_si256(differing, four_bits);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(differing, 4), four_bits);
        __m256i counts =
            _mm256_add_epi8(_mm256_shuffle_epi8(per_nibble, low), _mm256_shuffle_epi8(per_nibble, high));
        total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, zero));
    }
    uint64_t lanes[4];
    store4(lanes, total);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static inline __m256i nibble_counts(int bits) {
    const __m128i ones = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m128i pairs = _mm_setr_epi8(0, 1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2);
    const __m128i whole = _mm_setr_epi8(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    return _mm256_broadcastsi128_si256(bits == 1 ? ones : bits == 2 ? pairs : whole);
}

/* Equal bytes or 16-bit fields among the first `size` bytes. */
static uint64_t count_equal(const uint8_t *a, const uint8_t *b, size_t size, bool wide) {
    uint64_t equal = 0;
    for (size_t i = 0; i < size; i += 32) {
        __m256i x = load_bytes(a + i), y = load_bytes(b + i);
        __m256i same = wide ? _mm256_cmpeq_epi16(x, y) : _mm256_cmpeq_epi8(x, y);
        same = _mm256_and_si256(same, first_bytes(size - i));
        equal += (uint64_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(same));
    }
    return wide ? equal / 2 : equal;
}

uint64_t avx2_hamming(const uint8_t *a, const uint8_t *b, size_t size) {
    return count_differing(a, b, size, nibble_counts(1));
}

uint64_t avx2_equal_fields(const uint8_t *a, const uint8_t *b, size_t count, int bits) {
    size_t whole = count * (size_t)bits / 8; /* bytes; fields that do not fill one are left */
    if (bits >= 8) return count_equal(a, b, whole, bits == 16);
    size_t fields = whole * 8 / (size_t)bits;
    return fields - count_differing(a, b, whole, nibble_counts(bits)) +
           generic_equal_fields(a + whole, b + whole, count - fields, bits);
}
