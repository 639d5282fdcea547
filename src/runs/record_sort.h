/* Sorting records in memory, by several threads. */
#ifndef RUNS_RECORD_SORT_H
#define RUNS_RECORD_SORT_H

#include "runs/runs.h"

/* A record as one number: the order of records is the order of these. */
static inline unsigned __int128 record_number(struct record record) {
    return (unsigned __int128)record.key << 64 | record.value;
}

#define SORT_RECORDS_MOST UINT32_MAX

/* Ascending, at most SORT_RECORDS_MOST; false when the scratch memory (as large as the input) is refused: the
 * records are untouched. */
bool sort_records(struct record *records, size_t count, unsigned threads);

/* Drop repetitions from sorted records; returns how many are left. */
size_t unique_records(struct record *records, size_t count);

#endif
