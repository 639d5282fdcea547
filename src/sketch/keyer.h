/*
 * What is kept of a document to find others by: its minima, cut to a few bits each, and its samples.
 *
 * A minimum of one set equals that of another with probability J (their resemblance), for sets of any size: a
 * document of one shingle has as many minima as one of a million.
 */
#ifndef SKETCH_KEYER_H
#define SKETCH_KEYER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/rng.h"

#define KEY_MINIMA 128 /* of a document, at most */
#define KEY_BITS   8   /* kept of a minimum */

/* Documents of up to so many distinct shingles are counted. The error of the ratio of two is within the
 * square of this: 3.6 standard deviations for documents of 166 shingles. */
#define KEY_COUNTED       1024
#define KEY_COUNTED_ERROR 1.025

/* What keys are made like: those of one form compare. */
struct key_form {
    uint32_t minima, rows; /* rows of a band: those that have one check are neighbours */
    uint32_t checks;       /* bands with a check, from the first on: a byte each, behind the minima */
    bool sampled;          /* samples are made, and documents counted */
    uint64_t modulus;      /* samples are the fingerprints that are 0 mod it */
    uint64_t coarse;       /* those that are 0 mod it come first among minima; divides modulus; 1: no order */
    uint64_t seed;
};

/* Of all minima there may be, in bands of two rows, none of them checked: with the samples, order and seed
 * that suit the view. */
struct view;
struct key_form key_form_for(const struct view *view);

static inline size_t key_form_bytes(const struct key_form *form) {
    return form->minima + form->checks;
}

struct keyer; /* scratch of one worker, for any number of documents */

stemma_status keyer_new(struct key_form form, struct keyer **out, stemma_error *err);
void keyer_free(struct keyer *keyer);

/* All fingerprints of one document, in any order, repetitions allowed, count > 0, KERNEL_SLACK readable bytes
 * behind them. keys: key_form_bytes bytes. samples: replaced by the keys of the distinct fingerprints that
 * are 0 mod form->modulus, ascending, of KEY_SAMPLE_BITS bits; empty when they are not wanted. */
stemma_status keyer_make(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                         struct vec64 *samples, stemma_error *err);
#define KEY_SAMPLE_BITS 40

/* Of a fingerprint that is 0 mod the modulus: mixed, so that keys are evenly spread whatever the fingerprints
 * are. */
static inline uint64_t key_sample_mix(uint64_t seed, uint64_t fp) {
    return mix64(fp ^ ~seed);
}
static inline uint64_t key_sample(uint64_t seed, uint64_t fp) {
    return key_sample_mix(seed, fp) >> (64 - KEY_SAMPLE_BITS);
}

/* The same by those fingerprints alone that are 0 mod form->coarse, of which a long document has enough:
 * *done is false, and nothing made, when all are needed. */
stemma_status keyer_make_coarse(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                                struct vec64 *samples, bool *done, stemma_error *err);

/* How many distinct fingerprints the last document had, when samples are wanted: counted up to
 * KEY_COUNTED, with an error of about 1 %, and above that estimated by its minima, with one of about 1 /
 * sqrt(form->minima). */
uint32_t keyer_size(const struct keyer *keyer);

/* The same for a document that comes in pieces, in memory that does not grow with repetitions. */
void keyer_begin(struct keyer *keyer);
stemma_status keyer_add(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err);
stemma_status keyer_end(struct keyer *keyer, uint8_t *keys, struct vec64 *samples, stemma_error *err);

#endif
