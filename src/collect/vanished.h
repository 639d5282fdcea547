/* Documents whose files are no longer there. */
#ifndef COLLECT_VANISHED_H
#define COLLECT_VANISHED_H

#include "collect/pending.h"

/* Removes documents in files at or below these paths that do not exist any more. A path that is itself not
 * there is rather a disk that is not: nothing below it is removed. *removed grows; the last ones are not
 * committed yet. */
stemma_status remove_vanished(struct pending *pending, const char *const *paths, size_t count,
                              const volatile int *stop, uint64_t *removed, stemma_error *err);

#endif
