/*
 * Rabin fingerprints of 32 stretches of text side by side, cut into slices: byte k of all 32 in one register.
 *
 * In this form shifting by a byte only renames registers, and a table of 256 fingerprints becomes 16 shuffles
 * of 16 bytes: one per nibble of the index and byte of the result. Fingerprints are kept left-aligned in
 * whole bytes, so that the byte which a shift pushes out is a slice, too. The text is transposed beforehand.
 */
#include "kernels/avx2_slices.h"

#include "kernels/avx2_rabin.h"

#include <immintrin.h>

#define ROWS_MOST (SLICED_LENGTH + SLICED_WINDOW + 16)

typedef struct {
    __m256i slice[8]; /* lowest byte first; with fewer bytes to a fingerprint the last ones are zero */
} slices;

/* ---- transposing ---- */

static inline __m256i two_lanes(const uint8_t *low, const uint8_t *high) {
    __m256i lane = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low));
    return _mm256_inserti128_si256(lane, _mm_loadu_si128((const __m128i *)high), 1);
}

/* 16 bytes of each stretch become 16 rows of one byte of each. Each round rotates the 8 bits of an element's
 * place (row and column) by one: four rounds swap them. */
static inline void transpose_16(const uint8_t *bytes, size_t length, __m256i *rows) {
    __m256i from[16], to[16];
#pragma GCC unroll 16
    for (size_t k = 0; k < 16; k++) from[k] = two_lanes(bytes + k * length, bytes + (k + 16) * length);
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
            to[2 * k] = _mm256_unpacklo_epi8(from[k], from[k + 8]);
            to[2 * k + 1] = _mm256_unpackhi_epi8(from[k], from[k + 8]);
        }
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) from[k] = to[k];
    }
#pragma GCC unroll 16
    for (int k = 0; k < 16; k++) rows[k] = from[k];
}

/* Row i: byte i of each stretch. Reads less than 16 bytes past the last window. */
static void transpose_text(const uint8_t *bytes, size_t length, size_t count, __m256i rows[ROWS_MOST]) {
    for (size_t i = 0; i < count; i += 16) transpose_16(bytes + i, length, rows + i);
}

/* Eight slices as 32 numbers: values[i] has those of stretches 2i, 2i + 1, 16 + 2i, 17 + 2i. */
static inline void join_slices(const slices *s, __m256i values[8]) {
    __m256i twos[8], fours[8];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        twos[k] = _mm256_unpacklo_epi8(s->slice[2 * k], s->slice[2 * k + 1]);
        twos[k + 4] = _mm256_unpackhi_epi8(s->slice[2 * k], s->slice[2 * k + 1]);
    }
#pragma GCC unroll 2
    for (int half = 0; half < 8; half += 4) {
        fours[half] = _mm256_unpacklo_epi16(twos[half], twos[half + 1]);
        fours[half + 1] = _mm256_unpackhi_epi16(twos[half], twos[half + 1]);
        fours[half + 2] = _mm256_unpacklo_epi16(twos[half + 2], twos[half + 3]);
        fours[half + 3] = _mm256_unpackhi_epi16(twos[half + 2], twos[half + 3]);
#pragma GCC unroll 2
        for (int k = 0; k < 2; k++) {
            values[half + 2 * k] = _mm256_unpacklo_epi32(fours[half + k], fours[half + k + 2]);
            values[half + 2 * k + 1] = _mm256_unpackhi_epi32(fours[half + k], fours[half + k + 2]);
        }
    }
}

/* ---- one step ---- */

static inline __m256i low_nibbles(__m256i bytes) {
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

static inline __m256i high_nibbles(__m256i bytes) {
    return low_nibbles(_mm256_srli_epi16(bytes, 4));
}

static inline __m256i look_up(const uint8_t table[16], __m256i nibbles) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), nibbles);
}

static inline void add_multiples(slices *s, const uint8_t table[2][8][16], __m256i index, int bytes) {
    __m256i low = low_nibbles(index), high = high_nibbles(index);
#pragma GCC unroll 8
    for (int k = 0; k < bytes; k++) {
        __m256i both = _mm256_xor_si256(look_up(table[0][k], low), look_up(table[1][k], high));
        s->slice[k] = _mm256_xor_si256(s->slice[k], both);
    }
}

/* The byte that comes; with degree 64 it shares a table with the byte that is pushed out. */
static inline void enter(slices *s, const struct rabin_tables *t, __m256i come, int bytes, bool full) {
    __m256i out = s->slice[bytes - 1];
#pragma GCC unroll 8
    for (int k = bytes - 1; k > 0; k--) s->slice[k] = s->slice[k - 1];
    s->slice[0] = _mm256_setzero_si256();
    add_multiples(s, t->sliced_shift, full ? _mm256_xor_si256(out, come) : out, bytes);
    if (!full) add_multiples(s, t->sliced_enter, come, bytes);
}

