/*
 * Which shingles of one document have been met in another, however they were met: a mark for each position of
 * the first document, and a list of the fingerprints that it has not.
 */
#ifndef ESTIMATE_TALLY_H
#define ESTIMATE_TALLY_H

#include "base/bits.h"
#include "estimate/distinct.h"
#include "estimate/exact.h"
#include "estimate/places.h"

/* The document that is met. Zeroed at first, and reusable. */
struct tally_base {
    struct places places;
    struct vec64 firsts; /* a bit for each position that is the first of its fingerprint */
    size_t count;        /* positions */
};

void tally_base_init(struct tally_base *base);
/* The fingerprints must stay. */
stemma_status tally_base_set(struct tally_base *base, const uint64_t *fp, size_t count, stemma_error *err);
void tally_base_release(struct tally_base *base);

/* Likewise. */
struct tally {
    struct vec64 marks;     /* bits */
    struct vec64 rest;      /* fingerprints that are not in the base, with repetitions */
    struct vec64 met, bits; /* of tally_all: positions, and a bit for each, zero before and after */
    struct distinct distinct;
};

stemma_status tally_begin(struct tally *tally, const struct tally_base *base, stemma_error *err);

/* Shingles that are those of the base at positions from `at` on. */
static inline void tally_mark(struct tally *tally, size_t at, size_t count) {
    bits_set_range(tally->marks.data, at, count);
}

/* A shingle that is at position `at` or, for PLACES_NONE, nowhere: then there is room for it in rest. */
static inline void tally_put(struct tally *tally, uint64_t fp, size_t at) {
    if (at == PLACES_NONE)
        tally->rest.data[tally->rest.len++] = fp;
    else
        bits_set(tally->marks.data, at);
}

/* Shingles that are looked for. */
stemma_status tally_find(struct tally *tally, const struct tally_base *base, const uint64_t *fp, size_t count,
                         stemma_error *err);

/* The numbers: a is the base. */
stemma_status tally_end(struct tally *tally, const struct tally_base *base, struct overlap *out,
                        stemma_error *err);

/* All at once: the numbers for shingles that are looked for. It takes no longer when the base is large. */
stemma_status tally_all(struct tally *tally, const struct tally_base *base, const uint64_t *fp, size_t count,
                        struct overlap *out, stemma_error *err);
void tally_release(struct tally *tally);

#endif
