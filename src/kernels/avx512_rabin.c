/*
 * Rabin fingerprints of the sampled windows: as in avx2_rabin.c, the sampling bits of 64 windows at a time
 * come from a convolution of the text with the taps, here four carry-less products per instruction.
 */
#include "kernels/avx512.h"

#include "kernels/avx2.h"
#include "kernels/avx2_rabin.h"

#define CHUNK 4096 /* windows at a time */

/* Words whose first byte is highest; twice is the identity. */
static inline __m512i reverse_words(__m512i words) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order));
}

/* 64 bytes from `at` on as words; zeros from the end on, which the slack does not reach beyond. */
static inline __m512i load_words(const uint8_t *bytes, size_t at, size_t end) {
    return at < end ? reverse_words(_mm512_loadu_si512(bytes + at)) : _mm512_setzero_si512();
}

/* Words 2, 3, ... of the 16 in two registers. */
static inline __m512i words_from_2(__m512i words, __m512i next) {
    return _mm512_alignr_epi64(next, words, 2);
}

struct taps {
    __m512i first, second; /* words 0 and 1, 2 and 3, in every lane */
};

#define PRODUCT(a, b, halves) _mm512_clmulepi64_epi128((a), (b), (halves))

/* For the even words: the sum of the products of the taps' words with as many words of text from there on. */
static inline __m512i convolve_even(__m512i pairs, __m512i next, const struct taps *taps, int terms) {
    __m512i sum = PRODUCT(pairs, taps->first, 0x00);
    if (terms > 1) sum = _mm512_xor_si512(sum, PRODUCT(pairs, taps->first, 0x11));
    if (terms > 2) sum = _mm512_xor_si512(sum, PRODUCT(next, taps->second, 0x00));
    if (terms > 3) sum = _mm512_xor_si512(sum, PRODUCT(next, taps->second, 0x11));
    return sum;
}

static inline __m512i convolve_odd(__m512i pairs, __m512i next, __m512i after, const struct taps *taps,
                                   int terms) {
    __m512i sum = PRODUCT(pairs, taps->first, 0x01);
    if (terms > 1) sum = _mm512_xor_si512(sum, PRODUCT(next, taps->first, 0x10));
    if (terms > 2) sum = _mm512_xor_si512(sum, PRODUCT(next, taps->second, 0x01));
    if (terms > 3) sum = _mm512_xor_si512(sum, PRODUCT(after, taps->second, 0x10));
    return sum;
}

/* What goes along the text: 128 bytes of it, and the products of the first 64 at the even words. */
struct convolution {
    struct taps taps;
    __m512i words, next, even;
};

static inline struct convolution convolution_begin(const struct rabin_tables *t, const uint8_t *bytes,
                                                   size_t end, int terms) {
    struct convolution c = {
        .taps = {_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)t->taps)),
                 _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(t->taps + 2)))},
        .words = load_words(bytes, 0, end),
        .next = load_words(bytes, 64, end),
    };
    c.even = convolve_even(c.words, words_from_2(c.words, c.next), &c.taps, terms);
    return c;
}

/* The convolution at the 64 windows from `at` on. The upper half of each product belongs to the word before.
 */
static inline __m512i convolution_next(struct convolution *c, const uint8_t *bytes, size_t at, size_t end,
                                       int terms) {
    __m512i behind = load_words(bytes, at + 128, end);
    __m512i from_2 = words_from_2(c->words, c->next), from_4 = _mm512_alignr_epi64(c->next, c->words, 4);
    __m512i odd = convolve_odd(c->words, from_2, from_4, &c->taps, terms);
    __m512i next_even = convolve_even(c->next, words_from_2(c->next, behind), &c->taps, terms);
    __m512i even_from_2 = words_from_2(c->even, next_even);
    __m512i bits =
        _mm512_xor_si512(_mm512_unpacklo_epi64(c->even, odd), _mm512_unpackhi_epi64(odd, even_from_2));
    c->words = c->next;
    c->next = behind;
    c->even = next_even;
    return reverse_words(bits);
}

static inline __m512i every_lane(const uint8_t table[16]) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table));
}

static inline __m512i edge_bits(const uint8_t edge[2][16], const uint8_t *bytes) {
    const __m512i four_bits = _mm512_set1_epi8(15);
    __m512i all = _mm512_loadu_si512(bytes);
    __m512i low = _mm512_and_si512(all, four_bits),
            high = _mm512_and_si512(_mm512_srli_epi16(all, 4), four_bits);
    return _mm512_xor_si512(_mm512_shuffle_epi8(every_lane(edge[0]), low),
                            _mm512_shuffle_epi8(every_lane(edge[1]), high));
}

static inline size_t find_zeros(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                                __m512i mask, uint32_t *positions, int terms) {
    size_t end = windows + (size_t)t->window - 1, found = 0;
    struct convolution c = convolution_begin(t, bytes, end, terms);
    for (size_t i = 0; i < windows; i += 64) {
        __m512i bits = convolution_next(&c, bytes, i, end, terms);
        bits = _mm512_xor_si512(bits, edge_bits(t->edge[0], bytes + i));
        bits = _mm512_xor_si512(bits, edge_bits(t->edge[1], bytes + i + t->window - 1));
        found += list_positions(_mm512_testn_epi8_mask(bits, mask), i, windows, positions + found);
    }
    return found;
}

/* One compiled loop per number of words that the taps fill. */
static size_t find_candidates(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                              uint8_t mask, uint32_t *positions) {
    const __m512i masks = _mm512_set1_epi8((char)mask);
    switch ((t->window + 7) / 8) {
    case 1:
        return find_zeros(t, bytes, windows, masks, positions, 1);
    case 2:
        return find_zeros(t, bytes, windows, masks, positions, 2);
    case 3:
        return find_zeros(t, bytes, windows, masks, positions, 3);
    default:
        return find_zeros(t, bytes, windows, masks, positions, 4);
    }
}

size_t avx512_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                        uint64_t *out) {
    if (!samples_by_low_byte(t, n)) return avx2_rabin_mod(t, bytes, count, n, out);
    const struct divisor divisor = divisor_of(n);
    size_t windows = count - (size_t)t->window + 1, kept = 0;
    uint32_t positions[CHUNK + POSITION_SLACK];
    for (size_t begin = 0; begin < windows; begin += CHUNK) {
        size_t size = windows - begin < CHUNK ? windows - begin : CHUNK;
        size_t found = find_candidates(t, bytes + begin, size, low_byte_mask(n), positions);
        kept += avx2_rabin_exact(t, bytes + begin, &divisor, positions, found, out + kept);
    }
    return kept;
}
