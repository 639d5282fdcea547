/*
 * A collection on disk: documents with what is kept of each (schema.h), for one writer and any number of
 * readers in any processes. (docs/design/store.md)
 *
 *   struct collection *c;                              struct batch *b;
 *   collection_open("c", &(struct collection_options){.schema = &schema, .who = "stemma add"}, &c, err);
 *   batch_new(c, &b, err);
 *   batch_put(b, &row, err); ... batch_remove(b, id, size, &was_there, err); ...
 *   batch_commit(b, err);        all of it, or nothing of it; what c reads is then the new state
 *   batch_free(b);               without a commit before it: nothing happened
 *   collection_close(c);
 *
 *   collection_open_read("c", &(struct collection_options){0}, &c, err);
 *   collection_find(c, id, size, &number, &found, err);
 *   collection_lookup(c, part, key, most, &numbers, err);
 *   collection_record / collection_cell / collection_row(c, number, ..., &found, err);
 *   collection_follow(c, &moved, err);                 before the next question: what was committed meanwhile
 *
 * A scan over a column (all rows, also those that are gone):
 *   for (size_t s = 0; s < collection_segments(c); s++)
 *       for (uint64_t row = 0; row < collection_segment_rows(c, s); row += count) {
 *           collection_rows(c, s, part, row, &bytes, &count, err);      count rows of parts[part].width bytes
 *           ... of interest: collection_number(c, s, row + i, &number, &live, err);
 *       }
 *
 * A collection is used by one thread at a time; collection_twin gives another thread its own. Bytes that are
 * handed out belong to the collection until its next call for the same part, a follow or a commit. Damage is
 * CORRUPT with file and byte, whatever is asked. Parts are named by their place in
 * collection_schema(c)->parts.
 */
#ifndef INDEX_COLLECTION_H
#define INDEX_COLLECTION_H

#include "base/disk.h"
#include "index/schema.h"
#include "runs/runs.h"

struct collection;
struct batch;

struct collection_options {
    const struct schema
        *schema; /* writer: what is kept, if the collection is made now; NULL: it must be there */
    const struct part_kind *kinds; /* NULL: part_kinds */
    const struct disk *disk;       /* NULL: disk_plain */
    const char *who;               /* writer: for the line in the lock, "stemma add"; NULL: "stemma" */
    bool wait;                     /* writer: for another writer to end, instead of a refusal */
    bool *busy;                    /* writer: set where it is refused for another; may be NULL */
    size_t memory;                 /* writer: of a batch, before a segment is written; 0: 64 MB */
    const volatile int *stop;      /* ends waiting and merging; may be NULL */
    const char *directory;         /* for what questions put on disk; NULL: TMPDIR, else /tmp */
};

/* Writer. NOT_FOUND when it is not there and options have no schema; a schema is not compared with that of a
 * collection that is there. INVALID with who holds it, when another writer has it. */
stemma_status collection_open(const char *path, const struct collection_options *options,
                              struct collection **out, stemma_error *err);
/* Reader: takes no lock and writes nothing. NOT_FOUND, LATER_VERSION, CORRUPT. */
stemma_status collection_open_read(const char *path, const struct collection_options *options,
                                   struct collection **out, stemma_error *err);
/* Another reader of the same commit, for another thread; open files are shared. */
stemma_status collection_twin(const struct collection *collection, struct collection **out,
                              stemma_error *err);
/* Readers: what was committed since; *moved (may be NULL) says whether it is another state. On failure it
 * stays with the state it had. */
stemma_status collection_follow(struct collection *collection, bool *moved, stemma_error *err);
void collection_close(struct collection *collection);

/* ---- what it is ---- */

struct collection_facts {
    uint64_t id;        /* random, given once */
    uint64_t commit;    /* 0: nothing was committed yet */
    int64_t committed;  /* when, in nanoseconds since 1970; 0: that is not known */
    uint64_t documents; /* that count */
    uint64_t gone;      /* whose rows are still there */
    uint64_t next_number;
    uint64_t segments, files;
    uint64_t bytes; /* of all files */
    unsigned format;
};

/* What is in the folder of a collection is its own: INVALID where a file of this path would be. */
stemma_status collection_check_outside(const struct collection *collection, const char *path,
                                       stemma_error *err);
/* UNSUPPORTED: which collection it is, and that it keeps no such thing. */
stemma_status fail_not_kept(const struct collection *collection, const char *what, stemma_error *err);
const char *collection_path(const struct collection *collection);
const volatile int *collection_stop(const struct collection *collection); /* of its options, */
const char *collection_directory(const struct collection *collection);    /* likewise */
size_t collection_memory(const struct collection *collection);            /* of a batch */
const struct schema *collection_schema(const struct collection *collection);
void collection_about(const struct collection *collection, struct collection_facts *facts);
/* Segments that are to become one next; 0: none, or damage keeps them from it. Looks at all that is gone. */
size_t collection_due(const struct collection *collection);
/* Bytes on disk of all parts of a kind and spec; KIND_NUMBERS, KIND_RECORDS and KIND_IDS with spec 0
 * included. */
uint64_t collection_part_bytes(const struct collection *collection, uint32_t kind, uint32_t spec);

/* ---- documents ---- */

struct id_place {
    uint64_t hash, number;
    bool found;
};
stemma_status collection_place(struct collection *collection, const void *id, size_t size,
                               struct id_place *place, stemma_error *err);
stemma_status collection_find(struct collection *collection, const void *id, size_t size, uint64_t *number,
                              bool *found, stemma_error *err);
