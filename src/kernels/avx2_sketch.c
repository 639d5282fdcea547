/*
 * Sampling fingerprints, and making and comparing sketches of them: sketch_template.h four lanes at a time,
 * and what is done otherwise.
 *
 * AVX2 compares 64-bit numbers as signed only: flipping the top bit on both sides makes that the unsigned
 * order.
 */
#include "kernels/avx2_vector.h"

#include "base/buf.h"
#include "kernels/generic.h"

/* ---- what the template expects ---- */

static inline vec vec_ordered(vec a) {
    return vec_xor(a, _mm256_set1_epi64x(INT64_MIN));
}

static inline vec vec_min(vec a, vec b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

static inline unsigned vec_at_most(vec a, vec limit) {
    return 15u ^ (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(a, limit)));
}

static inline vec vec_rotate_right(vec a, int shift) {
    return _mm256_or_si256(_mm256_srl_epi64(a, _mm_cvtsi32_si128(shift)),
                           _mm256_sll_epi64(a, _mm_cvtsi32_si128(64 - shift)));
}

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

static inline size_t keep(uint64_t *out, vec values, unsigned lanes) {
    vec_store(out, _mm256_permutevar8x32_epi32(values, vec_load(compress_order[lanes])));
    return (size_t)__builtin_popcount(lanes);
}

static inline vec linear_hash(vec a, vec b, vec c, vec low, vec high) {
    vec sum = _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_mul_epu32(b, high));
    return swap_halves(_mm256_add_epi64(sum, c));
}

static inline vec add_bits(vec *sum, vec a, vec b) {
    vec half = vec_xor(*sum, a), carry = _mm256_or_si256(vec_and(*sum, a), vec_and(half, b));
    *sum = vec_xor(half, b);
    return carry;
}

static inline bool vec_any(vec a) {
    return !_mm256_testz_si256(a, a);
}

static inline vec vec_upper(vec a) {
    return _mm256_srli_epi64(a, 32);
}

static inline vec vec_multiply32(vec a, vec b) {
    return _mm256_mul_epu32(a, b);
}

static inline unsigned vec_lower_below(vec a, vec limit) {
    vec below = _mm256_cmpgt_epi64(limit, vec_and(a, vec_all64(UINT32_MAX)));
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(below));
}

#include "kernels/sketch_template.h"

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

/* ---- bins that are open ---- */

/* The high halves of products of 64 bits and 32. */
static inline vec high_products(vec a, vec factor) {
    vec low = _mm256_srli_epi64(_mm256_mul_epu32(a, factor), 32);
    vec high = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
    return _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
}

/* The bit of each bin moves to the top of its lane. */
static inline unsigned open_lanes(vec bins, vec filled) {
    vec words = _mm256_permutevar8x32_epi32(filled, _mm256_srli_epi64(bins, 5));
    vec shifts = vec_xor(vec_and(bins, vec_all64(31)), vec_all64(63));
    return 15u ^ (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_sllv_epi64(words, shifts)));
}

size_t avx2_open_bins(const uint64_t *values, size_t count, uint64_t seed, size_t bins,
                      const uint64_t filled[OPEN_BINS_MOST / 64], uint64_t *out) {
    const vec seeds = vec_all64(seed), factor = vec_all64(bins), bits = vec_repeat(filled);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += VEC_LANES) { /* past the end it reads slack, which count cuts off */
        vec mixed = vec_mix64(vec_xor(vec_load(values + i), seeds));
        unsigned lanes = open_lanes(high_products(mixed, factor), bits);
        kept += keep(out + kept, mixed, count - i < VEC_LANES ? lanes & first_lanes(count - i) : lanes);
    }
    return kept;
}

/* Upper halves of eight mixed values: a bin in the first FILL_LOG bits, a candidate in those below. Two
 * multiplications of 32 bits and half of one of 64 do what bins_of does, since the rest of the product would
 * be shifted out. */
#define FILL_LOG 9
_Static_assert(FILL_BINS == 1 << FILL_LOG, "bins are told by their upper bits");

