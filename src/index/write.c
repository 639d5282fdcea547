/* Files of parts: from rows in memory, from other segments, and of further parts for documents that are
 * there. */
#include "index/state.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/levels.h"
#include "base/rng.h"
#include "runs/block.h"
#include "runs/merge.h"

#include <string.h>
#include <unistd.h>

enum { LOOKUP_BLOCK = 256 }; /* records: what is read and checked to find one key */

/* ---- files ---- */

size_t parts_of_documents(const struct collection *c) {
    return c->state.manifest.schema->count + 4; /* numbers, recipe, records, ids */
}

stemma_status draft_open(struct collection *c, size_t parts, struct draft *draft, stemma_error *err) {
    char name[32];
    const uint64_t serial = c->next_serial++;
    *draft = (struct draft){.serial = serial, .fd = -1, .path = segment_path(c->path, serial)};
    segment_name(serial, name);
    if (!draft->path) return fail_memory(err);
    int cause = c->disk->create(c->disk, c->folder, name, &draft->fd);
    stemma_status status = cause ? fail_errno(err, "create", draft->path, cause) : STEMMA_OK;
    if (status == STEMMA_OK)
        status = segment_begin(&draft->writer, c->disk, draft->fd, draft->path, serial, parts, err);
    draft->writer.directory = c->path;
    if (status != STEMMA_OK) draft_abandon(c, draft);
    return status;
}

static void draft_release(struct draft *draft) {
    segment_release(&draft->writer);
    if (draft->fd >= 0) close(draft->fd);
    mem_free(draft->path);
    *draft = (struct draft){.fd = -1};
}

void draft_abandon(struct collection *c, struct draft *draft) {
    char name[32];
    if (!draft->path) return;
    segment_name(draft->serial, name);
    c->disk->unlink(c->disk, c->folder, name);
    draft_release(draft);
}

stemma_status draft_finish(struct collection *c, struct draft *draft, struct segment_file **out,
                           stemma_error *err) {
    stemma_status status = segment_finish(&draft->writer, err);
    if (status == STEMMA_OK) status = segment_file_open(c->path, c->folder, draft->serial, out, err);
    if (status == STEMMA_OK)
        draft_release(draft);
    else
        draft_abandon(c, draft);
    return status;
}

/* ---- rows that go into a file, wherever they come from ---- */

/* The next row that counts; *more is false at the end. */
struct row_source {
    stemma_status (*next)(void *context, struct row *row, uint64_t *number, bool *more, stemma_error *err);
    void (*again)(void *context);
    void *context;
    const struct vec64 *hashes; /* of the ids from number `first` on; NULL: not known */
    uint64_t first;
};

static uint64_t hash_of(const struct row_source *source, const struct row *row, uint64_t number) {
    return source->hashes ? source->hashes->data[number - source->first]
                          : id_hash(row->id.bytes, row->id.size);
}

typedef stemma_status take_row(void *to, const struct row *row, uint64_t number, stemma_error *err);

static stemma_status each_row(const struct row_source *source, take_row *take, void *to, stemma_error *err) {
    source->again(source->context);
    for (;;) {
        struct row row;
        uint64_t number;
        bool more;
        TRY(source->next(source->context, &row, &number, &more, err));
        if (!more) return STEMMA_OK;
        TRY(take(to, &row, number, err));
    }
}

static stemma_status take_number(void *to, const struct row *row, uint64_t number, stemma_error *err) {
    (void)row;
    return lines_add(to, number, err);
}

static stemma_status write_numbers(const struct row_source *source, struct segment_writer *w,
                                   stemma_error *err) {
    struct line_writer lines;
    struct run_place place = segment_place(w);
    uint64_t size;
    lines_begin(&lines, &place, w->base);
    TRY(each_row(source, take_number, &lines, err));
    TRY(lines_finish(&lines, &size, err));
    w->documents = lines.rows;
    segment_part(w, (struct part){KIND_NUMBERS, 0, FORM_COLUMN, LINE});
    return STEMMA_OK;
}

struct record_copy {
    struct text_writer text;
    struct buf bytes;
};

