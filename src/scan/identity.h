/*
 * Whether two byte strings are the same, by 128 bits instead of all of them: a polynomial over GF(2^128)
 * whose coefficients are the string's blocks of 16 bytes (the last padded with zeros) and its length, at a
 * point that is drawn for the run and never leaves it.
 *
 * It is a universal hash: two such polynomials of degree n agree at no more than n points, so that strings
 * which were chosen without knowing the point collide with probability at most (ceil(size / 16) + 1) / 2^128,
 * and nobody learns the point from which files are called identical. A cryptographic digest, which would have
 * to hold against those who know everything, costs fifteen times as much.
 *
 * What outlives the run, and is compared with what others made, is such a digest: the first 128 bits of that
 * of sketches.
 */
#ifndef SCAN_IDENTITY_H
#define SCAN_IDENTITY_H

#include "base/buf.h"
#include "base/digest.h"
#include "kernels/kernels.h"

struct identity {
    uint64_t low, high;
};

struct identity_key {
    struct horner_key point;
    bool lasting; /* digests instead */
};

#define IDENTITY_BLOCK 16
void identity_key_draw(struct identity_key *key);
void identity_key_lasting(struct identity_key *key);
void identity_key_set(struct identity_key *key, const uint8_t point[IDENTITY_BLOCK]); /* for tests */

struct identity identity_of(const struct identity_key *key, const void *data, size_t size);

/* The same of what comes in pieces. */
struct identity_state {
    const struct identity_key *key;
    uint64_t sum[2]; /* of the whole blocks */
    uint64_t size;
    uint8_t rest[IDENTITY_BLOCK]; /* size % IDENTITY_BLOCK bytes that are no block yet */
    struct digest digest;         /* of a lasting key, instead of all above */
};
void identity_begin(struct identity_state *state, const struct identity_key *key);
void identity_add(struct identity_state *state, const void *data, size_t size);
struct identity identity_end(struct identity_state *state);

/* As 16 bytes. */
static inline void identity_store(struct identity identity, uint8_t bytes[IDENTITY_BLOCK]) {
    store_u64(bytes, identity.low);
    store_u64(bytes + 8, identity.high);
}

static inline bool identity_equal(struct identity a, struct identity b) {
    return a.low == b.low && a.high == b.high;
}

#endif
