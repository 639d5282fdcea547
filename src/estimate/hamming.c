#include "estimate/hamming.h"

#include <math.h>

uint32_t hamming_radius(uint32_t k, double r) {
    /* k (1 - r) / 2 is often a whole number that floating point just misses: .8 of 100 bits is 10, not 9. */
    return (uint32_t)floor(k * (1 - r) / 2 + 1e-9);
}

double hamming_variance(uint32_t k, double r) {
    return (1 - r * r) / k;
}
