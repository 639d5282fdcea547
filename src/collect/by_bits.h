/* Candidates by Hamming fingerprints: whatever differs from the document's in few enough bits. */
#ifndef COLLECT_BY_BITS_H
#define COLLECT_BY_BITS_H

#include "index/hamming/collected.h"
#include "index/retrieval.h"
#include "sketch/recipe.h"

struct by_bits;

/* Reader and recipe must outlive it. UNSUPPORTED when the collection has no fingerprints. */
stemma_status by_bits_new(struct collection *reader, const struct stemma_recipe *recipe, struct by_bits **out,
                          stemma_error *err);
void by_bits_free(struct by_bits *by_bits);

/* The fingerprint of a canonical text, of as many bits as the collection has. */
stemma_status by_bits_make(struct by_bits *by_bits, const uint8_t *text, size_t size, uint64_t *words,
                           stemma_error *err);
/* Of a fingerprint. *out, empty before but for `most`, gets the candidates. */
stemma_status by_bits_find(struct by_bits *by_bits, const uint64_t *words, double resemblance,
                           enum hamming_via via, struct candidates *out, struct retrieval_work *work,
                           stemma_error *err);

#endif
