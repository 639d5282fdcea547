/* What the files of a data set share: how it is read in order (dataset.c), taken apart (records.c), copied
 * (filter). */
#ifndef READ_DATASET_STATE_H
#define READ_DATASET_STATE_H

#include "read/compressed.h"
#include "read/csv.h"
#include "read/dataset.h"
#include "read/wide.h"

struct dataset {
    /* Fixed once it is open, so any thread may look. */
    char *name, *text_field, *id_field;
    bool id_asked; /* a table without that column is not what was meant */
    bool whole;
    enum dataset_kind kind;
    bool guessed; /* its kind is, by its first bytes */
    bool marked;  /* a byte order mark begins it */
    uint8_t delimiter;
    size_t text_column, id_column; /* of CSV; NO_COLUMN: none */
    size_t column_count;           /* likewise */
    struct buf header;             /* of CSV, with its line end */
    uint64_t record_most;
    size_t batch_size;
    const volatile int *stop;
    int fd;
    bool owned;   /* the descriptor */
    bool reopens; /* the descriptor is that of the reading in order, -1 between; others open their own */
    enum compression compression;
    size_t window_most;
    uint64_t size;    /* of the file, when it was opened, */
    int64_t modified; /* and when it had last been written to, in ns */

    /* Where the reading in order is. */
    uint64_t read_at; /* of a plain file */
    struct unpacker *unpacker;
    struct wide wide; /* if it is in UTF-16: its encoding is fixed, too */
    bool ended;
    stemma_error failure;         /* of the reading, to be said when all before it was given out */
    struct buf rest;              /* read and not yet given out */
    uint64_t offset, line;        /* of its first byte */
    uint64_t behind;              /* offset of what is read next */
    struct buf unread;            /* in front of that: was read, to be read again */
    struct dataset_piece *pieces; /* to be left out, from the next one on */
    size_t piece_count, next_piece;
};

#define NO_COLUMN SIZE_MAX

/* Whether a record ends in these bytes; JSON lines need no place. */
bool dataset_record_end(const struct dataset *dataset, enum csv_place *place, const uint8_t *bytes,
                        size_t size, size_t *end);

/* The next record of a batch as it stands; its end is at most the batch's. False behind the last one. *open:
 * it ends within quotes. */
bool dataset_record_span(const struct dataset *dataset, const struct dataset_batch *batch, size_t at,
                         size_t *end, bool *open);

/* Of a file that is opened again; the descriptor is the caller's. */
stemma_status dataset_reopen(const struct dataset *dataset, int *fd, stemma_error *err);

/* UNREADABLE when the file is not what it was when it was opened first. */
stemma_status dataset_check_unchanged(const struct dataset *dataset, int fd, stemma_error *err);

/* Whether it is a line with nothing on it. */
bool dataset_record_blank(const struct dataset *dataset, const uint8_t *bytes, size_t size);

/* Finds the columns of the fields in the header. INVALID when there is none for the text. */
stemma_status dataset_find_columns(struct dataset *dataset, stemma_error *err);

#endif
