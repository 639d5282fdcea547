/*
 * A segment: one immutable file with all there is about a batch of documents, or about several that were
 * merged.
 *
 * Its parts stand one behind the other, then a table of them, then a trailer. Each part is a run or a column
 * with checksums of its own, and is merged without looking at the others: documents keep their numbers for
 * ever.
 */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include "store/column.h"
#include "store/postings.h"
#include "store/workload.h"

enum part {
    PART_PRESENT, /* which numbers are in it, and their rows */
    PART_RECORDS, /* id and facts, by row */
    PART_MINIMA,
    PART_BITS,
    PART_IDS, /* hash of the id -> number */
    PART_BANDS,
    PART_SAMPLES,
    PARTS
};

struct segment {
    int fd;
    char *path;
    uint64_t serial, size;
    uint64_t base, limit, rows; /* numbers of documents are in [base, limit) */
    struct run_place places[PARTS];
    uint64_t sizes[PARTS], text_places; /* size of the column behind the records */
    struct column present, minima, bits;
    struct text records;
    struct postings ids, bands, samples;
};

char *segment_path(const char *directory, uint64_t serial);
/* Written and synced under its own name; nothing refers to it yet. */
stemma_status segment_write(const char *directory, uint64_t serial, const struct document *documents,
                            size_t count, uint64_t *size, stemma_error *err);
/* Of neighbours in the order of their numbers, without what is gone. */
stemma_status segment_merge(const char *directory, uint64_t serial, struct segment *const *from, size_t count,
                            const struct gone *gone, uint64_t *size, stemma_error *err);

stemma_status segment_open(const char *directory, uint64_t serial, uint64_t size, struct segment **out,
                           stemma_error *err);
void segment_close(struct segment *segment);
/* The row of a number; *found says whether it is in this segment. */
stemma_status segment_row(struct segment *segment, uint64_t number, uint64_t *row, bool *found,
                          stemma_error *err);
/* The number of a row, which is below segment->rows. */
stemma_status segment_number(struct segment *segment, uint64_t row, uint64_t *number, stemma_error *err);

/* Goes through the numbers of a segment in the order of its rows. */
struct numbers {
    struct segment *segment;
    uint64_t line;     /* of the column of numbers, next */
    uint64_t words[7]; /* not yet returned */
};
/* *more is false at the end. */
stemma_status numbers_next(struct numbers *numbers, uint64_t *number, bool *more, stemma_error *err);

#endif
