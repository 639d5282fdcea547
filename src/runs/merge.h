/* Several runs read as one, in order. */
#ifndef RUNS_MERGE_H
#define RUNS_MERGE_H

#include "base/levels.h"
#include "runs/runs.h"

struct merge;

/* Up to LEVELS_FAN runs in unnamed files of `directory`, whose extent is their size, from the first record
 * on whose key is not below `from`. Descriptors and directory stay the caller's and outlive the merge. */
stemma_status merge_new(const struct level_run *runs, size_t count, const char *directory, bool unique,
                        uint64_t from, struct merge **out, stemma_error *err);
stemma_status merge_next(struct merge *merge, struct record *records, size_t room, size_t *count,
                         stemma_error *err);
void merge_free(struct merge *merge);

#endif
