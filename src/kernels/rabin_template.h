/*
 * Template: windows whose sampling bits are zero, by a convolution of the text with the taps.
 *
 * The text is taken as 64-bit words, first byte highest. A carry-less product is two words wide, so the
 * products that begin at even and at odd words are summed apart; the upper half of each sum belongs to the
 * word before.
 *
 * Expects a *_vector.h, and text_words, VEC_BYTES of text: words_load, words_repeat (two words in every lane
 * of 128 bits), words_xor, WORDS_PRODUCT (one product per lane), words_from_2 and WORDS_FROM_4 (what begins
 * so many words into the first of two), words_overlap (the halves of sums put together, as bytes of text).
 * Gives find_candidates.
 */
#include "kernels/avx2_rabin.h"

struct taps {
    text_words first, second; /* words 0 and 1, 2 and 3, in every lane */
};

/* The sum of the products of the taps' words with as many words of text, from each even word on. */
SPECIALISED text_words convolve_even(text_words text, text_words from_2, const struct taps *taps, int terms) {
    text_words sum = WORDS_PRODUCT(text, taps->first, 0x00);
    if (terms > 1) sum = words_xor(sum, WORDS_PRODUCT(text, taps->first, 0x11));
    if (terms > 2) sum = words_xor(sum, WORDS_PRODUCT(from_2, taps->second, 0x00));
    if (terms > 3) sum = words_xor(sum, WORDS_PRODUCT(from_2, taps->second, 0x11));
    return sum;
}

SPECIALISED text_words convolve_odd(text_words text, text_words from_2, text_words from_4,
                                    const struct taps *taps, int terms) {
    text_words sum = WORDS_PRODUCT(text, taps->first, 0x01);
    if (terms > 1) sum = words_xor(sum, WORDS_PRODUCT(from_2, taps->first, 0x10));
    if (terms > 2) sum = words_xor(sum, WORDS_PRODUCT(from_2, taps->second, 0x01));
    if (terms > 3) sum = words_xor(sum, WORDS_PRODUCT(from_4, taps->second, 0x10));
    return sum;
}

/* What goes along the text: a vector of it, the next, what begins two words into the first, and the sums at
 * its even words. */
struct convolution {
    struct taps taps;
    text_words text, next, from_2, even;
};

/* Text from `at` on; anything from the end on, because the slack reaches only one vector beyond. */
static inline text_words text_at(const uint8_t *bytes, size_t at, size_t end) {
    return words_load(bytes + (at < end ? at : 0));
}

SPECIALISED struct convolution convolution_begin(const struct rabin_tables *t, const uint8_t *bytes,
                                                 size_t end, int terms) {
    struct convolution c = {
        .taps = {words_repeat(t->taps), words_repeat(t->taps + 2)},
        .text = words_load(bytes),
        .next = text_at(bytes, VEC_BYTES, end),
    };
    c.from_2 = words_from_2(c.text, c.next);
    c.even = convolve_even(c.text, c.from_2, &c.taps, terms);
    return c;
}

/* The convolution at the VEC_BYTES windows from `at` on. */
SPECIALISED vec convolution_next(struct convolution *c, const uint8_t *bytes, size_t at, size_t end,
                                 int terms) {
    text_words behind = text_at(bytes, at + 2 * VEC_BYTES, end), next_from_2 = words_from_2(c->next, behind);
    text_words odd = convolve_odd(c->text, c->from_2, WORDS_FROM_4(c->text, c->next), &c->taps, terms);
    text_words next_even = convolve_even(c->next, next_from_2, &c->taps, terms);
    vec bits = words_overlap(c->even, odd, words_from_2(c->even, next_even));
    c->text = c->next;
    c->next = behind;
    c->from_2 = next_from_2;
    c->even = next_even;
    return bits;
}

static inline vec edge_bits(const uint8_t edge[2][16], const uint8_t *bytes) {
    vec all = vec_load(bytes), low = vec_and(all, vec_all8(15)), high = vec_high_nibbles(all);
    return vec_xor(vec_shuffle(vec_repeat(edge[0]), low), vec_shuffle(vec_repeat(edge[1]), high));
}

/* Which of the VEC_BYTES windows from `at` on have sampling bits that are zero under the mask. */
SPECIALISED uint64_t zero_map(struct convolution *c, const struct rabin_tables *t, const uint8_t *bytes,
                              size_t at, size_t end, vec mask, int terms) {
    vec bits = convolution_next(c, bytes, at, end, terms);
    bits = vec_xor(bits, edge_bits(t->edge[0], bytes + at));
    bits = vec_xor(bits, edge_bits(t->edge[1], bytes + at + t->window - 1));
    return vec_zeros(bits, mask);
}

/* Inlined or cloned as the compiler likes: inlining by force into one function costs a twentieth. */
static inline size_t find_zeros(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                                uint8_t mask, uint32_t *positions, int terms) {
    const vec masks = vec_all8(mask);
    size_t end = windows + (size_t)t->window - 1, found = 0;
    struct convolution c = convolution_begin(t, bytes, end, terms);
    for (size_t i = 0; i < windows; i += 64) {
        uint64_t map = zero_map(&c, t, bytes, i, end, masks, terms);
        if (VEC_BYTES == 32 && i + 32 < windows)
            map |= zero_map(&c, t, bytes, i + 32, end, masks, terms) << 32;
        found += list_positions(map, i, windows, positions + found);
    }
    return found;
}

/* One compiled loop per number of words that the taps fill. */
static size_t find_candidates(const struct rabin_tables *t, const uint8_t *bytes, size_t windows,
                              uint8_t mask, uint32_t *positions) {
    switch ((t->window + 7) / 8) {
    case 1:
        return find_zeros(t, bytes, windows, mask, positions, 1);
    case 2:
        return find_zeros(t, bytes, windows, mask, positions, 2);
    case 3:
        return find_zeros(t, bytes, windows, mask, positions, 3);
    default:
        return find_zeros(t, bytes, windows, mask, positions, 4);
    }
}
