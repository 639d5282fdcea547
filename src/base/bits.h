/* Bits in an array of words, by ranges. Ranges are inside the array; one word behind the last one used is
 * readable. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words for `count` bits, and the one behind. */
static inline size_t bits_words(size_t count) {
    return count / 64 + 2;
}

/* The lowest `count` bits, for counts from 1 to 64. */
static inline uint64_t bits_low(size_t count) {
    return UINT64_MAX >> (64 - count);
}

/* How many are set, without an instruction that not every CPU has: the compiler would call a function. */
static inline size_t bits_count(uint64_t word) {
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (size_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline void bits_set(uint64_t *words, size_t at) {
    words[at / 64] |= UINT64_C(1) << at % 64;
}

static inline void bits_fill(uint64_t *word, uint64_t mask, bool value) {
    *word = value ? *word | mask : *word & ~mask;
}

/* Inlined with a constant value. */
static inline void bits_fill_range(uint64_t *words, size_t at, size_t count, bool value) {
    if (count == 0) return;
    size_t first = at / 64, last = (at + count - 1) / 64;
    uint64_t head = UINT64_MAX << at % 64, tail = bits_low((at + count - 1) % 64 + 1);
    if (first == last) {
        bits_fill(&words[first], head & tail, value);
        return;
    }
    bits_fill(&words[first], head, value);
    for (size_t i = first + 1; i < last; i++) words[i] = value ? UINT64_MAX : 0;
    bits_fill(&words[last], tail, value);
}

static inline void bits_set_range(uint64_t *words, size_t at, size_t count) {
    bits_fill_range(words, at, count, true);
}

static inline void bits_clear_range(uint64_t *words, size_t at, size_t count) {
    bits_fill_range(words, at, count, false);
}

/* Up to 64 bits from any place on; what is above `count` is zero. */
static inline uint64_t bits_get(const uint64_t *words, size_t at, size_t count) {
    size_t shift = at % 64;
    uint64_t low = words[at / 64] >> shift, high = shift ? words[at / 64 + 1] << (64 - shift) : 0;
    return (low | high) & bits_low(count);
}

static inline void bits_or(uint64_t *words, size_t at, uint64_t bits) {
    size_t shift = at % 64;
    words[at / 64] |= bits << shift;
    if (shift) words[at / 64 + 1] |= bits >> (64 - shift);
}

/* Set where the bits of another range, which does not overlap this one, are set. */
static inline void bits_or_range(uint64_t *words, size_t to, size_t from, size_t count) {
    for (size_t done = 0; done < count; done += 64) {
        size_t step = count - done < 64 ? count - done : 64;
        bits_or(words, to + done, bits_get(words, from + done, step));
    }
}

#endif
