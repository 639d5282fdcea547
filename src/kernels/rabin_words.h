/* The text_words of rabin_template.h in one register, where products are as wide. Expects a *_vector.h, and
 * vec_unpack_low and vec_unpack_high of 64-bit words. */
#ifndef KERNELS_RABIN_WORDS_H
#define KERNELS_RABIN_WORDS_H

typedef vec text_words;

/* Words whose first byte is highest; twice is the identity. */
static inline vec reverse_words(vec a) {
    static const uint8_t order[16] = {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
    return vec_shuffle(a, vec_repeat(order));
}

static inline text_words words_load(const uint8_t *bytes) {
    return reverse_words(vec_load(bytes));
}

static inline text_words words_repeat(const void *two) {
    return vec_repeat(two);
}

static inline text_words words_xor(text_words a, text_words b) {
    return vec_xor(a, b);
}

static inline vec words_overlap(text_words even, text_words odd, text_words even_from_2) {
    return reverse_words(vec_xor(vec_unpack_low(even, odd), vec_unpack_high(odd, even_from_2)));
}

#endif
