/*
 * Data sets: files of many documents, one a record. JSON lines, CSV and TSV, plain or compressed, in UTF-8 or
 * UTF-16, which becomes UTF-8 as it is read.
 *
 * One thread takes batches of whole records, which costs little more than reading them; any number of threads
 * take the records out of batches. Records of plain files can be read again later, one by one, by their
 * offset. What is not a regular file is first copied to a temporary file. docs/design/datasets.md says what
 * is read how.
 */
#ifndef READ_DATASET_H
#define READ_DATASET_H

#include "base/buf.h"
#include "base/error.h"

enum dataset_kind { DATASET_BY_NAME, DATASET_JSON_LINES, DATASET_CSV, DATASET_TSV };

/* What a file is by its name: .jsonl .ndjson .json-lines .csv .tsv, each also with .gz .zst .bz2 .xz;
 * BY_NAME: none. */
enum dataset_kind dataset_kind_of(const char *path);
enum dataset_kind dataset_kind_within(const char *path, size_t size); /* of its first bytes */
bool dataset_name(const char *path);

struct dataset_options;
/* Whether one of its first records has a text, or that cannot be told from them. Errors: as of dataset_open
 * and dataset_next. */
stemma_status dataset_find_texts(const char *path, const struct dataset_options *options, bool *found,
                                 stemma_error *err);

/* The same of standard input, which has no name that calls it a data set: there a table has columns, and what
 * cannot be read as records is none. *found is left alone where looking would take bytes away: it is to be a
 * file at its beginning. */
stemma_status dataset_look_at_standard(const struct dataset_options *options, bool *found, stemma_error *err);

struct dataset_options {
    const char
        *text_field; /* NULL: "text"; "meta.text" is a field inside one; columns also by number, from 1 */
    const char *id_field;   /* NULL: "id", if there is one */
    bool whole;             /* instead: the text of a record is all of it, as it stands, and it has no id; see
                               dataset_next_field */
    enum dataset_kind kind; /* BY_NAME: by the first bytes, if the name says nothing */
    uint64_t record_most;   /* a record of more bytes is broken; 0: 1 GiB */
    size_t window_most;     /* as unpacker_new takes it */
    size_t batch_size;      /* about; 0: 1 MiB */
    const char *directory;  /* for temporary files; NULL: $TMPDIR or /tmp */
    bool many;              /* it is one of very many: while nobody reads it, it takes no descriptor */
    const volatile int *stop;
};

struct dataset;

/* path: "-" is standard input. The options' strings are copied. */
stemma_status dataset_open(const char *path, const struct dataset_options *options, struct dataset **out,
                           stemma_error *err);
void dataset_close(struct dataset *dataset);
enum dataset_kind dataset_kind(const struct dataset *dataset); /* never BY_NAME */
bool dataset_random_access(const struct dataset *dataset);     /* it is not compressed, nor in UTF-16 */
uint64_t dataset_position(const struct dataset *dataset);      /* bytes of the file that have been read */

/* ---- in order ---- */

/* A zeroed one is empty, and is used again and again. */
struct dataset_batch {
    struct buf bytes;
    uint64_t offset;         /* of the first byte, uncompressed */
    uint64_t first_line;     /* from 1 */
    uint64_t end, next_line; /* the same of what follows it */
    uint64_t too_long; /* not 0: instead of bytes, one record of that many, which is too long to be held */
    bool left_out;     /* instead of bytes, a piece that is not to be read: */
    uint64_t key;
};

/* Some whole records that follow each other. */
struct dataset_piece {
    uint64_t begin, end, next_line; /* as those of a batch */
    uint64_t key;                   /* the caller's */
};

/* These are not read, but given out by their keys: in the order of their places, none of them empty, before
 * the first batch of a data set that has just been opened. They are copied. A rewind forgets them. UNREADABLE
 * when they cannot be of this file. */
stemma_status dataset_leave_out(struct dataset *dataset, const struct dataset_piece *pieces, size_t count,
                                stemma_error *err);

