/*
 * Rabin fingerprints of all windows, or of the sampled ones.
 *
 * All: 32 stretches of the text side by side (avx2_slices.c); in short texts fewer, of the textbook loop.
 * Sampled: where sampling bits or a residue say so, and only there, the whole fingerprint is made. For
 * multiples of 16 the sampling bits of 32 windows at a time come from a convolution (rabin_template.h).
 */
#include "kernels/avx2_rabin.h"

#include "kernels/avx2_slices.h"
#include "kernels/avx2_vector.h"
#include "kernels/divisor.h"
#include "kernels/generic.h"

#define STREAMS 5
#define RARE    16 /* one in so many */

/* ---- one fingerprint from scratch ---- */

static __m256i word_mask(int window) {
    uint64_t words[4];
    rabin_word_masks(window, words);
    return _mm256_loadu_si256((const __m256i *)words);
}

static inline __m128i low_product(__m128i a, __m128i b) {
    return _mm_clmulepi64_si128(a, b, 0x00);
}

static inline __m128i high_product(__m128i a, __m128i b) {
    return _mm_clmulepi64_si128(a, b, 0x11);
}

/* A 128-bit sum modulo the polynomial of degree 64 that is x^64 + low. */
static inline uint64_t reduce(__m128i sum, uint64_t low, uint64_t quotient) {
    __m128i constants = _mm_set_epi64x((int64_t)quotient, (int64_t)low);
    __m128i estimate = _mm_xor_si128(high_product(sum, constants), sum);
    __m128i multiple = _mm_clmulepi64_si128(estimate, constants, 0x01);
    return (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(sum, multiple));
}

static inline uint64_t window_print(const struct rabin_tables *t, const uint8_t *window, __m256i mask) {
    const __m256i reverse = _mm256_set1_epi64x(0x0001020304050607);
    const __m256i lane = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
    __m256i words = _mm256_loadu_si256((const __m256i *)window);
    words = _mm256_and_si256(_mm256_shuffle_epi8(words, _mm256_add_epi8(reverse, lane)), mask);
    __m128i first = _mm256_castsi256_si128(words), second = _mm256_extracti128_si256(words, 1);
    __m128i first_weight = _mm_loadu_si128((const __m128i *)t->weight);
    __m128i second_weight = _mm_loadu_si128((const __m128i *)(t->weight + 2));
    __m128i sum = _mm_xor_si128(low_product(first, first_weight), high_product(first, first_weight));
    sum = _mm_xor_si128(sum, low_product(second, second_weight));
    sum = _mm_xor_si128(sum, high_product(second, second_weight));
    int scale = 64 - t->degree;
    return reduce(sum, t->low << scale, t->quotient) >> scale;
}

size_t avx2_rabin_exact(const struct rabin_tables *t, const uint8_t *bytes, const struct divisor *divisor,
                        const uint32_t *positions, size_t count, uint64_t *out) {
    const __m256i mask = word_mask(t->window);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t print = window_print(t, bytes + positions[i], mask);
        out[kept] = print;
        kept += divides(divisor, print);
    }
    return kept;
}

/* ---- all fingerprints ---- */

/* The fingerprint of the window that `come` enters and `go` leaves. With degree 64, what enters and what is
 * pushed out share a table. */
static inline uint64_t slide(const struct rabin_tables *t, int degree, uint64_t print, uint8_t come,
                             uint8_t go) {
    if (degree == 64) return (print << 8 ^ t->leave[go]) ^ t->shift[print >> 56 ^ come];
    uint64_t mask = UINT64_MAX >> (64 - degree);
    return ((print << 8 & mask) ^ t->enter[come] ^ t->leave[go]) ^ t->shift[print >> (degree - 8)];
}

static uint64_t first_print(const struct rabin_tables *t, const uint8_t *window) {
    uint64_t print;
    if (t->window <= RABIN_SIMD_WINDOW) return window_print(t, window, word_mask(t->window));
    generic_rabin_all(t, window, (size_t)t->window, &print);
    return print;
}

/* STREAMS stretches of `length` windows each, side by side. */
static inline void all_streams(const struct rabin_tables *t, const uint8_t *bytes, size_t length,
                               uint64_t *out, int degree) {
    const uint8_t *come = bytes + t->window;
    uint64_t print[STREAMS];
    for (size_t k = 0; k < STREAMS; k++) out[k * length] = print[k] = first_print(t, bytes + k * length);
    for (size_t i = 1; i < length; i++) /* no step beyond the last: what would enter there is nobody's byte */
#pragma GCC unroll 8
        for (size_t k = 0; k < STREAMS; k++) {
            print[k] = slide(t, degree, print[k], come[k * length + i - 1], bytes[k * length + i - 1]);
            out[k * length + i] = print[k];
        }
}

