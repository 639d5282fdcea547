/*
 * Fingerprints of k bits in groups (Yuan et al. 2012, sections 3.1 and 4): of two that differ in at most r_h
 * bits, all but r_h of m groups are equal.
 *
 * A fingerprint is an array of words; bit i is bit i % 64 of word i / 64, and what is above bit k - 1 is
 * zero.
 */
#ifndef INDEX_HAMMING_GROUPS_H
#define INDEX_HAMMING_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#define HAMMING_BITS_MOST 4096

static inline size_t hamming_words(uint32_t bits) {
    return (bits + 63) / 64;
}

struct bit_group {
    uint32_t first, width; /* bits */
};

/* `count` groups of the bits from `first` on, whose widths differ by one at most, the wider ones first: 64
 * bits in 6 groups are 11, 11, 11, 11, 10, 10. 1 <= count <= bits. */
void bit_groups_divide(uint32_t first, uint32_t bits, uint32_t count, struct bit_group *out);

/* What a fingerprint has in a group, as a key of the merged one-dimensional index: the group's first bit
 * above 32 bits for its value (eq. 12; the first bit instead of a number, so that a key stays what it is
 * however the bits behind are grouped). Groups wider than 32 bits have a hash for a value: equal values have
 * equal keys, and candidates are verified. */
uint64_t bit_group_key(struct bit_group group, const uint64_t *fingerprint);

/* Bits in which two fingerprints differ. */
uint32_t hamming_distance(const uint64_t *a, const uint64_t *b, uint32_t bits);

#endif