static inline vec throws_of(const uint64_t *values, vec seed) {
    const vec factor = _mm256_set1_epi32((int)(uint32_t)MIX64_MULTIPLIER);
    const vec factor_high = _mm256_set1_epi32((int)(uint32_t)(MIX64_MULTIPLIER >> 32));
    __m256 a = _mm256_castsi256_ps(vec_xor(vec_load(values), seed));
    __m256 b = _mm256_castsi256_ps(vec_xor(vec_load(values + VEC_LANES), seed));
    vec high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
    vec low = vec_xor(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), high);
    vec even = _mm256_srli_epi64(_mm256_mul_epu32(low, factor), 32);
    vec odd = _mm256_mul_epu32(_mm256_srli_epi64(low, 32), factor);
    vec crossed = _mm256_add_epi32(_mm256_mullo_epi32(low, factor_high), _mm256_mullo_epi32(high, factor));
    return _mm256_add_epi32(_mm256_blend_epi32(even, odd, 0xaa), crossed);
}

/* The lanes of throws_of come from values 0, 1, 4, 5, 2, 3, 6, 7: those of the first `count`. */
static inline unsigned first_throws(size_t count) {
    static const uint8_t lanes[] = {0, 0x01, 0x03, 0x13, 0x33, 0x37, 0x3f, 0x7f};
    return count < 2 * VEC_LANES ? lanes[count] : 0xff;
}

/* Words of 32 bits; the first bit of a bin says in which half, the next three in which of its words. */
static inline unsigned open_throws(vec throws, vec lower, vec upper) {
    vec word = _mm256_srli_epi32(throws, 28), bin = _mm256_srli_epi32(throws, 32 - FILL_LOG);
    vec words = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(lower, word)),
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(upper, word)), _mm256_castsi256_ps(throws)));
    vec tops = _mm256_sllv_epi32(words, _mm256_andnot_si256(bin, _mm256_set1_epi32(31)));
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(tops));
}

/* As keep, of four numbers of 32 bits. */
static inline size_t keep_halves(uint32_t *out, __m128i numbers, unsigned lanes) {
    static const uint32_t order[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                          {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                          {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    __m128 kept =
        _mm_permutevar_ps(_mm_castsi128_ps(numbers), _mm_loadu_si128((const __m128i *)order[lanes]));
    _mm_storeu_si128((__m128i *)out, _mm_castps_si128(kept));
    return (size_t)__builtin_popcount(lanes);
}

#define FILL_BLOCK 512

/* Few values fall into bins that are open: only these are looked at one by one. */
void avx2_fill_bins(uint32_t minima[FILL_BINS], uint64_t open[FILL_BINS / 64], uint64_t seed,
                    const uint64_t *values, size_t count) {
    const vec seeds = vec_all64(seed), lower = vec_load(open), upper = vec_load(open + 4);
    uint32_t kept[FILL_BLOCK + 4];
    for (size_t at = 0; at < count; at += FILL_BLOCK) {
        size_t end = count - at < FILL_BLOCK ? count : at + FILL_BLOCK, some = 0;
        for (size_t i = at; i < end; i += 2 * VEC_LANES) { /* past the end it reads slack */
            vec throws = throws_of(values + i, seeds);
            unsigned lanes = open_throws(throws, lower, upper) & first_throws(end - i);
            some += keep_halves(kept + some, _mm256_castsi256_si128(throws), lanes & 15);
            some += keep_halves(kept + some, _mm256_extracti128_si256(throws, 1), lanes >> 4);
        }
        for (size_t i = 0; i < some; i++) {
            uint32_t bin = kept[i] >> (32 - FILL_LOG), candidate = kept[i] << FILL_LOG, old = minima[bin];
            minima[bin] = candidate < old ? candidate : old;
            open[bin / 64] &= ~(UINT64_C(1) << bin % 64);
        }
    }
}

/* ---- comparing bit strings ---- */

/* All ones for the first `size` of 32 bytes. */
static inline __m256i first_bytes(size_t size) {
    const __m256i index = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                           19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(size < 32 ? size : 32)), index);
}

/* Differing fields of 1, 2 or 4 bits, by what each differing nibble counts. */
static uint64_t count_differing(const uint8_t *a, const uint8_t *b, size_t size, __m256i per_nibble) {
    const __m256i four_bits = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i total = zero;
    for (size_t i = 0; i < size; i += 32) {
        __m256i differing = _mm256_xor_si256(vec_load(a + i), vec_load(b + i));
        differing = _mm256_and_si256(differing, first_bytes(size - i));
        __m256i low = _mm256_and_si256(differing, four_bits);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(differing, 4), four_bits);
        __m256i counts =
            _mm256_add_epi8(_mm256_shuffle_epi8(per_nibble, low), _mm256_shuffle_epi8(per_nibble, high));
        total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, zero));
    }
    uint64_t lanes[4];
    vec_store(lanes, total);
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
        __m256i x = vec_load(a + i), y = vec_load(b + i);
        __m256i same = wide ? _mm256_cmpeq_epi16(x, y) : _mm256_cmpeq_epi8(x, y);
        same = _mm256_and_si256(same, first_bytes(size - i));
        equal += (uint64_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(same));
    }
    return wide ? equal / 2 : equal;
}