static stemma_status take_record(void *to, const struct row *row, uint64_t number, stemma_error *err) {
    struct record_copy *copy = to;
    (void)number;
    copy->bytes.len = 0;
    bool kept = buf_add_byte(&copy->bytes, (uint8_t)row->id.size) &&
                buf_add_byte(&copy->bytes, (uint8_t)(row->id.size >> 8)) &&
                buf_add(&copy->bytes, row->id.bytes, row->id.size) &&
                buf_add(&copy->bytes, row->facts.bytes, row->facts.size);
    return kept ? text_add(&copy->text, copy->bytes.data, copy->bytes.len, err) : fail_memory(err);
}

static stemma_status write_records(const struct row_source *source, struct segment_writer *w,
                                   stemma_error *err) {
    struct record_copy copy = {0};
    struct run_place place = segment_place(w);
    uint64_t size;
    text_begin(&copy.text, &place, TEXT_ROWS);
    stemma_status status = each_row(source, take_record, &copy, err);
    if (status == STEMMA_OK) status = text_finish(&copy.text, &size, err);
    text_release(&copy.text);
    buf_release(&copy.bytes);
    if (status == STEMMA_OK) segment_part(w, (struct part){KIND_RECORDS, 0, FORM_TEXT, TEXT_ROWS});
    return status;
}

/* What makes a part of rows that do not have it. Of those that are gone nobody asks: so may be the documents.
 */
struct cell_maker {
    make_cell *make;
    void *context;
    const struct gone *gone;
};

/* One part of a row: as it is, or made of the row. */
struct cell_copy {
    struct column_writer column;
    struct text_writer text;
    const struct part *part;
    size_t index; /* in the row */
    const struct cell_maker *maker;
    struct buf made;
};

static stemma_status make_one(struct cell_copy *copy, const struct row *row, uint64_t number,
                              stemma_error *err) {
    const struct cell_maker *maker = copy->maker;
    struct buf *made = &copy->made;
    made->len = 0;
    if (!is_gone(maker->gone, number)) return maker->make(maker->context, number, row, copy->part, made, err);
    if (copy->part->form != FORM_COLUMN) return STEMMA_OK;
    if (!buf_reserve(made, copy->part->width)) return fail_memory(err);
    memset(made->data, 0, copy->part->width);
    made->len = copy->part->width;
    return STEMMA_OK;
}

static stemma_status take_cell(void *to, const struct row *row, uint64_t number, stemma_error *err) {
    struct cell_copy *copy = to;
    struct cell cell = row->cells[copy->index];
    if (copy->maker) {
        TRY(make_one(copy, row, number, err));
        cell = (struct cell){copy->made.data, copy->made.len};
    }
    if (copy->part->form == FORM_TEXT) return text_add(&copy->text, cell.bytes, cell.size, err);
    if (cell.size != copy->part->width)
        return fail(err, STEMMA_INVALID, "a row of %zu bytes for a column of %u", cell.size,
                    copy->part->width);
    return column_add(&copy->column, cell.bytes, err);
}

static stemma_status write_cells(const struct row_source *source, const struct part *part, size_t index,
                                 const struct cell_maker *maker, struct segment_writer *w,
                                 stemma_error *err) {
    struct cell_copy copy = {.part = part, .index = index, .maker = maker};
    struct run_place place = segment_place(w);
    uint64_t size;
    bool text = part->form == FORM_TEXT;
    if (text)
        text_begin(&copy.text, &place, part->width);
    else
        column_begin(&copy.column, &place, part->width);
    stemma_status status = each_row(source, take_cell, &copy, err);
    if (status == STEMMA_OK)
        status = text ? text_finish(&copy.text, &size, err) : column_finish(&copy.column, &size, err);
    text_release(&copy.text);
    buf_release(&copy.made);
    if (status == STEMMA_OK) segment_part(w, *part);
    return status;
}

/* In words, so that a column has it. */
static stemma_status write_recipe(const char *recipe, struct segment_writer *w, stemma_error *err) {
    struct column_writer column;
    struct run_place place = segment_place(w);
    uint64_t size;
    column_begin(&column, &place, 8);
    for (size_t left = strlen(recipe); left; recipe += 8) {
        uint8_t word[8] = {0};
        size_t part = left < 8 ? left : 8;
        memcpy(word, recipe, part);
        TRY(column_add(&column, word, err));
        left -= part;
    }
    TRY(column_finish(&column, &size, err));
    segment_part(w, (struct part){KIND_RECIPE, 0, FORM_COLUMN, 8});
    return STEMMA_OK;
}

