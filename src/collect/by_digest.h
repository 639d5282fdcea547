/*
 * Documents of a collection that have the same bytes as another one, where nothing else finds them: what has
 * no text, or too little for samples, is looked up by its digest.
 */
#ifndef COLLECT_BY_DIGEST_H
#define COLLECT_BY_DIGEST_H

#include "index/collection.h"
#include "index/facts.h"

/* Numbers are put in place of those before, ascending, at most `most` (0: all). */
stemma_status by_digest_find(struct collection *reader, const uint8_t digest[FACTS_DIGEST], size_t most,
                             struct vec64 *numbers, stemma_error *err);

#endif
