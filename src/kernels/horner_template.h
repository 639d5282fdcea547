/*
 * Template: Horner's rule over GF(2^128), HORNER_POWERS blocks at a time, each times its own power of r: the
 * products are 256 bits wide, added up, and reduced once.
 *
 * Expects `lanes`, LANES blocks of 128 bits side by side: lanes_zero, lanes_some (the first few, the others
 * zero), lanes_first (one, the others zero), lanes_xor, lanes_swap (the halves of each), LANES_PRODUCT (one
 * product per lane), lanes_sum. Gives horner.
 */
#include "kernels/kernels.h"

/* Products by Karatsuba's three multiplications: of the low halves,
 * the high halves, and the sums of halves. */
struct products {
    lanes low, high, mixed;
};

static inline void products_add(struct products *p, lanes blocks, lanes powers) {
    lanes block_sums = lanes_xor(blocks, lanes_swap(blocks)),
          power_sums = lanes_xor(powers, lanes_swap(powers));
    p->low = lanes_xor(p->low, LANES_PRODUCT(blocks, powers, 0x00));
    p->high = lanes_xor(p->high, LANES_PRODUCT(blocks, powers, 0x11));
    p->mixed = lanes_xor(p->mixed, LANES_PRODUCT(block_sums, power_sums, 0x00));
}

/* x^128 = x^7 + x^2 + x + 1: first for the upper half of what is above,
 * whose product reaches into the lower. */
static inline __m128i products_reduce(const struct products *p) {
    const __m128i modulus = _mm_cvtsi32_si128(0x87);
    __m128i low = lanes_sum(p->low), high = lanes_sum(p->high);
    __m128i middle = _mm_xor_si128(lanes_sum(p->mixed), _mm_xor_si128(low, high));
    high = _mm_xor_si128(high, _mm_srli_si128(middle, 8));
    middle = _mm_xor_si128(_mm_slli_si128(middle, 8), low);
    __m128i upper = _mm_clmulepi64_si128(high, modulus, 0x01);
    high = _mm_xor_si128(high, _mm_srli_si128(upper, 8));
    middle = _mm_xor_si128(middle, _mm_slli_si128(upper, 8));
    return _mm_xor_si128(middle, _mm_clmulepi64_si128(high, modulus, 0x00));
}

/* Up to HORNER_POWERS blocks. Those that the sum is added to come last: the others need not wait for it. */
static inline __attribute__((always_inline)) __m128i horner_some(const struct horner_key *r,
                                                                 const uint8_t *blocks, size_t count,
                                                                 __m128i sum) {
    const uint64_t(*powers)[2] = r->powers + HORNER_POWERS - count;
    size_t first = (count - 1) % LANES + 1;
    struct products p = {lanes_zero(), lanes_zero(), lanes_zero()};
    for (size_t i = first; i < count; i += LANES)
        products_add(&p, lanes_some(blocks + 16 * i, LANES), lanes_some(powers + i, LANES));
    products_add(&p, lanes_xor(lanes_some(blocks, first), lanes_first(sum)), lanes_some(powers, first));
    return products_reduce(&p);
}

static inline void horner(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]) {
    __m128i total = _mm_loadu_si128((const __m128i *)sum);
    for (; count >= HORNER_POWERS; count -= HORNER_POWERS, blocks += 16 * HORNER_POWERS)
        total = horner_some(r, blocks, HORNER_POWERS, total);
    if (count > 0) total = horner_some(r, blocks, count, total);
    _mm_storeu_si128((__m128i *)sum, total);
}
