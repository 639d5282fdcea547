/* Division-free test of divisibility: v is a multiple of n = odd * 2^shift just when v times the inverse of
 * odd (mod 2^64), rotated right by shift, is at most (2^64 - 1) / n. */
#ifndef KERNELS_DIVISOR_H
#define KERNELS_DIVISOR_H

#include <stdbool.h>
#include <stdint.h>

struct divisor {
    uint64_t inverse, limit;
    int shift;
};

static inline struct divisor divisor_of(uint64_t n) {
    struct divisor divisor = {.limit = UINT64_MAX / n, .shift = __builtin_ctzll(n)};
    uint64_t odd = n >> divisor.shift;
    divisor.inverse = odd; /* right in 3 bits; each of Newton's steps doubles them */
    for (int bits = 3; bits < 64; bits *= 2) divisor.inverse *= 2 - odd * divisor.inverse;
    return divisor;
}

static inline bool divides(const struct divisor *divisor, uint64_t value) {
    uint64_t product = value * divisor->inverse;
    int shift = divisor->shift;
    return (product >> shift | product << (-shift & 63)) <= divisor->limit;
}

#endif
