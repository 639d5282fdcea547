/*
 * Records sorted by key, then value, that may not fit into memory: added in any order by any thread, sorted
 * in memory, spilled as sorted runs (run.h) to unnamed temporary files, and read back in ascending order.
 *
 * Order and content follow from the records alone; threads, memory and the order of adding change nothing.
 */
#ifndef RUNS_RUNS_H
#define RUNS_RUNS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record {
    uint64_t key, value;
};

struct sorter;
struct sorter_cursor;

struct sorter_options {
    size_t memory; /* bytes to use before spilling, that of the sort included; never less than 256 KiB are
                      used */
    const char *directory;    /* of temporary files; NULL: $TMPDIR, or /tmp */
    bool unique;              /* equal records are kept once */
    const volatile int *stop; /* ends the work when it is set; may be NULL */
    unsigned threads;         /* that sort; 0 is 1 */
};

stemma_status sorter_new(const struct sorter_options *options, struct sorter **out, stemma_error *err);
/* By any threads at once. Errors: NO_MEMORY, NO_SPACE, IO, INTERRUPTED; the sorter can then only be freed. */
stemma_status sorter_add(struct sorter *sorter, const struct record *records, size_t count,
                         stemma_error *err);
/* No more will be added; from here on it is read. */
stemma_status sorter_finish(struct sorter *sorter, stemma_error *err);
/* Records added; unique: an upper bound of those read, exact when nothing was spilled. */
uint64_t sorter_count(const struct sorter *sorter);
uint64_t sorter_spilled(const struct sorter *sorter); /* bytes written to disk, those merged again included */
size_t sorter_resident(const struct sorter *sorter);  /* bytes of memory held */
/* All records in order when nothing was spilled (after finish); NULL otherwise. */
const struct record *sorter_in_memory(const struct sorter *sorter, size_t *count);
void sorter_free(struct sorter *sorter);

/* All records in order (after finish). One that reads from disk holds 2 MB. Any number of cursors at once,
 * each by one thread at a time; they go before the sorter does. */
stemma_status sorter_read(struct sorter *sorter, struct sorter_cursor **out, stemma_error *err);
/* Up to `room` records; *count is 0 at the end. Errors: NO_MEMORY, IO, CORRUPT, INTERRUPTED. */
stemma_status sorter_next(struct sorter_cursor *cursor, struct record *records, size_t room, size_t *count,
                          stemma_error *err);
void sorter_cursor_free(struct sorter_cursor *cursor);

#endif
