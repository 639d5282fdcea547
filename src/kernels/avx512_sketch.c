/* Sampling fingerprints, and making and comparing sketches of them: sketch_template.h eight lanes at a time,
 * and what is done otherwise. */
#include "kernels/avx512_vector.h"

#include "kernels/avx2.h"
#include "kernels/generic.h"

/* ---- what the template expects ---- */

static inline vec vec_ordered(vec a) {
    return a;
}

static inline vec vec_min(vec a, vec b) {
    return _mm512_min_epu64(a, b);
}

static inline unsigned vec_at_most(vec a, vec limit) {
    return _mm512_cmple_epu64_mask(a, limit);
}

static inline vec vec_rotate_right(vec a, int shift) {
    return _mm512_rorv_epi64(a, _mm512_set1_epi64(shift));
}

/* Storing a whole register is quicker than storing under a mask. Counted first: where the store is
 * instrumented (thread sanitizer), GCC 12 would spill eight bits of the mask and read back 32. */
static inline size_t keep(uint64_t *out, vec values, unsigned lanes) {
    const size_t kept = (size_t)__builtin_popcount(lanes);
    vec_store(out, _mm512_maskz_compress_epi64((__mmask8)lanes, values));
    return kept;
}

static inline vec linear_hash(vec a, vec b, vec c, vec low, vec high) {
    vec sum = _mm512_add_epi64(_mm512_mul_epu32(a, low), _mm512_mul_epu32(b, high));
    return _mm512_rol_epi64(_mm512_add_epi64(sum, c), 32);
}

/* The constants are the truth tables of majority and xor. */
static inline vec add_bits(vec *sum, vec a, vec b) {
    vec carry = _mm512_ternarylogic_epi64(*sum, a, b, 0xe8);
    *sum = _mm512_ternarylogic_epi64(*sum, a, b, 0x96);
    return carry;
}

static inline bool vec_any(vec a) {
    return _mm512_test_epi64_mask(a, a) != 0;
}

static inline vec vec_upper(vec a) {
    return _mm512_srli_epi64(a, 32);
}

static inline vec vec_multiply32(vec a, vec b) {
    return _mm512_mul_epu32(a, b);
}

static inline unsigned vec_lower_below(vec a, vec limit) {
    return _mm512_cmplt_epu64_mask(vec_and(a, vec_all64(UINT32_MAX)), limit);
}

#include "kernels/sketch_template.h"

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

/* Which of eight rows, as far as there are so many, differ from the query in at most `most` bits. */
static inline __mmask8 near_rows(const uint8_t *const *columns, size_t words, size_t row, __mmask8 inside,
                                 const uint64_t *query, __m512i most) {
    __m512i sums = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w++) {
        __m512i differing = _mm512_xor_si512(_mm512_maskz_loadu_epi64(inside, columns[w] + 8 * row),
                                             _mm512_set1_epi64((int64_t)query[w]));
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(differing));
    }
    return (__mmask8)(inside & _mm512_cmple_epu64_mask(sums, most));
}

size_t avx512_near_words(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                         uint32_t most, uint32_t *out) {
    const __m512i limit = _mm512_set1_epi64((int64_t)most);
    size_t kept = 0;
    for (size_t row = 0; row < count; row += 8) {
        __mmask8 inside = (__mmask8)(count - row < 8 ? (1u << (count - row)) - 1 : 255);
        for (unsigned near = near_rows(columns, words, row, inside, query, limit); near; near &= near - 1)
            out[kept++] = (uint32_t)row + (uint32_t)__builtin_ctz(near);
    }
    return kept;
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
