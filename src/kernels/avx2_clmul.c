/*
 * AVX2 with two carry-less products per instruction (VPCLMULQDQ): the table for CPUs that have it.
 *
 * Only sampling by multiples of 16 is different: the convolution of avx2_rabin.c, whose sampling bits find
 * the candidates, and the fingerprints of these, two at a time.
 */
#include "kernels/avx2.h"
#include "kernels/avx2_rabin.h"
#include "kernels/tables.h"

#include <immintrin.h>

#define CHUNK 4096 /* windows at a time */

#define PRODUCT(a, b, halves) _mm256_clmulepi64_epi128((a), (b), (halves))

static inline __m256i both_lanes(const void *table) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

/* Words whose first byte is highest; twice is the identity. */
static inline __m256i reverse_words(__m256i words) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(order));
}

static inline __m256i load_words(const uint8_t *bytes) {
    return reverse_words(_mm256_loadu_si256((const __m256i *)bytes));
}

/* ---- candidates ---- */

struct taps {
    __m256i first, second; /* words 0 and 1, 2 and 3, in both lanes */
};

/* For the even words: the sum of the products of the taps' words with as many words of text from there on.
 * `next` is the text from two words on. */
static inline __m256i convolve_even(__m256i pairs, __m256i next, const struct taps *taps, int terms) {
    __m256i sum = PRODUCT(pairs, taps->first, 0x00);
    if (terms > 1) sum = _mm256_xor_si256(sum, PRODUCT(pairs, taps->first, 0x11));
    if (terms > 2) sum = _mm256_xor_si256(sum, PRODUCT(next, taps->second, 0x00));
    if (terms > 3) sum = _mm256_xor_si256(sum, PRODUCT(next, taps->second, 0x11));
    return sum;
}

static inline __m256i convolve_odd(__m256i pairs, __m256i next, __m256i after, const struct taps *taps,
                                   int terms) {
    __m256i sum = PRODUCT(pairs, taps->first, 0x01);
    if (terms > 1) sum = _mm256_xor_si256(sum, PRODUCT(next, taps->first, 0x10));
    if (terms > 2) sum = _mm256_xor_si256(sum, PRODUCT(next, taps->second, 0x01));
    if (terms > 3) sum = _mm256_xor_si256(sum, PRODUCT(after, taps->second, 0x10));
    return sum;
}

/* What goes along the text: 32 bytes of it, those from two words on, and the products at the even words. */
struct convolution {
    struct taps taps;
    __m256i pairs, next, even;
};

static inline struct convolution convolution_begin(const struct rabin_tables *t, const uint8_t *bytes,
                                                   int terms) {
    struct convolution c = {
        .taps = {both_lanes(t->taps), both_lanes(t->taps + 2)},
        .pairs = load_words(bytes),
        .next = load_words(bytes + 16),
    };
    c.even = convolve_even(c.pairs, c.next, &c.taps, terms);
    return c;
}

/* The convolution at the next 32 windows; `left` bytes of text from there on. The upper half of each product
 * belongs to the word before. The slack reaches 64 bytes from the last window on, and so does what counts. */
static inline __m256i convolution_next(struct convolution *c, const uint8_t *bytes, size_t left, int terms) {
    __m256i pairs = load_words(bytes + 32);
    __m256i next = left > 16 ? load_words(bytes + 48) : _mm256_permute2x128_si256(pairs, pairs, 0x81);
    __m256i odd = convolve_odd(c->pairs, c->next, pairs, &c->taps, terms);
    __m256i even = convolve_even(pairs, next, &c->taps, terms);
    __m256i even_from_2 = _mm256_permute2x128_si256(c->even, even, 0x21);
    __m256i bits =
        _mm256_xor_si256(_mm256_unpacklo_epi64(c->even, odd), _mm256_unpackhi_epi64(odd, even_from_2));
    c->pairs = pairs;
    c->next = next;
    c->even = even;
    return reverse_words(bits);
}

static inline __m256i edge_bits(const uint8_t edge[2][16], const uint8_t *bytes) {
    const __m256i four_bits = _mm256_set1_epi8(15);
    __m256i all = _mm256_loadu_si256((const __m256i *)bytes);
    __m256i low = _mm256_and_si256(all, four_bits),
            high = _mm256_and_si256(_mm256_srli_epi16(all, 4), four_bits);
    return _mm256_xor_si256(_mm256_shuffle_epi8(both_lanes(edge[0]), low),
                            _mm256_shuffle_epi8(both_lanes(edge[1]), high));
}

