/* Several runs read as one, in order. */
#ifndef RUNS_MERGE_H
#define RUNS_MERGE_H

#include "base/levels.h"
#include "runs/run.h"

struct merge;

struct merge_run {
    struct run_place place;
    uint64_t size;
};

/* Up to LEVELS_FAN runs, from the first record on whose key is not below `from`. Descriptors and names stay
 * the caller's and outlive the merge. */
stemma_status merge_new(const struct merge_run *runs, size_t count, bool unique, uint64_t from,
                        struct merge **out, stemma_error *err);
/* The same for those that levels keep in unnamed files of `directory`; their extent is their size. */
stemma_status merge_levels(const struct level_run *runs, size_t count, const char *directory, bool unique,
                           uint64_t from, struct merge **out, stemma_error *err);
stemma_status merge_next(struct merge *merge, struct record *records, size_t room, size_t *count,
                         stemma_error *err);
void merge_free(struct merge *merge);

#endif
