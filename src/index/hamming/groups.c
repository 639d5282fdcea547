#include "index/hamming/groups.h"

#include "base/bits.h"
#include "base/rng.h"

void bit_groups_divide(uint32_t first, uint32_t bits, uint32_t count, struct bit_group *out) {
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct bit_group){first, bits / count + (i < bits % count)};
        first += out[i].width;
    }
}

/* Up to 64 bits. */
static uint64_t bits_at(const uint64_t *words, uint32_t first, uint32_t width) {
    uint32_t word = first / 64, shift = first % 64;
    uint64_t bits = words[word] >> shift;
    if (shift + width > 64) bits |= words[word + 1] << (64 - shift);
    return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static uint32_t hash_bits(const uint64_t *words, uint32_t first, uint32_t width) {
    uint64_t hash = width;
    for (uint32_t end = first + width; first < end; first += 64)
        hash = mix64(hash ^ bits_at(words, first, end - first < 64 ? end - first : 64));
    return (uint32_t)hash;
}

uint64_t bit_group_key(struct bit_group group, const uint64_t *fingerprint) {
    uint64_t value = group.width <= 32 ? bits_at(fingerprint, group.first, group.width)
                                       : hash_bits(fingerprint, group.first, group.width);
    return (uint64_t)group.first << 32 | value;
}

uint32_t hamming_distance(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    uint32_t differing = 0;
    for (size_t w = 0; w < bits / 64; w++) differing += (uint32_t)bits_count(a[w] ^ b[w]);
    if (bits % 64) {
        uint64_t counted = (UINT64_C(1) << bits % 64) - 1;
        differing += (uint32_t)bits_count((a[bits / 64] ^ b[bits / 64]) & counted);
    }
    return differing;
}
