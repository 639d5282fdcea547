/*
 * A segment: documents of a batch, or of several that were merged, in one immutable file; files of further
 * parts for the same documents may stand beside it. (docs/format.md, section 9)
 *
 * Parts stand one behind the other between two copies of a table of them, at the ends of the file, where one
 * bad sector does not take both. Each is a column, a text or a run
 * with checksums of its own, and is merged without looking at the others: documents keep their numbers for
 * ever.
 */
#ifndef INDEX_SEGMENT_H
#define INDEX_SEGMENT_H

#include "index/gone.h"
#include "index/id_filter.h"
#include "index/schema.h"
#include "index/text_column.h"

/* ---- a file of parts, as any readers share it ---- */

struct part_place {
    struct part part;
    uint64_t offset, size;
};

struct segment_file {
    unsigned users; /* atomic */
    int fd;
    char *path;
    uint64_t serial, size, checksum; /* of its trailer */
    uint64_t base, limit;            /* numbers of its documents are in [base, limit) */
    uint64_t documents;
    uint64_t of;     /* 0, or the serial of the segment to whose documents its parts belong */
    uint64_t commit; /* that names it first */
    bool one_copy;   /* of its table is damaged */
    size_t count;
    struct part_place *parts;
};

/* NULL: no memory. */
char *path_in(const char *folder, const char *name);
char *segment_path(const char *folder, uint64_t serial);
void segment_name(uint64_t serial, char name[32]);
/* NOT_FOUND, CORRUPT, LATER_VERSION, IO. */
stemma_status segment_file_open(const char *folder, int folder_fd, uint64_t serial, struct segment_file **out,
                                stemma_error *err);
struct segment_file *segment_file_share(struct segment_file *file);
void segment_file_close(struct segment_file *file); /* accepts NULL */
/* NULL when it has no such part. */
const struct part_place *segment_file_part(const struct segment_file *file, uint32_t kind, uint32_t spec);
struct run_place place_in_file(const struct segment_file *file, uint64_t offset);

/* ---- writing one ---- */

struct segment_writer {
    struct sink sink;
    int fd;
    const char *path;
    const char *directory; /* for what is put aside until its place comes; NULL: TMPDIR, else /tmp */
    uint64_t first;        /* where its parts begin */
    uint64_t serial, base, limit, documents, of, commit;
    struct part_place parts[PARTS_MOST + 4];
    size_t count;
};

/* parts: how many there will be. */
stemma_status segment_begin(struct segment_writer *writer, const struct disk *disk, int fd, const char *path,
                            uint64_t serial, size_t parts, stemma_error *err);
struct run_place segment_place(struct segment_writer *writer);      /* of the next part */
void segment_part(struct segment_writer *writer, struct part part); /* which was written there */
/* Table, trailer, sync. */
stemma_status segment_finish(struct segment_writer *writer, stemma_error *err);
void segment_release(struct segment_writer *writer); /* the descriptor stays the caller's */

/* Numbers, ascending, as lines of bits: how many rows there are before, then a bit for each of 448 numbers.
 */
enum { LINE_WORDS = 7, LINE_NUMBERS = 64 * LINE_WORDS, LINE = 8 + 8 * LINE_WORDS };

struct line_writer {
    struct column_writer column;
    uint64_t base, line, rows, before;
    uint64_t words[LINE_WORDS];
};

void lines_begin(struct line_writer *lines, const struct run_place *place, uint64_t base);
stemma_status lines_add(struct line_writer *lines, uint64_t number, stemma_error *err);
stemma_status lines_finish(struct line_writer *lines, uint64_t *size, stemma_error *err);

/* ---- reading one: what a single reader has of it ---- */

/* A part as a reader has it, opened when it is first asked. */
struct part_reader {
    enum part_form form; /* 0: not open */
    struct column column;
    struct text text;
    struct run *run;
};

enum { FILES_OF_SEGMENT = 16 };

struct segment {
    struct segment_file *files[FILES_OF_SEGMENT]; /* its own, then further parts by serial */
    size_t file_count;
    uint64_t base, limit, rows;
    const struct schema *schema;
    struct part_reader numbers, records, ids;
    struct id_filter filter;   /* of ids */
    struct part_reader *parts; /* [schema->count] */
};

stemma_status segment_new(struct segment_file *file, const struct schema *schema, struct segment **out,
                          stemma_error *err); /* takes a share of the file */
stemma_status segment_add_file(struct segment *segment, struct segment_file *file, stemma_error *err);
void segment_free(struct segment *segment);

/* CORRUPT when the segment has no such part. */
stemma_status segment_column(struct segment *segment, size_t part, struct column **out, stemma_error *err);
stemma_status segment_run(struct segment *segment, size_t part, struct run **out, stemma_error *err);
stemma_status segment_ids(struct segment *segment, struct run **out, stemma_error *err);
/* Id and facts of a row. */
stemma_status segment_record(struct segment *segment, uint64_t row, struct row *out, stemma_error *err);
stemma_status segment_cell(struct segment *segment, size_t part, uint64_t row, struct cell *cell,
                           stemma_error *err);

/* The row of a number; *found says whether it is in this segment. */
stemma_status segment_row(struct segment *segment, uint64_t number, uint64_t *row, bool *found,
                          stemma_error *err);
/* The number of a row, which is below segment->rows. */
stemma_status segment_number(struct segment *segment, uint64_t row, uint64_t *number, stemma_error *err);

/* Goes through the numbers of a segment in the order of its rows. */
struct numbers {
    struct segment *segment;
    uint64_t line; /* next */
    uint64_t words[LINE_WORDS];
};
stemma_status numbers_next(struct numbers *numbers, uint64_t *number, bool *more, stemma_error *err);

void segment_rest(struct segment *segment); /* gives buffers back */

#endif
