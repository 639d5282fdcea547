/* Deterministic 64-bit randomness: the same numbers on every machine, for ever (recipes depend on it). */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

#define MIX64_MULTIPLIER 0xd6e8feb86659fd93u

/* A bijection of 64 bits whose outputs look random (two multiply-xorshift rounds). */
static inline uint64_t mix64(uint64_t x) {
    x ^= x >> 32;
    x *= MIX64_MULTIPLIER;
    x ^= x >> 32;
    x *= MIX64_MULTIPLIER;
    x ^= x >> 32;
    return x;
}

/* SplitMix64: advance *state, return the next number. */
static inline uint64_t rng_next(uint64_t *state) {
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A number below `bound` (bound > 0), unbiased enough for tests and corpora (2^-64 per value). */
static inline uint64_t rng_below(uint64_t *state, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)rng_next(state) * bound) >> 64);
}

/* Uniform in [0, 1). */
static inline double rng_unit(uint64_t *state) {
    return (double)(rng_next(state) >> 11) * 0x1p-53;
}

#endif
