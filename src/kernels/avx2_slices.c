/*
 * Rabin fingerprints of 32 stretches of text side by side, cut into slices: byte k of all 32 in one register.
 *
 * In this form shifting by a byte only renames registers, and a table of 256 fingerprints becomes 16 shuffles
 * of 16 bytes: one per nibble of the index and byte of the result. Fingerprints are kept left-aligned in
 * whole bytes, so that the byte which a shift pushes out is a slice, too. The text is transposed beforehand.
 */
#include "kernels/avx2_slices.h"

#include "kernels/avx2_multiply.h"
#include "kernels/avx2_rabin.h"

#include <immintrin.h>

#define ROWS_MOST (SLICED_LENGTH + SLICED_WINDOW + 16)
#define BLOCK     SLICED_STEP /* steps at a time: eight bits of a map are a byte */

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

/* ---- stepping ---- */

static inline __m256i low_nibbles(__m256i bytes) {
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

static inline __m256i high_nibbles(__m256i bytes) {
    return low_nibbles(_mm256_srli_epi16(bytes, 4));
}

static inline __m256i look_up(const uint8_t table[16], __m256i nibbles) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), nibbles);
}

/* The bytes k of the fingerprints in a table, for indices given as low and high nibbles. */
static inline __m256i multiples(const uint8_t table[2][8][16], const __m256i index[2], int k) {
    return _mm256_xor_si256(look_up(table[0][k], index[0]), look_up(table[1][k], index[1]));
}

/* One by one: assigning the whole would keep it in memory. */
static inline void copy_slices(slices *to, const slices *from) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) to->slice[k] = from->slice[k];
}

/* The next windows; specialised by the bytes in a fingerprint, so that the slices stay in registers. With
 * degree 64 the byte that comes and the one that is pushed out share a table. Slice by slice from the top:
 * the registers suffice for that. */
SPECIALISED void slide(slices *s, const struct rabin_tables *t, __m256i come, __m256i go, int bytes,
                       bool shared) {
    __m256i top = s->slice[bytes - 1];
    if (shared) top = _mm256_xor_si256(top, come);
    const __m256i out[2] = {low_nibbles(top), high_nibbles(top)};
    const __m256i in[2] = {low_nibbles(come), high_nibbles(come)};
    const __m256i leaving[2] = {low_nibbles(go), high_nibbles(go)};
#pragma GCC unroll 8
    for (int k = bytes - 1; k >= 0; k--) {
        __m256i sum = multiples(t->sliced_leave, leaving, k);
        if (!shared) sum = _mm256_xor_si256(sum, multiples(t->sliced_enter, in, k));
        if (k > 0) sum = _mm256_xor_si256(sum, s->slice[k - 1]);
        s->slice[k] = _mm256_xor_si256(sum, multiples(t->sliced_shift, out, k));
    }
}

SPECIALISED void steps_of(slices *s, const struct rabin_tables *t, const __m256i *come, const __m256i *go,
                          size_t count, slices before[BLOCK], int bytes, bool shared) {
    slices now;
    copy_slices(&now, s);
    for (size_t i = 0; i < count; i++) {
        copy_slices(before + i, &now);
        slide(&now, t, come[i], go[i], bytes, shared);
    }
    copy_slices(s, &now);
}

/* Up to BLOCK steps; keeps the fingerprints before each. */
static void steps(slices *s, const struct rabin_tables *t, const __m256i *come, const __m256i *go,
                  size_t count, slices before[BLOCK]) {
    switch ((t->degree + 7) / 8) {
    case 4:
        return steps_of(s, t, come, go, count, before, 4, false);
    case 5:
        return steps_of(s, t, come, go, count, before, 5, false);
    case 6:
        return steps_of(s, t, come, go, count, before, 6, false);
    case 7:
        return steps_of(s, t, come, go, count, before, 7, false);
    default:
        return t->degree < 64 ? steps_of(s, t, come, go, count, before, 8, false)
                              : steps_of(s, t, come, go, count, before, 8, true);
    }
}

/* What goes along the stretches. */
struct run {
    const struct rabin_tables *tables;
    __m256i rows[ROWS_MOST]; /* the transposed text */
    slices now;              /* the fingerprints of the next windows */
};

