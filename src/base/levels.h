/*
 * Sorted runs in unnamed files, for whatever sorts more than fits into memory.
 *
 * LEVELS_FAN runs of one level are merged into one of the next, so that open files and read buffers stay few
 * and each value is written about log_FAN(runs) times. What a run holds, and how it is read, is its owner's
 * business.
 */
#ifndef BASE_LEVELS_H
#define BASE_LEVELS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { LEVELS_FAN = 16 }; /* runs merged at once: more means fewer passes, but smaller reads */

struct level_run {
    int fd;
    int level;       /* how often its values have been merged */
    uint64_t extent; /* how much is in it, as the owner counts */
    uint64_t offset; /* where it begins in its file */
};

/* Writes `to`, a new file: from memory when count is 0, else what is in the runs `from`, merged. Sets
 * to->extent. */
typedef stemma_status level_fill(void *owner, const struct level_run *from, size_t count,
                                 struct level_run *to, stemma_error *err);

struct levels {
    char *directory;
    level_fill *fill;
    void *owner;
    struct level_run *runs; /* in order of falling level */
    size_t count, cap;
};

stemma_status levels_init(struct levels *levels, const char *directory, level_fill *fill, void *owner,
                          stemma_error *err);
/* One more run from memory; on failure nothing was added. */
stemma_status levels_add(struct levels *levels, stemma_error *err);
/* Merges what is due. */
stemma_status levels_settle(struct levels *levels, stemma_error *err);
/* No more runs will come: leaves at most LEVELS_FAN of them. */
stemma_status levels_finish(struct levels *levels, stemma_error *err);
void levels_release(struct levels *levels);

#endif