static inline void slide(slices *s, const struct rabin_tables *t, __m256i come, __m256i go, int bytes,
                         bool full) {
    enter(s, t, come, bytes, full);
    add_multiples(s, t->sliced_leave, go, bytes);
}

/* The fingerprints of the first windows. */
static inline slices first_windows(const struct rabin_tables *t, const __m256i *rows, int bytes, bool full) {
    slices s;
    for (int k = 0; k < 8; k++) s.slice[k] = _mm256_setzero_si256();
    for (int i = 0; i < t->window; i++) enter(&s, t, rows[i], bytes, full);
    return s;
}

/* ---- all fingerprints ---- */

static inline void store_lanes(uint64_t *low, uint64_t *high, __m256i lanes) {
    _mm_storeu_si128((__m128i *)low, _mm256_castsi256_si128(lanes));
    _mm_storeu_si128((__m128i *)high, _mm256_extracti128_si256(lanes, 1));
}

/* Two fingerprints of each stretch. */
static inline void store_steps(const slices *first, const slices *second, size_t length, int scale,
                               uint64_t *out) {
    const __m128i shift = _mm_cvtsi32_si128(scale);
    __m256i a[8], b[8];
    join_slices(first, a);
    join_slices(second, b);
#pragma GCC unroll 8
    for (size_t k = 0; k < 8; k++) {
        __m256i even = _mm256_unpacklo_epi64(a[k], b[k]), odd = _mm256_unpackhi_epi64(a[k], b[k]);
        uint64_t *at = out + 2 * k * length;
        store_lanes(at, at + 16 * length, scale ? _mm256_srl_epi64(even, shift) : even);
        store_lanes(at + length, at + 17 * length, scale ? _mm256_srl_epi64(odd, shift) : odd);
    }
}

static inline void all_of(const struct rabin_tables *t, const __m256i *rows, size_t length, uint64_t *out,
                          int bytes, bool full) {
    slices s = first_windows(t, rows, bytes, full);
    const __m256i *come = rows + t->window;
    for (size_t i = 0; i < length; i += 2) {
        slices first = s;
        slide(&s, t, come[i], rows[i], bytes, full);
        store_steps(&first, &s, length, full ? 0 : 8 * bytes - t->degree, out + i);
        slide(&s, t, come[i + 1], rows[i + 1], bytes, full);
    }
}

void avx2_sliced_all(const struct rabin_tables *t, const uint8_t *bytes, size_t length, uint64_t *out) {
    __m256i rows[ROWS_MOST];
    transpose_text(bytes, length, length + (size_t)t->window, rows);
    switch ((t->degree + 7) / 8) {
    case 4:
        return all_of(t, rows, length, out, 4, false);
    case 5:
        return all_of(t, rows, length, out, 5, false);
    case 6:
        return all_of(t, rows, length, out, 6, false);
    case 7:
        return all_of(t, rows, length, out, 7, false);
    default:
        return t->degree == 64 ? all_of(t, rows, length, out, 8, true)
                               : all_of(t, rows, length, out, 8, false);
    }
}

/* ---- candidates: fingerprints that may be multiples of n ---- */

/*
 * The odd part: with the fingerprint's digits in base 2^16 and the powers of 2^16 modulo that, a number of 32
 * bits is a multiple just when the fingerprint is. Digits are taken as signed, d - 2^15, for which `offset`
 * makes up; it keeps the sum positive, too.
 */
struct residue {
    __m256i powers[2]; /* of digits 0 and 1, 2 and 3 */
    __m256i offset, inverse, limit;
    __m256i low_mask; /* the bits of the lowest slice that are zero in multiples of the power of two */
};

static __m256i power_pair(int64_t low, int64_t high) {
    return _mm256_set1_epi32((int)((uint32_t)(uint16_t)high << 16 | (uint16_t)low));
}

static struct residue residue_of(uint64_t n, int scale) {
    struct divisor divisor = divisor_of(n);
    int64_t odd = (int64_t)(n >> divisor.shift), power = 1, powers[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        powers[k] = power > odd / 2 ? power - odd : power;
        sum += powers[k];
        power = power * 65536 % odd;
    }
    int64_t offset = (sum * 32768 % odd + odd) % odd, floor = INT64_C(1) << 30;
    unsigned low = (unsigned)(divisor.shift < 8 ? (1u << divisor.shift) - 1 : 255) << scale;
    return (struct residue){
        .powers = {power_pair(powers[0], powers[1]), power_pair(powers[2], powers[3])},
        .offset = _mm256_set1_epi32((int)(floor - floor % odd + odd + offset)),
        .inverse = _mm256_set1_epi32((int)(uint32_t)divisor.inverse),
        .limit = _mm256_set1_epi32((int)(UINT32_MAX / (uint32_t)odd)),
        .low_mask = _mm256_set1_epi8((char)low),
    };
}