static void run_begin(struct run *run, const struct rabin_tables *t, const uint8_t *bytes, size_t length) {
    size_t window = (size_t)t->window;
    const __m256i nothing[BLOCK] = {0};
    slices unused[BLOCK];
    run->tables = t;
    run->now = (slices){0};
    transpose_text(bytes, length, length + window, run->rows);
    for (size_t i = 0; i < window; i += BLOCK)
        steps(&run->now, t, run->rows + i, nothing, window - i < BLOCK ? window - i : BLOCK, unused);
}

/* The fingerprints of windows i to i + BLOCK - 1. */
static void run_block(struct run *run, size_t i, slices block[BLOCK]) {
    steps(&run->now, run->tables, run->rows + run->tables->window + i, run->rows + i, BLOCK, block);
}

/* ---- all fingerprints ---- */

static inline void store_lanes(uint64_t *low, uint64_t *high, __m256i lanes) {
    _mm_storeu_si128((__m128i *)low, _mm256_castsi256_si128(lanes));
    _mm_storeu_si128((__m128i *)high, _mm256_extracti128_si256(lanes, 1));
}

/* Two fingerprints of each stretch. */
static inline void store_two(const slices two[2], size_t length, __m128i scale, uint64_t *out) {
    __m256i a[8], b[8];
    join_slices(two, a);
    join_slices(two + 1, b);
#pragma GCC unroll 8
    for (size_t k = 0; k < 8; k++) {
        __m256i even = _mm256_srl_epi64(_mm256_unpacklo_epi64(a[k], b[k]), scale);
        __m256i odd = _mm256_srl_epi64(_mm256_unpackhi_epi64(a[k], b[k]), scale);
        uint64_t *at = out + 2 * k * length;
        store_lanes(at, at + 16 * length, even);
        store_lanes(at + length, at + 17 * length, odd);
    }
}

void avx2_sliced_all(const struct rabin_tables *t, const uint8_t *bytes, size_t length, uint64_t *out) {
    const __m128i scale = _mm_cvtsi32_si128(-t->degree & 7);
    struct run run;
    slices block[BLOCK];
    run_begin(&run, t, bytes, length);
    for (size_t i = 0; i < length; i += BLOCK) {
        run_block(&run, i, block);
        for (size_t k = 0; k < BLOCK; k += 2) store_two(block + k, length, scale, out + i + k);
    }
}

/* ---- candidates: fingerprints that may be multiples of n ---- */

/*
 * The odd part of n divides a fingerprint just when it divides the sum of its bytes times powers of 256
 * modulo the odd part. Up to SMALL_ODD that fits 16 bits; otherwise the fingerprint itself is tested.
 */
#define SMALL_ODD 31

struct residue {
    bool small;
    __m256i powers[4];               /* of bytes 0 and 1, 2 and 3, ... */
    __m256i inverse, swapped, limit; /* as in divisor.h, for sums or whole fingerprints */
    __m256i low_mask; /* the bits of the lowest slice that are zero in multiples of the power of two */
};

static struct residue small_residue(int odd, uint64_t inverse) {
    struct residue r = {.small = true, .inverse = _mm256_set1_epi16((short)inverse)};
    r.limit = _mm256_set1_epi16((short)(UINT16_MAX / odd));
    for (int k = 0, power = 1 % odd; k < 4; k++) {
        int next = power * 256 % odd;
        r.powers[k] = _mm256_set1_epi16((short)(next << 8 | power));
        power = next * 256 % odd;
    }
    return r;
}

/* The limit has its top bit flipped, for signed comparison. */
static struct residue large_residue(uint64_t odd, uint64_t inverse) {
    struct residue r = {.small = false, .inverse = _mm256_set1_epi64x((int64_t)inverse)};
    r.swapped = swap_halves(r.inverse);
    r.limit = _mm256_set1_epi64x((int64_t)(UINT64_MAX / odd) ^ INT64_MIN);
    return r;
}

static struct residue residue_of(uint64_t n, int degree) {
    struct divisor divisor = divisor_of(n);
    uint64_t odd = n >> divisor.shift;
    struct residue r =
        odd <= SMALL_ODD ? small_residue((int)odd, divisor.inverse) : large_residue(odd, divisor.inverse);
    unsigned low = divisor.shift < 8 ? (1u << divisor.shift) - 1 : 255;
    r.low_mask = _mm256_set1_epi8((char)(low << (-degree & 7)));
    return r;
}

static inline __m256i small_multiple(__m256i sum, const struct residue *r) {
    __m256i product = _mm256_mullo_epi16(sum, r->inverse);
    return _mm256_cmpeq_epi16(_mm256_min_epu16(product, r->limit), product);
}

