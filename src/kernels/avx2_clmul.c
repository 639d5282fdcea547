/*
 * AVX2 with two carry-less products per instruction (VPCLMULQDQ), for CPUs that have it: sampling by
 * multiples of 16, both the convolution that finds the candidates (rabin_template.h) and the fingerprints of
 * these, two at a time.
 */
#include "kernels/avx2_vector.h"

#define WORDS_PRODUCT(a, b, halves) _mm256_clmulepi64_epi128((a), (b), (halves))

static inline vec vec_unpack_low(vec a, vec b) {
    return _mm256_unpacklo_epi64(a, b);
}

static inline vec vec_unpack_high(vec a, vec b) {
    return _mm256_unpackhi_epi64(a, b);
}

static inline vec words_from_2(vec a, vec b) {
    return _mm256_permute2x128_si256(a, b, 0x21);
}

#define WORDS_FROM_4(a, b) (b) /* four words are a whole one */

#include "kernels/rabin_words.h"

#include "kernels/rabin_template.h"

/* ---- their fingerprints ---- */

struct scratch {
    vec masks[2];   /* the bytes of the words that count */
    vec weights[2]; /* of words 0 and 1, 2 and 3 */
    vec modulus;    /* without the leading term, and Barrett's constant */
    int scale;
};

static struct scratch scratch_of(const struct rabin_tables *t) {
    uint64_t words[4];
    rabin_word_masks(t->window, words);
    int scale = 64 - t->degree;
    return (struct scratch){
        .masks = {vec_repeat(words), vec_repeat(words + 2)},
        .weights = {vec_repeat(t->weight), vec_repeat(t->weight + 2)},
        .modulus =
            _mm256_broadcastsi128_si256(_mm_set_epi64x((int64_t)t->quotient, (int64_t)(t->low << scale))),
        .scale = scale,
    };
}

/* 16 bytes of each of two windows. */
static inline vec load_two(const uint8_t *one, const uint8_t *other) {
    __m256i lane = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)one));
    return reverse_words(_mm256_inserti128_si256(lane, _mm_loadu_si128((const __m128i *)other), 1));
}

/* The fingerprints of two windows, one in the low half of each lane. */
static inline vec two_prints(const struct scratch *s, const uint8_t *one, const uint8_t *other, int terms) {
    vec words = vec_and(load_two(one, other), s->masks[0]);
    vec sum = WORDS_PRODUCT(words, s->weights[0], 0x00);
    if (terms > 1) sum = vec_xor(sum, WORDS_PRODUCT(words, s->weights[0], 0x11));
    if (terms > 2) {
        words = vec_and(load_two(one + 16, other + 16), s->masks[1]);
        sum = vec_xor(sum, WORDS_PRODUCT(words, s->weights[1], 0x00));
    }
    if (terms > 3) sum = vec_xor(sum, WORDS_PRODUCT(words, s->weights[1], 0x11));
    vec estimate = vec_xor(WORDS_PRODUCT(sum, s->modulus, 0x11), sum);
    sum = vec_xor(sum, WORDS_PRODUCT(estimate, s->modulus, 0x01));
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
        vec prints = two_prints(&scratch, bytes + positions[i], bytes + positions[other], terms);
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

size_t avx2_clmul_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                            uint64_t *out) {
    if (samples_by_low_byte(t, n)) return mod_by_low_byte(t, bytes, count, n, out, find_candidates, exact);
    return avx2_rabin_mod(t, bytes, count, n, out);
}
