/*
 * What is kept of a document for the join: its minima, cut to a few bits each, and its samples.
 *
 * A minimum of one set equals that of another with probability J (their resemblance), for sets of any size: a
 * document of one shingle has as many minima as one of a million.
 */
#ifndef JOIN_KEYS_H
#define JOIN_KEYS_H

#include "base/buf.h"
#include "base/rng.h"
#include "join/plan.h"

struct keyer; /* scratch of one worker, for any number of documents */

stemma_status keyer_new(const struct join_plan *plan, struct keyer **out, stemma_error *err);
void keyer_free(struct keyer *keyer);

/* All fingerprints of one document, in any order, repetitions allowed, count > 0, KERNEL_SLACK readable bytes
 * behind them. keys: plan->key_bytes bytes. samples: replaced by the keys of the distinct fingerprints that
 * are 0 mod plan->modulus, ascending, of JOIN_SAMPLE_BITS bits; empty when containment is not looked for. */
stemma_status keyer_make(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                         struct vec64 *samples, stemma_error *err);
#define JOIN_SAMPLE_BITS 40

/* Of a fingerprint that is 0 mod the modulus: mixed, so that keys are evenly spread whatever the fingerprints
 * are. */
static inline uint64_t join_sample_mix(const struct join_plan *plan, uint64_t fp) {
    return mix64(fp ^ ~plan->seed);
}
static inline uint64_t join_sample_key(const struct join_plan *plan, uint64_t fp) {
    return join_sample_mix(plan, fp) >> (64 - JOIN_SAMPLE_BITS);
}

/* The same by those fingerprints alone that are 0 mod plan->coarse, of which a long document has enough:
 * *done is false, and nothing made, when all are needed. */
stemma_status keyer_make_coarse(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                                struct vec64 *samples, bool *done, stemma_error *err);

/* How many distinct fingerprints the last document had, when containment is looked for: counted up to
 * JOIN_COUNTED, with an error of about 1 %, and above that estimated by its minima, with one of about 1 /
 * sqrt(plan->minima). */
uint32_t keyer_size(const struct keyer *keyer);

/* The same for a document that comes in pieces, in memory that does not grow with repetitions. */
void keyer_begin(struct keyer *keyer);
stemma_status keyer_add(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err);
stemma_status keyer_end(struct keyer *keyer, uint8_t *keys, struct vec64 *samples, stemma_error *err);

#endif
