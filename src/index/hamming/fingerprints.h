/* Fingerprints in memory as a source of hamming_query: for tests, measurements, and batches not yet
 * committed. */
#ifndef INDEX_HAMMING_FINGERPRINTS_H
#define INDEX_HAMMING_FINGERPRINTS_H

#include "index/hamming/retrieval.h"

struct fingerprints;

/* Of `bits` bits each (1 to HAMMING_BITS_MOST), in `groups` groups (0: no index). Numbers are 0, 1, 2 … in
 * the order of adding. */
stemma_status fingerprints_new(uint32_t bits, uint32_t groups, struct fingerprints **out, stemma_error *err);
void fingerprints_free(struct fingerprints *set);

/* hamming_words(bits) words. */
stemma_status fingerprints_add(struct fingerprints *set, const uint64_t *fingerprint, stemma_error *err);

/* No more: the index is made. */
stemma_status fingerprints_finish(struct fingerprints *set, stemma_error *err);

/* Stays while the set does. */
const struct hamming_source *fingerprints_source(const struct fingerprints *set);

#endif
