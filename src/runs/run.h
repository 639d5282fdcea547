/*
 * A run: sorted records as bytes of a file, temporary or named. (docs/format.md, section 8)
 *
 * Blocks with a checksum each, then an index of where they stand and with which key they begin, so that a key
 * is found with one read. Nothing about the bytes is trusted: damaged or made up, they are CORRUPT with file
 * and offset.
 */
#ifndef RUNS_RUN_H
#define RUNS_RUN_H

#include "base/disk.h"
#include "runs/runs.h"

/* Where a run stands. The descriptor stays the caller's, as does the name. */
struct run_place {
    int fd;
    uint64_t offset;
    const char *name; /* for messages: the file's, or of the directory it stands in without a name */
    bool unnamed;
    uint64_t seed;         /* added to that of every checksum, so that what belongs elsewhere is noticed */
    struct sink *sink;     /* who writes it, as what comes next; NULL: the descriptor, at the offset */
    const char *directory; /* for what is put aside meanwhile; NULL: TMPDIR, else /tmp */
};

/* ---- writing ---- */

struct run_writer;
/* `block` records are read at once, a multiple of BLOCK_GROUP up to BLOCK_RECORDS (block.h): few where single
 * keys will be looked up, all where the run will be read from end to end. */
stemma_status run_writer_new(const struct run_place *place, size_t block, struct run_writer **out,
                             stemma_error *err);
/* Ascending, over all calls. Errors: NO_SPACE, IO, NO_MEMORY. */
stemma_status run_writer_add(struct run_writer *writer, const struct record *records, size_t count,
                             stemma_error *err);
/* The rest, and the index; *size is that of all that was written. Syncing is the caller's. */
stemma_status run_writer_finish(struct run_writer *writer, uint64_t *size, stemma_error *err);
void run_writer_free(struct run_writer *writer);

/* ---- reading ---- */

/* The index of a temporary run is in memory: 16 bytes for 4,096 records; it never changes, so any readers
 * share it. A stored one (written by a sink) reads its index as it is asked, 64 KiB at most: it is of one
 * thread. */
struct run;
/* `size` bytes at its place. Errors: CORRUPT, LATER_VERSION, IO, NO_MEMORY. */
stemma_status run_open(const struct run_place *place, uint64_t size, struct run **out, stemma_error *err);
uint64_t run_count(const struct run *run);
void run_close(struct run *run);

struct run_reader; /* stands before the first record */
stemma_status run_reader_new(struct run *run, struct run_reader **out, stemma_error *err);
/* Before the first record whose key is not smaller. */
stemma_status run_reader_seek(struct run_reader *reader, uint64_t key, stemma_error *err);
/* The next records, up to the end of a block or fewer; they belong to the reader until its next call. *count
 * is 0 at the end. Errors: CORRUPT, IO. */
stemma_status run_reader_next(struct run_reader *reader, const struct record **records, size_t *count,
                              stemma_error *err);
/* The same reader for another run. */
void run_reader_turn(struct run_reader *reader, struct run *run);
void run_reader_free(struct run_reader *reader);

/* All records in order, some at a time; what it returns, if it is not OK, ends the work and is returned. */
typedef stemma_status take_records(void *context, const struct record *records, size_t count,
                                   stemma_error *err);
stemma_status run_each(struct run *run, take_records *take, void *context, stemma_error *err);

#endif