static inline __m256i small_candidates(const slices *s, const struct residue *r) {
    __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        __m256i a = s->slice[2 * k], b = s->slice[2 * k + 1];
        low = _mm256_add_epi16(low, _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), r->powers[k]));
        high = _mm256_add_epi16(high, _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), r->powers[k]));
    }
    return _mm256_packs_epi16(small_multiple(low, r), small_multiple(high, r));
}

static inline __m256i large_others(__m256i four, const struct residue *r) {
    __m256i product = multiply4(four, r->inverse, r->swapped);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(product, _mm256_set1_epi64x(INT64_MIN)), r->limit);
}

/* Left-aligned is as good: the odd part divides a number just when it divides the number shifted. */
static inline __m256i large_candidates(const slices *s, const struct residue *r) {
    __m256i values[8], pairs[4];
    join_slices(s, values);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
        pairs[k] = _mm256_packs_epi32(large_others(values[2 * k], r), large_others(values[2 * k + 1], r));
    __m256i low = _mm256_packs_epi32(pairs[0], pairs[1]), high = _mm256_packs_epi32(pairs[2], pairs[3]);
    return _mm256_cmpeq_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
}

/* Bit i of byte k: whether window i of stretch k is a candidate. */
static inline __m256i map_of_block(const slices block[BLOCK], const struct residue *r, bool small) {
    __m256i map = _mm256_setzero_si256(), bit = _mm256_set1_epi8(1);
    for (int i = 0; i < BLOCK; i++) {
        __m256i multiple = small ? small_candidates(block + i, r) : large_candidates(block + i, r);
        __m256i low = _mm256_and_si256(block[i].slice[0], r->low_mask);
        __m256i even = _mm256_cmpeq_epi8(low, _mm256_setzero_si256());
        map = _mm256_or_si256(map, _mm256_and_si256(_mm256_and_si256(multiple, even), bit));
        bit = _mm256_add_epi8(bit, bit);
    }
    return map;
}

/* ---- sampled fingerprints ---- */

/* Bit i of maps[k]: whether window i of stretch k is a candidate, for up to 64 windows. */
static void map_of_64(const slices *prints, size_t windows, const struct residue *r,
                      uint64_t maps[SLICED_STREAMS]) {
    slices found = {0};
    for (size_t i = 0; i < 64 && i < windows; i += BLOCK)
        found.slice[i / 8] =
            r->small ? map_of_block(prints + i, r, true) : map_of_block(prints + i, r, false);
    __m256i values[8];
    join_slices(&found, values);
    for (int k = 0; k < 8; k++) store_lanes(maps + 2 * k, maps + 16 + 2 * k, values[k]);
}

static inline uint64_t print_of(const slices *s, size_t stretch) {
    const uint8_t *bytes = (const uint8_t *)s + stretch;
    uint64_t print = 0;
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) print |= (uint64_t)bytes[32 * k] << 8 * k;
    return print;
}

/* What the candidates of one stretch turn out to be. */
static size_t keep_multiples(const slices *prints, size_t stretch, int scale, const uint32_t *positions,
                             size_t count, const struct divisor *divisor, uint64_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        out[kept] = print_of(prints + positions[i], stretch) >> scale;
        kept += divides(divisor, out[kept]);
    }
    return kept;
}

size_t avx2_sliced_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t length, uint64_t n,
                       uint64_t *out) {
    const struct residue residue = residue_of(n, t->degree);
    const struct divisor divisor = divisor_of(n);
    uint64_t maps[(SLICED_LENGTH + 63) / 64][SLICED_STREAMS];
    uint32_t positions[SLICED_LENGTH + POSITION_SLACK];
    slices prints[SLICED_LENGTH];
    size_t kept = 0;
    struct run run;
    run_begin(&run, t, bytes, length);
    for (size_t begin = 0; begin < length; begin += 64) {
        for (size_t i = begin; i < length && i < begin + 64; i += BLOCK) run_block(&run, i, prints + i);
        map_of_64(prints + begin, length - begin, &residue, maps[begin / 64]);
    }
    for (size_t k = 0; k < SLICED_STREAMS; k++) {
        size_t found = 0;
        for (size_t i = 0; i < length; i += 64)
            found += list_positions(maps[i / 64][k], i, length, positions + found);
        kept += keep_multiples(prints, k, -t->degree & 7, positions, found, &divisor, out + kept);
    }
    return kept;
}