/* The next whole records; *more is false at the end. One thread at a time. When it fails the data set is at
 * its end. */
stemma_status dataset_next(struct dataset *dataset, struct dataset_batch *batch, bool *more,
                           stemma_error *err);
/* From the first record on again. */
stemma_status dataset_rewind(struct dataset *dataset, stemma_error *err);
/* No more is read in order, or not now: lets go of what that takes, as its end does by itself. */
void dataset_end(struct dataset *dataset);
void dataset_batch_release(struct dataset_batch *batch);

/* ---- the records ---- */

struct dataset_record {
    const uint8_t *id; /* where the record has none, or one that is no name: FILE:LINE. Without NUL */
    size_t id_size;
    const uint8_t *text; /* KERNEL_SLACK bytes behind it may be read */
    size_t text_size;
    uint64_t offset, size; /* of the record with its line end, uncompressed */
    uint64_t line;         /* where it begins */
};

/* Scratch of one thread; a zeroed one is empty. */
struct record_reader {
    const struct dataset *dataset;
    const struct dataset_batch *batch;
    size_t at;
    uint64_t line;
    struct buf text, id, bytes;
    /* Records that are read again by their places, in ascending order: so many bytes are read at once; 0:
     * each alone. */
    size_t span;
    const uint8_t *held; /* in bytes: those from held_at on, if the data set is the same */
    uint64_t held_at;
    size_t held_size;
};
#define RECORD_SPAN ((size_t)1 << 18)

/* The dataset may give batches to others meanwhile; the batch must stay as it is. */
void record_reader_begin(struct record_reader *reader, const struct dataset *dataset,
                         const struct dataset_batch *batch);
/* The next record, which is valid until the next call; *more is false behind the last one. A broken one fails
 * with CORRUPT and a message that names file and line; its offset, size and line are given, and the next call
 * goes on behind it. Empty lines are no records. */
stemma_status record_reader_next(struct record_reader *reader, struct dataset_record *record, bool *more,
                                 stemma_error *err);
void record_reader_release(struct record_reader *reader);

/* The text of one record again, by its offset and size, in a data set with random access; it stays until the
 * reader is used again. Any threads, each with a reader of its own. UNREADABLE when the file has changed
 * since it was opened. */
stemma_status dataset_text_at(const struct dataset *dataset, uint64_t offset, uint64_t size,
                              struct record_reader *reader, const uint8_t **text, size_t *text_size,
                              stemma_error *err);

/* The fields of a whole record one after the other, of JSON all strings in it; begin with *at == record. They
 * are valid until the next call; *more is false behind the last one. NO_MEMORY is the only failure. */
stemma_status dataset_next_field(const struct dataset *dataset, const uint8_t **at, const uint8_t *end,
                                 struct buf *scratch, const uint8_t **field, size_t *size, bool *more,
                                 stemma_error *err);

/* ---- a data set without some of its records ---- */

struct dataset_filter;

/* Writes to path, compressed as its name says; the file appears when it is complete.
 * "-" is standard output. */
stemma_status dataset_filter_open(const char *path, struct dataset_filter **out, stemma_error *err);
/* Copies the records for which keep() is true, byte for byte and in order, from the data set's beginning;
 * broken ones are asked for, too. The header of the first data set is copied, and later ones must have the
 * same. *kept grows by what was copied. INVALID: another header or kind. UNSUPPORTED: a record too long to be
 * held. UNREADABLE: the file has changed since it was opened. */
typedef bool dataset_keep(void *context, uint64_t offset, uint64_t line);
stemma_status dataset_filter_copy(struct dataset_filter *filter, struct dataset *dataset, dataset_keep *keep,
                                  void *context, uint64_t *kept, stemma_error *err);
/* Both free it. */
stemma_status dataset_filter_commit(struct dataset_filter *filter, stemma_error *err);
void dataset_filter_abandon(struct dataset_filter *filter);

#endif
