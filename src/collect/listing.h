/* All documents of a collection, or those whose ids match a pattern. */
#ifndef COLLECT_LISTING_H
#define COLLECT_LISTING_H

#include "index/collection.h"
#include "index/facts.h"

/* Id and facts last until it returns. */
typedef stemma_status take_listed(void *context, uint64_t number, struct cell id, const struct facts *facts,
                                  stemma_error *err);

/* In the order of adding. glob NULL: all. Data sets, which are no documents, are left out. */
stemma_status collection_each(struct collection *store, const char *glob, const volatile int *stop,
                              take_listed *take, void *context, stemma_error *err);

/* Whether the id, or a folder it is in, matches: rules of read/glob.h, with ids as paths from the root on. A
 * pattern that has a slash inside, and begins neither with one nor with a star, matches at any depth. */
bool id_matches(const char *glob, const char *id, size_t size);

/* The same in the order of the bytes of their ids, by the stop and the temporary directory of the limits. */
stemma_status collection_each_by_id(struct collection *store, const char *glob, const stemma_limits *limits,
                                    take_listed *take, void *context, stemma_error *err);

#endif
