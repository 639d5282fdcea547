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

#define SORTER_PART_BITS 8
#define SORTER_PARTS     (1 << SORTER_PART_BITS)

struct sorter_options {
    size_t memory; /* bytes to use before spilling, that of the sort included; never less than 256 KiB are
                      used */
    const char *directory; /* of temporary files; NULL: $TMPDIR, or /tmp */
    bool unique;           /* equal records are kept once; not with key_bits */
    int key_bits;          /* 9 to 64: keys are below 2^key_bits, best evenly spread, and values below 2^(72 -
                              key_bits), so that a record takes 8 bytes of memory instead of 16; 0: any */
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
void sorter_free(struct sorter *sorter);

/* All records in order (after finish). One that reads from disk holds 2 MB. Any number of cursors at once,
 * each by one thread at a time; they go before the sorter does. */
stemma_status sorter_read(struct sorter *sorter, struct sorter_cursor **out, stemma_error *err);
/* The same for the parts from `first` to before `end` of SORTER_PARTS equal parts of all keys below
 * 2^key_bits. */
stemma_status sorter_read_parts(struct sorter *sorter, uint32_t first, uint32_t end,
                                struct sorter_cursor **out, stemma_error *err);
/* Up to `room` records; *count is 0 at the end. Errors: NO_MEMORY, IO, CORRUPT, INTERRUPTED. */
stemma_status sorter_next(struct sorter_cursor *cursor, struct record *records, size_t room, size_t *count,
                          stemma_error *err);
void sorter_cursor_free(struct sorter_cursor *cursor);

#endif