/* ---- lookups, sorted on the way ---- */

struct key_copy {
    const struct collection *c;
    const struct schema *schema;
    size_t part; /* of the schema; SIZE_MAX: ids */
    const struct row_source *source;
    struct vec64 keys;
    struct sorter *sorter;
};

static stemma_status take_keys(void *to, const struct row *row, uint64_t number, stemma_error *err) {
    struct key_copy *copy = to;
    struct record records[64];
    if (copy->part == SIZE_MAX) {
        copy->keys.len = 0;
        if (!vec64_add(&copy->keys, hash_of(copy->source, row, number))) return fail_memory(err);
    } else {
        TRY(row_keys(copy->c, copy->schema, copy->part, row, &copy->keys, err));
    }
    for (size_t at = 0; at < copy->keys.len;) {
        size_t count = 0;
        for (; count < 64 && at < copy->keys.len; count++, at++)
            records[count] = (struct record){copy->keys.data[at], number};
        TRY(sorter_add(copy->sorter, records, count, err));
    }
    return STEMMA_OK;
}

static stemma_status copy_sorted(struct sorter *sorter, struct run_writer *writer, stemma_error *err) {
    struct sorter_cursor *cursor;
    struct record records[1024];
    size_t count = 1;
    TRY(sorter_finish(sorter, err));
    TRY(sorter_read(sorter, &cursor, err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && count) {
        status = sorter_next(cursor, records, 1024, &count, err);
        if (status == STEMMA_OK) status = run_writer_add(writer, records, count, err);
    }
    sorter_cursor_free(cursor);
    return status;
}

static stemma_status write_sorted(struct sorter *sorter, struct segment_writer *w, stemma_error *err) {
    struct run_place place = segment_place(w);
    struct run_writer *writer;
    uint64_t size;
    TRY(run_writer_new(&place, LOOKUP_BLOCK, &writer, err));
    stemma_status status = copy_sorted(sorter, writer, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, &size, err);
    run_writer_free(writer);
    return status;
}

static stemma_status write_lookup(struct collection *c, const struct schema *schema,
                                  const struct row_source *source, size_t part, struct segment_writer *w,
                                  stemma_error *err) {
    struct key_copy copy = {.c = c, .schema = schema, .part = part, .source = source};
    /* No stop: what is committed because somebody wants to stop must come to its end. */
    struct sorter_options options = {.memory = c->memory, .directory = c->path};
    TRY(sorter_new(&options, &copy.sorter, err));
    stemma_status status = each_row(source, take_keys, &copy, err);
    if (status == STEMMA_OK) status = write_sorted(copy.sorter, w, err);
    sorter_free(copy.sorter);
    vec64_release(&copy.keys);
    if (status == STEMMA_OK)
        segment_part(w, part == SIZE_MAX ? (struct part){KIND_IDS, 0, FORM_LOOKUP, 0} : schema->parts[part]);
    return status;
}

static stemma_status write_part(struct collection *c, const struct schema *schema,
                                const struct row_source *source, size_t part, struct segment_writer *w,
                                stemma_error *err) {
    return schema->parts[part].form == FORM_LOOKUP
               ? write_lookup(c, schema, source, part, w, err)
               : write_cells(source, &schema->parts[part], part, NULL, w, err);
}

static stemma_status write_parts(struct collection *c, const struct row_source *source,
                                 struct segment_writer *w, stemma_error *err) {
    const struct schema *schema = c->state.manifest.schema;
    TRY(write_numbers(source, w, err));
    TRY(write_recipe(schema->recipe, w, err));
    TRY(write_records(source, w, err));
    TRY(write_lookup(c, schema, source, SIZE_MAX, w, err));
    for (size_t i = 0; i < schema->count; i++) TRY(write_part(c, schema, source, i, w, err));
    return STEMMA_OK;
}

/* ---- from rows in memory ---- */

struct memory_source {
    const struct stored_rows *rows;
    const struct schema *schema;
    const struct gone *gone;
    size_t next;
};

static stemma_status next_in_memory(void *context, struct row *row, uint64_t *number, bool *more,
                                    stemma_error *err) {
    struct memory_source *s = context;
    (void)err;
    while (s->next < s->rows->starts.len && is_gone(s->gone, s->rows->first + s->next)) s->next++;
    *more = s->next < s->rows->starts.len;
    if (!*more) return STEMMA_OK;
    *number = s->rows->first + s->next;
    rows_get(s->rows, s->schema, s->next++, row);
    return STEMMA_OK;
}

static void memory_again(void *context) {
    ((struct memory_source *)context)->next = 0;
}

stemma_status write_rows(struct collection *c, const struct stored_rows *rows, const struct vec64 *hashes,
                         const struct gone *gone, struct draft *draft, stemma_error *err) {
    struct memory_source memory = {rows, c->state.manifest.schema, gone, 0};
    struct row_source source = {next_in_memory, memory_again, &memory, hashes, rows->first};
    draft->writer.base = rows->first;
    draft->writer.limit = rows->first + rows->starts.len;
    draft->writer.commit = next_commit(c);
    return write_parts(c, &source, &draft->writer, err);
}

/* ---- from other segments ---- */

struct segment_source {
    struct segment *const *from;
    size_t count, at;
    const struct gone *gone;
    const volatile int *stop;
    struct numbers numbers;
    uint64_t row;
    size_t part; /* which cell is wanted; ALL_CELLS, NO_CELLS; RECORD_ONLY */
};

enum { NO_CELLS = PARTS_MOST, RECORD_ONLY, ALL_CELLS };

static stemma_status fill_row(const struct segment_source *s, uint64_t at, struct row *row,
                              stemma_error *err) {
    struct segment *segment = s->from[s->at];
    if (s->part == NO_CELLS) return STEMMA_OK;
    if (s->part == RECORD_ONLY) return segment_record(segment, at, row, err);
    if (s->part == ALL_CELLS) return segment_whole_row(segment, at, row, err);
    if (segment->schema->parts[s->part].form == FORM_TEXT)
        return segment_cell(segment, s->part, at, &row->cells[s->part], err);
    struct column *column; /* read ahead */
    size_t count;
    TRY(segment_column(segment, s->part, &column, err));
    row->cells[s->part].size = column->width;
    return column_rows(column, at, &row->cells[s->part].bytes, &count, err);
}

static stemma_status next_in_segments(void *context, struct row *row, uint64_t *number, bool *more,
                                      stemma_error *err) {
    struct segment_source *s = context;
    TRY(check_stop(s->stop, err));
    for (*more = false; s->at < s->count;) {
        s->numbers.segment = s->from[s->at];
        TRY(numbers_next(&s->numbers, number, more, err));
        if (!*more) {
            segment_rest(s->from[s->at++]);
            s->numbers = (struct numbers){0};
            s->row = 0;
            continue;
        }
        uint64_t at = s->row++;
        if (!is_gone(s->gone, *number)) return fill_row(s, at, row, err);
    }
    return STEMMA_OK;
}

static void segments_again(void *context) {
    struct segment_source *s = context;
    s->at = 0;
    s->row = 0;
    s->numbers = (struct numbers){0};
}

static stemma_status place_of_run(struct segment *segment, uint32_t kind, uint32_t spec,
                                  struct merge_run *run, stemma_error *err) {
    for (size_t i = segment->file_count; i-- > 0;) {
        const struct part_place *place = segment_file_part(segment->files[i], kind, spec);
        if (!place) continue;
        *run = (struct merge_run){place_in_file(segment->files[i], place->offset), place->size};
        return STEMMA_OK;
    }
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: a part is missing", segment->files[0]->path);
}

static stemma_status copy_live(const struct collection *c, struct merge *merge, const struct gone *gone,
                               struct run_writer *writer, stemma_error *err) {
    struct record records[1024];
    for (;;) {
        size_t count, kept = 0;
        TRY(check_stop(c->stop, err));
        TRY(merge_next(merge, records, 1024, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++)
            if (!is_gone(gone, records[i].value)) records[kept++] = records[i];
        TRY(run_writer_add(writer, records, kept, err));
    }
}

static stemma_status merge_lookup(const struct collection *c, const struct segment_source *s,
                                  const struct part *part, struct segment_writer *w, stemma_error *err) {
    struct merge_run runs[LEVELS_FAN];
    struct run_place place = segment_place(w);
    struct merge *merge;
    struct run_writer *writer = NULL;
    uint64_t size;
    for (size_t i = 0; i < s->count; i++)
        TRY(place_of_run(s->from[i], part->kind, part->spec, &runs[i], err));
    TRY(merge_new(runs, s->count, false, 0, &merge, err));
    stemma_status status = run_writer_new(&place, LOOKUP_BLOCK, &writer, err);
    if (status == STEMMA_OK) status = copy_live(c, merge, s->gone, writer, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, &size, err);
    run_writer_free(writer);
    merge_free(merge);
    if (status == STEMMA_OK) segment_part(w, *part);
    return status;
}

stemma_status write_merged(struct collection *c, struct segment *const *from, size_t count,
                           const struct gone *gone, struct draft *draft, stemma_error *err) {
    static const struct part ids = {KIND_IDS, 0, FORM_LOOKUP, 0};
    const struct schema *schema = c->state.manifest.schema;
    struct segment_source segments = {
        .from = from, .count = count, .gone = gone, .stop = c->stop, .part = NO_CELLS};
    struct row_source source = {next_in_segments, segments_again, &segments, NULL, 0};
    struct segment_writer *w = &draft->writer;
    w->base = from[0]->base;
    w->limit = from[count - 1]->limit;
    w->commit = next_commit(c);
    TRY(write_numbers(&source, w, err));
    TRY(write_recipe(schema->recipe, w, err));
    segments.part = RECORD_ONLY;
    TRY(write_records(&source, w, err));
    TRY(merge_lookup(c, &segments, &ids, w, err));
    for (size_t i = 0; i < schema->count; i++) {
        segments.part = i;
        TRY(schema->parts[i].form == FORM_LOOKUP ? merge_lookup(c, &segments, &schema->parts[i], w, err)
                                                 : write_part(c, schema, &source, i, w, err));
    }
    return STEMMA_OK;
}

/* ---- further parts ---- */

static const struct gone none_gone;

stemma_status write_further(struct collection *c, const struct schema *schema, struct segment *from,
                            size_t first, bool lookups, make_cell *make, void *context, struct draft *draft,
                            stemma_error *err) {
    struct segment_source segments = {
        .from = &from, .count = 1, .gone = &none_gone, .stop = c->stop, .part = ALL_CELLS};
    struct row_source source = {next_in_segments, segments_again, &segments, NULL, 0};
    struct cell_maker maker = {make, context, &c->state.gone};
    struct segment_writer *w = &draft->writer;
    w->base = from->base;
    w->limit = from->limit;
    w->documents = from->rows;
    w->of = from->files[0]->serial;
    w->commit = next_commit(c);
    for (size_t i = first; i < schema->count; i++)
        if ((schema->parts[i].form == FORM_LOOKUP) == lookups)
            TRY(lookups ? write_lookup(c, schema, &source, i, w, err)
                        : write_cells(&source, &schema->parts[i], i, &maker, w, err));
    return STEMMA_OK;
}

/* ---- what is left of a damaged segment ---- */

struct salvage_source {
    const struct vec64 *numbers;
    read_left *read;
    void *context;
    size_t next;
};

static stemma_status next_salvaged(void *context, struct row *row, uint64_t *number, bool *more,
                                   stemma_error *err) {
    struct salvage_source *s = context;
    *more = s->next < s->numbers->len;
    if (!*more) return STEMMA_OK;
    *number = s->numbers->data[s->next];
    return s->read(s->context, s->next++, row, err);
}

static void salvage_again(void *context) {
    ((struct salvage_source *)context)->next = 0;
}

stemma_status write_salvaged(struct collection *c, const struct segment *from, const struct vec64 *numbers,
                             read_left *read, void *context, struct draft *draft, stemma_error *err) {
    struct salvage_source salvage = {numbers, read, context, 0};
    struct row_source source = {next_salvaged, salvage_again, &salvage, NULL, 0};
    draft->writer.base = from->base;
    draft->writer.limit = from->limit;
    draft->writer.commit = next_commit(c);
    return write_parts(c, &source, &draft->writer, err);
}