/* Which of the next 32 windows have sampling bits that are zero under the mask. */
static inline uint64_t zero_map(struct convolution *c, const struct rabin_tables *t, const uint8_t *bytes,
                                size_t left, __m256i mask, int terms) {
    __m256i bits = convolution_next(c, bytes, left, terms);
    bits = _mm256_xor_si256(bits, edge_bits(t->edge[0], bytes));
    bits = _mm256_xor_si256(bits, edge_bits(t->edge[1], bytes + t->window - 1));
    __m256i zero = _mm256_cmpeq_epi8(_mm256_and_si256(bits, mask), _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_epi8(zero);
}

static inline size_t find_zeros(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                                __m256i mask, uint32_t *positions, int terms) {
    struct convolution c = convolution_begin(t, bytes, terms);
    size_t found = 0;
    for (size_t i = 0; i < windows; i += 64) {
        uint64_t map = zero_map(&c, t, bytes + i, windows - i, mask, terms);
        if (i + 32 < windows) map |= zero_map(&c, t, bytes + i + 32, windows - i - 32, mask, terms) << 32;
        found += list_positions(map, i, windows, positions + found);
    }
    return found;
}

/* One compiled loop per number of words that the taps fill. */
static size_t find_candidates(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                              uint8_t mask, uint32_t *positions) {
    const __m256i masks = _mm256_set1_epi8((char)mask);
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

/* ---- their fingerprints ---- */

struct scratch {
    __m256i masks[2];   /* the bytes of the words that count */
    __m256i weights[2]; /* of words 0 and 1, 2 and 3 */
    __m256i modulus;    /* without the leading term, and Barrett's constant */
    int scale;
};

static struct scratch scratch_of(const struct rabin_tables *t) {
    uint64_t words[4];
    rabin_word_masks(t->window, words);
    int scale = 64 - t->degree;
    return (struct scratch){
        .masks = {both_lanes(words), both_lanes(words + 2)},
        .weights = {both_lanes(t->weight), both_lanes(t->weight + 2)},
        .modulus =
            _mm256_broadcastsi128_si256(_mm_set_epi64x((int64_t)t->quotient, (int64_t)(t->low << scale))),
        .scale = scale,
    };
}

/* 16 bytes of each of two windows. */
static inline __m256i load_two(const uint8_t *one, const uint8_t *other) {
    __m256i lane = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)one));
    return reverse_words(_mm256_inserti128_si256(lane, _mm_loadu_si128((const __m128i *)other), 1));
}

/* The fingerprints of two windows, one in the low half of each lane. */
static inline __m256i two_prints(const struct scratch *s, const uint8_t *one, const uint8_t *other,
                                 int terms) {
    __m256i words = _mm256_and_si256(load_two(one, other), s->masks[0]);
    __m256i sum = PRODUCT(words, s->weights[0], 0x00);
    if (terms > 1) sum = _mm256_xor_si256(sum, PRODUCT(words, s->weights[0], 0x11));
    if (terms > 2) {
        words = _mm256_and_si256(load_two(one + 16, other + 16), s->masks[1]);
        sum = _mm256_xor_si256(sum, PRODUCT(words, s->weights[1], 0x00));
    }
    if (terms > 3) sum = _mm256_xor_si256(sum, PRODUCT(words, s->weights[1], 0x11));
    __m256i estimate = _mm256_xor_si256(PRODUCT(sum, s->modulus, 0x11), sum);
    sum = _mm256_xor_si256(sum, PRODUCT(estimate, s->modulus, 0x01));
    return _mm256_srl_epi64(sum, _mm_cvtsi32_si128(s->scale));
}

/* An odd last one is computed twice and counted once. */
static inline size_t exact_of_terms(const struct rabin_tables *t, const uint8_t *bytes,
                                    const struct divisor *divisor, const uint32_t *positions, size_t count,
                                    uint64_t *out, int terms) {
    const struct scratch scratch = scratch_of(t);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 2) {
        size_t other = i + 1 < count ? i + 1 : i;
        __m256i prints = two_prints(&scratch, bytes + positions[i], bytes + positions[other], terms);
        out[kept] = (uint64_t)_mm256_extract_epi64(prints, 0);
        kept += divides(divisor, out[kept]);
        out[kept] = (uint64_t)_mm256_extract_epi64(prints, 2);
        kept += other > i && divides(divisor, out[kept]);
    }
    return kept;
}

/* One compiled loop per number of words that a window fills, as above. */
static size_t exact(const struct rabin_tables *t, const uint8_t *bytes, const struct divisor *divisor,
                    const uint32_t *positions, size_t count, uint64_t *out) {
    switch ((t->window + 7) / 8) {
    case 1:
        return exact_of_terms(t, bytes, divisor, positions, count, out, 1);
    case 2:
        return exact_of_terms(t, bytes, divisor, positions, count, out, 2);
    case 3:
        return exact_of_terms(t, bytes, divisor, positions, count, out, 3);
    default:
        return exact_of_terms(t, bytes, divisor, positions, count, out, 4);
    }
}

/* ---- the kernel ---- */

static size_t mod_by_low_byte(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                              uint64_t *out) {
    const struct divisor divisor = divisor_of(n);
    size_t windows = count - (size_t)t->window + 1, kept = 0;
    uint32_t positions[CHUNK + POSITION_SLACK];
    for (size_t begin = 0; begin < windows; begin += CHUNK) {
        size_t size = windows - begin < CHUNK ? windows - begin : CHUNK;
        size_t found = find_candidates(t, bytes + begin, size, low_byte_mask(n), positions);
        kept += exact(t, bytes + begin, &divisor, positions, found, out + kept);
    }
    return kept;
}

static size_t clmul_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                              uint64_t *out) {
    if (samples_by_low_byte(t, n)) return mod_by_low_byte(t, bytes, count, n, out);
    return avx2_rabin_mod(t, bytes, count, n, out);
}

const struct kernels kernels_avx2_clmul = {
    .name = "avx2",
    .fold_ascii = avx2_fold_ascii,
    .hash_words = avx2_hash_words,
    .combine = avx2_combine,
    .rabin_all = avx2_rabin_all,
    .rabin_mod = clmul_rabin_mod,
    .filter_mod = avx2_filter_mod,
    .filter_below = avx2_filter_below,
    .oph_update = avx2_oph_update,
    .minhash_update = avx2_minhash_update,
    .simhash_update = avx2_simhash_update,
    .hamming = avx2_hamming,
    .equal_fields = avx2_equal_fields,
};
