/* What the vector versions of rabin_mod share: from bit maps of candidates to fingerprints. */
#ifndef KERNELS_AVX2_RABIN_H
#define KERNELS_AVX2_RABIN_H

#include "kernels/divisor.h"
#include "kernels/kernels.h"

/* Compiled anew for each constant that it is called with. */
#define SPECIALISED static inline __attribute__((always_inline))

#define POSITION_SLACK 2 /* list_positions writes pairs */

/* Whether looking at the low byte first pays: with fewer zero bits asked for, too many windows pass. */
static inline bool samples_by_low_byte(const struct rabin_tables *tables, uint64_t n) {
    return tables->window <= RABIN_SIMD_WINDOW && n % 16 == 0;
}

/* The bytes of the window's words that count, when the words are loaded with the first byte highest. */
static inline void rabin_word_masks(int window, uint64_t words[4]) {
    for (int i = 0; i < 4; i++) {
        int bytes = window - 8 * i;
        words[i] = bytes >= 8 ? UINT64_MAX : bytes > 0 ? ~(UINT64_MAX >> 8 * bytes) : 0;
    }
}

/* The bits of a fingerprint's low byte that are zero in every multiple of n. */
static inline uint8_t low_byte_mask(uint64_t n) {
    return (uint8_t)((n & -n) - 1);
}

/* Its number; with no bit set, anything, but no branch. */
static inline size_t lowest_bit(uint64_t map) {
    return (size_t)__builtin_ctzll(map | UINT64_C(1) << 63);
}

/* The positions begin + i below `end` of the bits i set in map; returns how many. */
static inline size_t list_positions(uint64_t map, size_t begin, size_t end, uint32_t *positions) {
    if (end - begin < 64) map &= (UINT64_C(1) << (end - begin)) - 1;
    size_t count = (size_t)__builtin_popcountll(map), i = 0;
    do { /* two, wanted or not: no branch to guess where few are set */
        positions[i] = (uint32_t)(begin + lowest_bit(map));
        map &= map - 1;
        positions[i + 1] = (uint32_t)(begin + lowest_bit(map));
        map &= map - 1;
    } while ((i += 2) < count);
    return count;
}

/* The fingerprints of the windows at the positions (windows of up to RABIN_SIMD_WINDOW bytes), where they are
 * multiples of the divisor. */
size_t avx2_rabin_exact(const struct rabin_tables *tables, const uint8_t *bytes,
                        const struct divisor *divisor, const uint32_t *positions, size_t count,
                        uint64_t *out);

#define CANDIDATE_CHUNK 4096 /* windows at a time */

/* Sampling by a low byte that shows: `find` lists where its bits under the mask are zero, `exact` makes the
 * fingerprints there. */
static inline size_t
mod_by_low_byte(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n, uint64_t *out,
                size_t (*find)(const struct rabin_tables *, const uint8_t *, size_t, uint8_t, uint32_t *),
                size_t (*exact)(const struct rabin_tables *, const uint8_t *, const struct divisor *,
                                const uint32_t *, size_t, uint64_t *)) {
    const struct divisor divisor = divisor_of(n);
    size_t windows = count - (size_t)t->window + 1, kept = 0;
    uint32_t positions[CANDIDATE_CHUNK + POSITION_SLACK];
    for (size_t begin = 0; begin < windows; begin += CANDIDATE_CHUNK) {
        size_t size = windows - begin < CANDIDATE_CHUNK ? windows - begin : CANDIDATE_CHUNK;
        size_t found = find(t, bytes + begin, size, low_byte_mask(n), positions);
        kept += exact(t, bytes + begin, &divisor, positions, found, out + kept);
    }
    return kept;
}

#endif
