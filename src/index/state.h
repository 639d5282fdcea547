/* A collection from the inside: what its files share, none of which who uses one needs to know. */
#ifndef INDEX_STATE_H
#define INDEX_STATE_H

#include "index/collection.h"
#include "index/manifest.h"
#include "index/rows.h"
#include "index/segment.h"
#include "runs/run.h"

/* All that is seen of one commit. */
struct state {
    struct manifest manifest;
    struct gone gone;
    struct segment **segments; /* in the order of their numbers */
    size_t count;
};

struct collection {
    char *path;
    int folder, lock; /* lock: -1 for readers */
    const struct part_kind *kinds;
    const struct disk *disk;
    size_t memory;
    const volatile int *stop;
    const char *directory; /* as of collection_options */
    struct state state;
    struct run_reader *reader; /* one for all runs */
    size_t scanned;            /* the segment whose columns were read on last */
    struct vec64 unmergeable;  /* serials of segments that damage keeps from being merged */
    uint64_t merge_most;       /* documents written again after a commit; 0: as many as are due */
    uint64_t next_serial;      /* that no file of this writer has */
    bool unsure;               /* which manifest is on disk */
    bool holding;              /* commits stay in memory; */
    bool ahead;                /* some do, and the manifest on disk is older */
    bool in_batch;
};

/* Opens what a manifest names, and takes it over; files that are open in `old` are shared. On failure the
 * manifest is still the caller's. */
stemma_status state_open(struct collection *c, struct manifest *manifest, const struct state *old,
                         struct state *out, stemma_error *err);
/* A collection of which nothing is read yet; `write`: with the lock. */
stemma_status collection_hold(const char *path, const struct collection_options *options, bool write,
                              struct collection **out, stemma_error *err);
stemma_status collection_load(struct collection *c, stemma_error *err);
/* The collection's own from here on. */
void state_replace(struct collection *c, struct state *state);
void state_release(struct state *state);
struct segment *state_segment_of(struct state *state, uint64_t number); /* NULL: none has it */

/* Names in a folder are durable from here on; "." is the collection's, ".." the one that has its name. */
stemma_status sync_name(const struct collection *c, const char *folder, stemma_error *err);

/* ---- files of what is gone (gone_file.c) ---- */

/* All that is below `limit`; CORRUPT when no copy is sound, or it is not the file that was named. */
stemma_status gone_load(const struct collection *c, const struct file_name *name, uint64_t limit,
                        struct gone *gone, stemma_error *err);
/* CORRUPT when one copy is sound, and the other is not. */
stemma_status gone_check_copies(const struct collection *c, const struct file_name *name, uint64_t limit,
                                stemma_error *err);
/* *name is none when there are none. */
stemma_status write_gone(struct collection *c, const struct gone *gone, uint64_t serial,
                         struct file_name *name, stemma_error *err);
char *gone_path(const char *folder, uint64_t serial);
void gone_name(uint64_t serial, char name[32]);

/* The number of an id, whose hash is given, among segments: the latest that is not gone. */
stemma_status find_in_segments(struct collection *c, struct segment *const *segments, size_t count,
                               const struct gone *gone, uint64_t hash, const void *id, size_t size,
                               uint64_t *number, bool *found, stemma_error *err);
uint64_t id_hash(const void *id, size_t size);

stemma_status segment_whole_row(struct segment *segment, uint64_t row, struct row *out, stemma_error *err);

/* Sorted and without repetitions, as postings of a row stand in a run. */
stemma_status row_keys(const struct collection *c, const struct schema *schema, size_t part,
                       const struct row *row, struct vec64 *keys, stemma_error *err);

/* ---- writing (write.c) ---- */

/* A file that no commit names yet. */
struct draft {
    uint64_t serial;
    int fd;
    char *path;
    struct segment_writer writer;
};

/* Of as many parts as will be written: those of documents, or some of them. */
stemma_status draft_open(struct collection *c, size_t parts, struct draft *draft, stemma_error *err);
size_t parts_of_documents(const struct collection *c);
/* Of what was written, opened for reading. */
stemma_status draft_finish(struct collection *c, struct draft *draft, struct segment_file **out,
                           stemma_error *err);
void draft_abandon(struct collection *c, struct draft *draft);

/* Rows in memory, without those that are gone, as a file of all parts; hashes: of the ids of all rows. */
stemma_status write_rows(struct collection *c, const struct stored_rows *rows, const struct vec64 *hashes,
                         const struct gone *gone, struct draft *draft, stemma_error *err);
/* Neighbours as one, without what is gone. */
stemma_status write_merged(struct collection *c, struct segment *const *from, size_t count,
                           const struct gone *gone, struct draft *draft, stemma_error *err);
/* Further parts for the documents of a segment: parts of the schema from `first` on, either lookups (of which
 * the segment has what they are made from) or the others. */
stemma_status write_further(struct collection *c, const struct schema *schema, struct segment *from,
                            size_t first, bool lookups, make_cell *make, void *context, struct draft *draft,
                            stemma_error *err);
/* What is left of a segment: rows with these numbers; all that follows from them is made anew. `read` gives
 * one until the next call. */
typedef stemma_status read_left(void *context, size_t index, struct row *row, stemma_error *err);
stemma_status write_salvaged(struct collection *c, const struct segment *from, const struct vec64 *numbers,
                             read_left *read, void *context, struct draft *draft, stemma_error *err);

/* ---- commits (commit.c) ---- */

/* The manifest becomes the one that counts, and the collection's state. It is taken over in either case.
 * Files that no one names are unlinked. */
stemma_status commit_manifest(struct collection *c, struct manifest *manifest, stemma_error *err);
stemma_status commit_only(struct collection *c, struct manifest *manifest,
                          stemma_error *err); /* nothing is unlinked */
/* The number that it will have. */
uint64_t next_commit(const struct collection *c);
/* Whether a manifest names a file, of a segment or of what is gone. */
bool is_named(const struct manifest *manifest, uint64_t serial, bool segment);
stemma_status check_sure(const struct collection *c, stemma_error *err);
void unlink_unnamed(struct collection *c);
/* Merges what is due, and may be (merge_most). */
stemma_status settle_some(struct collection *c, stemma_error *err);
/* How many documents of a segment are gone. */
uint64_t gone_in(const struct state *state, const struct segment *segment);
struct file_name name_of_file(const struct segment_file *file);

#endif