/* Id and facts; *found is false for numbers that are gone or were never given. */
stemma_status collection_record(struct collection *collection, uint64_t number, struct row *row, bool *found,
                                stemma_error *err);
stemma_status collection_cell(struct collection *collection, uint64_t number, size_t part, struct cell *cell,
                              bool *found, stemma_error *err);
/* Id, facts and all cells. */
stemma_status collection_row(struct collection *collection, uint64_t number, struct row *row, bool *found,
                             stemma_error *err);
/* The first document that counts from this number on, for going through all in the order of adding. */
stemma_status collection_next(struct collection *collection, uint64_t from, uint64_t *number, bool *found,
                              stemma_error *err);

/* ---- lookups ---- */

/* Appends numbers of documents that have the key, ascending, at most `most` (0: all). */
stemma_status collection_lookup(struct collection *collection, size_t part, uint64_t key, size_t most,
                                struct vec64 *numbers, stemma_error *err);
/* How many have the key, counted up to `most`. */
stemma_status collection_count(struct collection *collection, size_t part, uint64_t key, size_t most,
                               size_t *count, stemma_error *err);
/* All (key, number) with low <= key <= high that are not gone, in order of the keys within each segment. */
typedef stemma_status take_postings(void *context, const struct record *postings, size_t count,
                                    stemma_error *err);
stemma_status collection_range(struct collection *collection, size_t part, uint64_t low, uint64_t high,
                               take_postings *take, void *context, stemma_error *err);

/* ---- columns, segment by segment ---- */

size_t collection_segments(const struct collection *collection);
uint64_t collection_segment_rows(const struct collection *collection, size_t segment);
/* Rows of a column from this one on, at least one, to the end of a block. */
stemma_status collection_rows(struct collection *collection, size_t segment, size_t part, uint64_t row,
                              const uint8_t **bytes, size_t *count, stemma_error *err);
/* One row of a text. */
stemma_status collection_text(struct collection *collection, size_t segment, size_t part, uint64_t row,
                              struct cell *cell, stemma_error *err);
/* Which document a row is of, and whether it still counts. */
stemma_status collection_number(struct collection *collection, size_t segment, uint64_t row, uint64_t *number,
                                bool *live, stemma_error *err);

/* ---- writing ---- */

stemma_status batch_new(struct collection *collection, struct batch **out, stemma_error *err);
/* Adds a document, or replaces that of the same id, also within the batch. *number (may be NULL) is the one
 * it gets. */
stemma_status batch_put(struct batch *batch, const struct row *row, uint64_t *number, stemma_error *err);
stemma_status batch_remove(struct batch *batch, const void *id, size_t size, bool *was_there,
                           stemma_error *err);
/* Where an id stands in the batch, else in the collection, but for what the batch removes. It holds until the
 * next change. */
stemma_status batch_find(struct batch *batch, const void *id, size_t size, struct id_place *place,
                         stemma_error *err);
/* Of a place that was found: id and facts, until the next call; all of it, until the next call of this. */
stemma_status batch_record(struct batch *batch, const struct id_place *place, struct row *row,
                           stemma_error *err);
stemma_status batch_row(struct batch *batch, const struct id_place *place, struct row *row,
                        stemma_error *err);
/* As batch_put, of the row whose id was looked for. */
stemma_status batch_put_at(struct batch *batch, const struct id_place *place, const struct row *row,
                           uint64_t *number, stemma_error *err);
size_t batch_size(const struct batch *batch); /* documents put so far */
/* Whether what is put next would first write a segment. */
bool batch_is_full(const struct batch *batch);
/* Whether the document goes with the commit: it is removed, or replaced. */
bool batch_drops(const struct batch *batch, uint64_t number);
/* One atomic commit; with nothing in it: none. Then segments are merged, as far as that is due: a failure of
 * that alone (no space) is none of the commit, and is left for later. On failure of the commit the last one
 * stands, and the batch can only be freed. */
stemma_status batch_commit(struct batch *batch, stemma_error *err);
void batch_free(struct batch *batch);

/* Other parts for all documents there are, in one commit, without writing the rest again. Those that are
 * dropped are no longer kept, and their space is reclaimed as segments are merged. New columns and texts are
 * made by `make`, which appends the bytes of the cell, once for each document that counts; lookup parts from
 * the rows with these. */
typedef stemma_status make_cell(void *context, uint64_t number, const struct row *row,
                                const struct part *part, struct buf *cell, stemma_error *err);
stemma_status collection_change_parts(struct collection *collection, const struct part *drop, size_t drops,
                                      const struct part *add, size_t adds, make_cell *make, void *context,
                                      stemma_error *err);
/* Changes that are one commit with a batch: from _hold_back on only this writer sees what is committed, from
 * _let_go on the next commit takes it along, or _catch_up, if there was none. _go_back, once the batch
 * is freed: as if nothing of it had been. */
void collection_hold_back(struct collection *collection);
void collection_let_go(struct collection *collection);
stemma_status collection_catch_up(struct collection *collection, stemma_error *err);
void collection_go_back(struct collection *collection);
/* After each commit no more than so many documents are written again to merge segments, for those who cannot
 * wait; 0: as many as are due, which may be all. What is left is due at the next commit, or made now by
 * _settle; when there are more segments than descriptors allow, they are merged all the same. */
void collection_bound_merges(struct collection *collection, uint64_t documents);
stemma_status collection_settle(struct collection *collection, stemma_error *err);
/* All segments become one, without anything that is gone. */
stemma_status collection_compact(struct collection *collection, stemma_error *err);

#endif
