/*
 * Documents of a collection that have the same bytes as another one, where nothing else finds them: what has
 * no text, or too little for samples, is looked up by its digest.
 */
#ifndef COLLECT_BY_DIGEST_H
#define COLLECT_BY_DIGEST_H

#include "index/collection.h"
#include "index/facts.h"

typedef stemma_status take_number(void *context, uint64_t number, stemma_error *err);
/* Ascending. Records and cells may be asked for meanwhile, but nothing looked up. */
stemma_status by_digest_each(struct collection *reader, const uint8_t digest[FACTS_DIGEST], take_number *take,
                             void *context, stemma_error *err);
/* Numbers are put in place of those before, ascending, at most `most`. */
stemma_status by_digest_find(struct collection *reader, const uint8_t digest[FACTS_DIGEST], size_t most,
                             struct vec64 *numbers, stemma_error *err);

#endif