/* Few windows: too short for slices, and each stream that starts from scratch has to repay that. */
static void all_of_few(const struct rabin_tables *t, const uint8_t *bytes, size_t windows, uint64_t *out) {
    size_t length = windows / STREAMS;
    if (length < 8 || length < (size_t)t->window / 2) {
        generic_rabin_all(t, bytes, windows + (size_t)t->window - 1, out);
        return;
    }
    if (t->degree == 64)
        all_streams(t, bytes, length, out, 64);
    else
        all_streams(t, bytes, length, out, t->degree);
    for (size_t i = STREAMS * length; i < windows; i++) out[i] = first_print(t, bytes + i);
}

/* How long the stretches of up to a chunk should be: 0 where they would be too short to repay their start. */
static size_t sliced_length(const struct rabin_tables *t, size_t windows) {
    size_t length = windows / SLICED_STREAMS / SLICED_STEP * SLICED_STEP;
    if (length > SLICED_LENGTH) length = SLICED_LENGTH;
    return length >= 24 && length >= (size_t)t->window / 2 ? length : 0;
}

void avx2_rabin_all(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t *out) {
    size_t windows = count - (size_t)t->window + 1;
    if (t->window > SLICED_WINDOW) {
        generic_rabin_all(t, bytes, count, out);
        return;
    }
    for (size_t length; (length = sliced_length(t, windows)) > 0;) {
        size_t size = SLICED_STREAMS * length;
        avx2_sliced_all(t, bytes, length, out);
        bytes += size;
        out += size;
        windows -= size;
    }
    if (windows > 0) all_of_few(t, bytes, windows, out);
}

/* ---- sampled by any n ---- */

static size_t mod_of_all(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                         uint64_t *out) {
    size_t windows = count - (size_t)t->window + 1, kept = 0;
    uint64_t prints[SLICED_CHUNK];
    for (size_t begin = 0; begin < windows; begin += SLICED_CHUNK) {
        size_t size = windows - begin < SLICED_CHUNK ? windows - begin : SLICED_CHUNK;
        avx2_rabin_all(t, bytes + begin, size + (size_t)t->window - 1, prints);
        kept += avx2_filter_mod(prints, size, n, out + kept);
    }
    return kept;
}

/* For rare multiples, which are picked out of the slices. */
static size_t mod_by_residue(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                             uint64_t *out) {
    size_t windows = count - (size_t)t->window + 1, kept = 0;
    for (size_t length; (length = sliced_length(t, windows)) > 0;) {
        kept += avx2_sliced_mod(t, bytes, length, n, out + kept);
        bytes += SLICED_STREAMS * length;
        windows -= SLICED_STREAMS * length;
    }
    return windows ? kept + mod_of_all(t, bytes, windows + (size_t)t->window - 1, n, out + kept) : kept;
}

/* ---- sampled by multiples of 16 ---- */

/* Four words in two registers, because a product takes 128 bits. */
typedef struct {
    __m128i low, high;
} text_words;

/* Words whose first byte is highest; twice is the identity. */
static inline __m128i reverse_words(__m128i two) {
    return _mm_shuffle_epi8(two, _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
}

static inline text_words words_load(const uint8_t *bytes) {
    return (text_words){reverse_words(_mm_loadu_si128((const __m128i *)bytes)),
                        reverse_words(_mm_loadu_si128((const __m128i *)(bytes + 16)))};
}

static inline text_words words_repeat(const void *bytes) {
    __m128i two = _mm_loadu_si128((const __m128i *)bytes);
    return (text_words){two, two};
}

static inline text_words words_xor(text_words a, text_words b) {
    return (text_words){_mm_xor_si128(a.low, b.low), _mm_xor_si128(a.high, b.high)};
}

#define WORDS_PRODUCT(a, b, halves)                                                                          \
    ((text_words){_mm_clmulepi64_si128((a).low, (b).low, (halves)),                                          \
                  _mm_clmulepi64_si128((a).high, (b).high, (halves))})

static inline text_words words_from_2(text_words a, text_words b) {
    return (text_words){a.high, b.low};
}

#define WORDS_FROM_4(a, b) (b) /* four words are a whole one */

static inline __m128i overlap(__m128i even, __m128i odd, __m128i even_from_2) {
    return reverse_words(_mm_xor_si128(_mm_unpacklo_epi64(even, odd), _mm_unpackhi_epi64(odd, even_from_2)));
}

static inline vec words_overlap(text_words even, text_words odd, text_words even_from_2) {
    return _mm256_set_m128i(overlap(even.high, odd.high, even_from_2.high),
                            overlap(even.low, odd.low, even_from_2.low));
}

#include "kernels/rabin_template.h"

size_t avx2_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                      uint64_t *out) {
    if (t->window > SLICED_WINDOW) return generic_rabin_mod(t, bytes, count, n, out);
    if (samples_by_low_byte(t, n))
        return mod_by_low_byte(t, bytes, count, n, out, find_candidates, avx2_rabin_exact);
    if (n >= RARE) return mod_by_residue(t, bytes, count, n, out);
    return mod_of_all(t, bytes, count, n, out);
}