/* For eight fingerprints, from two digits each in `low` and in `high`. */
static inline __m256i is_multiple(__m256i low, __m256i high, const struct residue *r) {
    __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(low, r->powers[0]), _mm256_madd_epi16(high, r->powers[1]));
    __m256i product = _mm256_mullo_epi32(_mm256_add_epi32(sum, r->offset), r->inverse);
    return _mm256_cmpeq_epi32(_mm256_min_epu32(product, r->limit), product);
}

/* A byte of ones for each stretch whose fingerprint may be a multiple. */
static inline __m256i candidates(const slices *s, const struct residue *r) {
    const __m256i top = _mm256_set1_epi8(INT8_MIN);
    __m256i digits[2][4], zero = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        __m256i high = _mm256_xor_si256(s->slice[2 * k + 1], top);
        digits[0][k] = _mm256_unpacklo_epi8(s->slice[2 * k], high);
        digits[1][k] = _mm256_unpackhi_epi8(s->slice[2 * k], high);
    }
    __m256i words[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        const __m256i *d = digits[k];
        __m256i first = is_multiple(_mm256_unpacklo_epi16(d[0], d[1]), _mm256_unpacklo_epi16(d[2], d[3]), r);
        __m256i second = is_multiple(_mm256_unpackhi_epi16(d[0], d[1]), _mm256_unpackhi_epi16(d[2], d[3]), r);
        words[k] = _mm256_packs_epi32(first, second);
    }
    __m256i even = _mm256_cmpeq_epi8(_mm256_and_si256(s->slice[0], r->low_mask), zero);
    return _mm256_and_si256(_mm256_packs_epi16(words[0], words[1]), even);
}

/* Bit i of maps[k]: whether window i of stretch k is a candidate, for up to 64 windows. */
static inline void map_of(slices *s, const struct rabin_tables *t, const __m256i *rows, size_t windows,
                          const struct residue *r, uint64_t maps[32], int bytes, bool full) {
    slices found;
    for (size_t group = 0; group < 8; group++) {
        __m256i eight = _mm256_setzero_si256(), bit = _mm256_set1_epi8(1);
        for (size_t i = 8 * group; i < windows && i < 8 * group + 8; i++) {
            eight = _mm256_or_si256(eight, _mm256_and_si256(candidates(s, r), bit));
            bit = _mm256_add_epi8(bit, bit);
            slide(s, t, rows[t->window + (int)i], rows[i], bytes, full);
        }
        found.slice[group] = eight;
    }
    __m256i values[8];
    join_slices(&found, values);
    for (int k = 0; k < 8; k++) store_lanes(maps + 2 * k, maps + 16 + 2 * k, values[k]);
}

#define MAPS_MOST ((SLICED_LENGTH + 63) / 64)

static inline void maps_of(const struct rabin_tables *t, const __m256i *rows, size_t length, uint64_t n,
                           uint64_t maps[MAPS_MOST][32], int bytes, bool full) {
    const struct residue r = residue_of(n, 8 * bytes - t->degree);
    slices s = first_windows(t, rows, bytes, full);
    for (size_t i = 0; i < length; i += 64)
        map_of(&s, t, rows + i, length - i, &r, maps[i / 64], bytes, full);
}

static void find_maps(const struct rabin_tables *t, const __m256i *rows, size_t length, uint64_t n,
                      uint64_t maps[MAPS_MOST][32]) {
    switch ((t->degree + 7) / 8) {
    case 4:
        return maps_of(t, rows, length, n, maps, 4, false);
    case 5:
        return maps_of(t, rows, length, n, maps, 5, false);
    case 6:
        return maps_of(t, rows, length, n, maps, 6, false);
    case 7:
        return maps_of(t, rows, length, n, maps, 7, false);
    default:
        return t->degree == 64 ? maps_of(t, rows, length, n, maps, 8, true)
                               : maps_of(t, rows, length, n, maps, 8, false);
    }
}

size_t avx2_sliced_find(const struct rabin_tables *t, const uint8_t *bytes, size_t length, uint64_t n,
                        uint32_t *positions) {
    __m256i rows[ROWS_MOST];
    uint64_t maps[MAPS_MOST][32];
    size_t found = 0;
    transpose_text(bytes, length, length + (size_t)t->window, rows);
    find_maps(t, rows, length, n, maps);
    for (size_t k = 0; k < 32; k++)
        for (size_t i = 0; i < length; i += 64)
            found += list_positions(maps[i / 64][k], k * length + i, (k + 1) * length, positions + found);
    return found;
}