/* Rows in a step: four vectors, so that each word of the query is fetched once for all. */
#define NEAR_ROWS  16
#define NEAR_WORDS 31 /* whose counts fit into a byte */

/* Bits in which 16 rows differ from the query, 64 bits each, in up to NEAR_WORDS words. */
static inline void add_distances(const uint8_t *const *columns, size_t words, size_t row,
                                 const uint64_t *query, __m256i sums[4]) {
    const __m256i four_bits = _mm256_set1_epi8(15), ones = nibble_counts(1);
    __m256i counts[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                         _mm256_setzero_si256()};
    for (size_t w = 0; w < words; w++) {
        const __m256i word = _mm256_set1_epi64x((int64_t)query[w]);
        const uint8_t *rows = columns[w] + 8 * row;
        for (int v = 0; v < 4; v++) {
            __m256i differing = _mm256_xor_si256(vec_load(rows + 32 * v), word);
            __m256i low = _mm256_and_si256(differing, four_bits);
            __m256i high = _mm256_and_si256(_mm256_srli_epi16(differing, 4), four_bits);
            counts[v] = _mm256_add_epi8(
                counts[v], _mm256_add_epi8(_mm256_shuffle_epi8(ones, low), _mm256_shuffle_epi8(ones, high)));
        }
    }
    for (int v = 0; v < 4; v++)
        sums[v] = _mm256_add_epi64(sums[v], _mm256_sad_epu8(counts[v], _mm256_setzero_si256()));
}

/* A bit for each of 16 rows whose sum is at most the limit. */
static inline unsigned sums_at_most(const __m256i sums[4], __m256i limit) {
    unsigned near = 0;
    for (int v = 0; v < 4; v++) {
        __m256i beyond = _mm256_cmpgt_epi64(sums[v], limit);
        near |= (~(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(beyond)) & 15) << 4 * v;
    }
    return near;
}

size_t avx2_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                       uint32_t most, uint32_t *out) {
    const __m256i limit = _mm256_set1_epi64x((int64_t)most);
    size_t kept = 0;
    for (size_t row = 0; row + NEAR_ROWS <= count; row += NEAR_ROWS) {
        __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                           _mm256_setzero_si256()};
        for (size_t w = 0; w < words; w += NEAR_WORDS)
            add_distances(columns + w, words - w < NEAR_WORDS ? words - w : NEAR_WORDS, row, query + w, sums);
        for (unsigned near = sums_at_most(sums, limit); near; near &= near - 1)
            out[kept++] = (uint32_t)row + (uint32_t)__builtin_ctz(near);
    }
    for (size_t row = count / NEAR_ROWS * NEAR_ROWS; row < count; row++) {
        uint64_t differing = 0;
        for (size_t w = 0; w < words; w++)
            differing += (uint64_t)__builtin_popcountll(load_u64(columns[w] + 8 * row) ^ query[w]);
        if (differing <= most) out[kept++] = (uint32_t)row;
    }
    return kept;
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
