/* Documents whose files are no longer there. */
#ifndef COLLECT_VANISHED_H
#define COLLECT_VANISHED_H

#include "collect/pending.h"

struct pruned_path {
    const char *path;
    bool empty;           /* no file was found there */
    uint64_t below, gone; /* documents of the collection: all, and those whose files are not there */
    uint64_t taken;       /* of the latter, for removing: never more */
    bool spared;          /* these are not removed */
};

/* Removes documents in files at or below these paths that do not exist any more; each belongs to the longest
 * path above it. A path that is itself not
 * there, or has no files, is rather a disk that is not mounted: nothing below it is removed; nor where more
 * than a hundred would go, and more than half of what is there, unless `all`. *removed grows; the last ones
 * are not committed yet. */
stemma_status remove_vanished(struct pending *pending, struct pruned_path *paths, size_t count, bool all,
                              const volatile int *stop, uint64_t *removed, stemma_error *err);

#endif
