/* Documents out of a collection, with the next commit. */
#ifndef COLLECT_REMOVING_H
#define COLLECT_REMOVING_H

#include "collect/pending.h"
#include "index/facts.h"
#include "index/gone.h"

/* All with the lock of pending held; *removed grows by the documents that go. */

/* The document of this id; where it is the path of a file, all that is inside it, too. */
stemma_status remove_named(struct pending *pending, const void *id, size_t size, uint64_t *removed,
                           stemma_error *err);
/* A document of the last commit. The data set of a record that goes is no longer known to be complete. */
stemma_status remove_document(struct pending *pending, struct cell id, const struct facts *facts,
                              uint64_t *removed, stemma_error *err);
/* What was inside a file at the last commit with a number below this one, but for those that `stay` (NULL:
 * none). */
stemma_status remove_inside(struct pending *pending, const void *path, size_t size, uint64_t below,
                            const struct gone *stay, uint64_t *removed, stemma_error *err);

#endif
