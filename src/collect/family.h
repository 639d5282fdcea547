/* All that hangs together with a document by near-duplicates of near-duplicates: version 1 and version 100
 * need not resemble each other. Step by step, nobody twice. */
#ifndef COLLECT_FAMILY_H
#define COLLECT_FAMILY_H

#include "collect/query.h"

/* A link: `answer` was reached from the document with the id `from`, in so many steps. */
typedef stemma_status family_take(void *context, const char *from, uint64_t step, const struct answer *answer,
                                  stemma_error *err);

/* From the first answers to a document, at most `most` documents; *cut: there may be more. The query's work
 * grows. */
stemma_status family_grow(struct query *query, const char *id, const struct answers *first, size_t most,
                          family_take *take, void *context, bool *cut, stemma_error *err);

#endif
