#include "index/segment.h"

#include "base/alloc.h"

#include <string.h>

/* ---- numbers as lines of bits ---- */

void lines_begin(struct line_writer *l, const struct run_place *place, uint64_t base) {
    *l = (struct line_writer){.base = base};
    column_begin(&l->column, place, LINE);
}

static stemma_status end_line(struct line_writer *l, stemma_error *err) {
    uint8_t bytes[LINE];
    store_u64(bytes, l->before);
    for (int i = 0; i < LINE_WORDS; i++) store_u64(bytes + 8 + 8 * i, l->words[i]);
    memset(l->words, 0, sizeof l->words);
    l->before = l->rows;
    l->line++;
    return column_add(&l->column, bytes, err);
}

stemma_status lines_add(struct line_writer *l, uint64_t number, stemma_error *err) {
    uint64_t at = number - l->base;
    while (l->line < at / LINE_NUMBERS) TRY(end_line(l, err));
    at %= LINE_NUMBERS;
    l->words[at / 64] |= UINT64_C(1) << at % 64;
    l->rows++;
    return STEMMA_OK;
}

stemma_status lines_finish(struct line_writer *l, uint64_t *size, stemma_error *err) {
    TRY(end_line(l, err));
    return column_finish(&l->column, size, err);
}

/* ---- a segment as one reader has it ---- */

static stemma_status damaged(const struct segment *s, const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: %s", s->files[0]->path, what);
}

static void close_part(struct part_reader *part) {
    column_close(&part->column);
    text_close(&part->text);
    run_close(part->run);
    *part = (struct part_reader){0};
}

stemma_status segment_new(struct segment_file *file, const struct schema *schema, struct segment **out,
                          stemma_error *err) {
    struct segment *s = mem_zero(1, sizeof *s);
    struct part_reader *parts = mem_zero(schema->count, sizeof *parts);
    if (!s || !parts) {
        mem_free(s);
        mem_free(parts);
        return fail_memory(err);
    }
    *s = (struct segment){.files = {segment_file_share(file)},
                          .file_count = 1,
                          .base = file->base,
                          .limit = file->limit,
                          .rows = file->documents,
                          .schema = schema,
                          .parts = parts};
    *out = s;
    return STEMMA_OK;
}

stemma_status segment_add_file(struct segment *s, struct segment_file *file, stemma_error *err) {
    if (file->base != s->base || file->limit != s->limit || file->documents != s->rows)
        return fail(err, STEMMA_CORRUPT, "'%s' is damaged: parts of other documents", file->path);
    if (s->file_count == FILES_OF_SEGMENT) return damaged(s, "too many files of further parts", err);
    s->files[s->file_count++] = segment_file_share(file);
    return STEMMA_OK;
}

void segment_free(struct segment *s) {
    if (!s) return;
    close_part(&s->numbers);
    close_part(&s->records);
    close_part(&s->ids);
    id_filter_release(&s->filter);
    for (size_t i = 0; i < s->schema->count; i++) close_part(&s->parts[i]);
    for (size_t i = 0; i < s->file_count; i++) segment_file_close(s->files[i]);
    mem_free(s->parts);
    mem_free(s);
}

static stemma_status open_form(struct segment *s, struct part_reader *reader, const struct part *part,
                               const struct run_place *place, uint64_t size, stemma_error *err) {
    switch (part->form) {
    case FORM_COLUMN:
        return column_open(&reader->column, place, size, part->width, err);
    case FORM_TEXT:
        return text_open(&reader->text, place, size, s->rows, part->width, err);
    case FORM_LOOKUP:
        return run_open(place, size, &reader->run, err);
    }
    return damaged(s, "a part of no form", err);
}

/* The part in the file with the highest serial counts. */
static const struct part_place *find_part(const struct segment *s, const struct part *part,
                                          const struct segment_file **file) {
    for (size_t i = s->file_count; i-- > 0;) {
        const struct part_place *place = segment_file_part(s->files[i], part->kind, part->spec);
        *file = s->files[i];
        if (place) return place;
    }
    return NULL;
}

static stemma_status open_part(struct segment *s, struct part_reader *reader, const struct part *part,
                               stemma_error *err) {
    const struct segment_file *file;
    if (reader->form) return STEMMA_OK;
    const struct part_place *found = find_part(s, part, &file);
    if (!found) return damaged(s, "a part is missing", err);
    if (found->part.form != part->form || found->part.width != part->width)
        return damaged(s, "a part of another form", err);
    struct run_place place = place_in_file(file, found->offset);
    stemma_status status = open_form(s, reader, &found->part, &place, found->size, err);
    if (status == STEMMA_OK)
        reader->form = part->form;
    else
        close_part(reader);
    return status;
}

static stemma_status open_numbers(struct segment *s, stemma_error *err) {
    static const struct part part = {KIND_NUMBERS, 0, FORM_COLUMN, LINE};
    if (s->numbers.form) return STEMMA_OK;
    TRY(open_part(s, &s->numbers, &part, err));
    uint64_t lines = (s->limit - s->base) / LINE_NUMBERS + 1;
    if (s->numbers.column.rows > lines) return damaged(s, "more numbers than it says", err);
    return STEMMA_OK;
}

stemma_status segment_column(struct segment *s, size_t part, struct column **out, stemma_error *err) {
    struct part_reader *reader = &s->parts[part];
    TRY(open_part(s, reader, &s->schema->parts[part], err));
    *out = &reader->column;
    return reader->column.rows == s->rows ? STEMMA_OK : damaged(s, "a column of another length", err);
}

stemma_status segment_run(struct segment *s, size_t part, struct run **out, stemma_error *err) {
    TRY(open_part(s, &s->parts[part], &s->schema->parts[part], err));
    *out = s->parts[part].run;
    return STEMMA_OK;
}

stemma_status segment_ids(struct segment *s, struct run **out, stemma_error *err) {
    static const struct part part = {KIND_IDS, 0, FORM_LOOKUP, 0};
    TRY(open_part(s, &s->ids, &part, err));
    *out = s->ids.run;
    return STEMMA_OK;
}

stemma_status segment_record(struct segment *s, uint64_t row, struct row *out, stemma_error *err) {
    static const struct part part = {KIND_RECORDS, 0, FORM_TEXT, TEXT_ROWS};
    const uint8_t *bytes;
    size_t size;
    TRY(open_part(s, &s->records, &part, err));
    TRY(text_row(&s->records.text, row, &bytes, &size, err));
    size_t id = size < 2 ? 0 : (size_t)bytes[0] | (size_t)bytes[1] << 8;
    if (id == 0 || id > size - 2) return damaged(s, "a record without an id", err);
    out->id = (struct cell){bytes + 2, id};
    out->facts = (struct cell){bytes + 2 + id, size - 2 - id};
    return STEMMA_OK;
}

stemma_status segment_cell(struct segment *s, size_t part, uint64_t row, struct cell *cell,
                           stemma_error *err) {
    struct column *column;
    const struct part *what = &s->schema->parts[part];
    *cell = (struct cell){0};
    if (what->form == FORM_TEXT) {
        TRY(open_part(s, &s->parts[part], what, err));
        return text_row(&s->parts[part].text, row, &cell->bytes, &cell->size, err);
    }
    if (what->form != FORM_COLUMN) return STEMMA_OK;
    TRY(segment_column(s, part, &column, err));
    cell->size = what->width;
    return column_row(column, row, &cell->bytes, err);
}

stemma_status segment_row(struct segment *s, uint64_t number, uint64_t *row, bool *found, stemma_error *err) {
    const uint8_t *line;
    uint64_t at = number - s->base, bit = at % LINE_NUMBERS;
    *found = false;
    if (number < s->base || number >= s->limit) return STEMMA_OK;
    TRY(open_numbers(s, err));
    if (at / LINE_NUMBERS >= s->numbers.column.rows) return STEMMA_OK;
    TRY(column_row(&s->numbers.column, at / LINE_NUMBERS, &line, err));
    uint64_t word = load_u64(line + 8 + bit / 64 * 8);
    *found = word >> bit % 64 & 1;
    *row = load_u64(line) + (uint64_t)__builtin_popcountll(word & ((UINT64_C(1) << bit % 64) - 1));
    for (uint64_t i = 0; i < bit / 64; i++)
        *row += (uint64_t)__builtin_popcountll(load_u64(line + 8 + i * 8));
    if (*found && *row >= s->rows) return damaged(s, "a number without a row", err);
    return STEMMA_OK;
}

/* The last line with no more rows before it than `row`. */
static stemma_status line_of_row(struct segment *s, uint64_t row, uint64_t *found, const uint8_t **line,
                                 stemma_error *err) {
    uint64_t low = 0, high = s->numbers.column.rows;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        TRY(column_row(&s->numbers.column, middle, line, err));
        if (load_u64(*line) <= row)
            low = middle;
        else
            high = middle;
    }
    *found = low;
    return column_row(&s->numbers.column, low, line, err);
}

stemma_status segment_number(struct segment *s, uint64_t row, uint64_t *number, stemma_error *err) {
    const uint8_t *line;
    uint64_t at;
    TRY(open_numbers(s, err));
    if (s->numbers.column.rows == 0) return damaged(s, "a row without a number", err);
    TRY(line_of_row(s, row, &at, &line, err));
    uint64_t left = row - load_u64(line);
    for (uint64_t i = 0; i < LINE_WORDS; i++) {
        uint64_t word = load_u64(line + 8 + 8 * i), here = (uint64_t)__builtin_popcountll(word);
        if (left >= here) {
            left -= here;
            continue;
        }
        while (left--) word &= word - 1;
        *number = s->base + at * LINE_NUMBERS + i * 64 + (uint64_t)__builtin_ctzll(word);
        return STEMMA_OK;
    }
    return damaged(s, "a row without a number", err);
}

stemma_status numbers_next(struct numbers *n, uint64_t *number, bool *more, stemma_error *err) {
    struct segment *s = n->segment;
    const uint8_t *line;
    TRY(open_numbers(s, err));
    for (;;) {
        for (uint64_t i = 0; i < LINE_WORDS; i++)
            if (n->words[i]) {
                *number =
                    s->base + (n->line - 1) * LINE_NUMBERS + i * 64 + (uint64_t)__builtin_ctzll(n->words[i]);
                n->words[i] &= n->words[i] - 1;
                *more = true;
                return STEMMA_OK;
            }
        *more = false;
        if (n->line >= s->numbers.column.rows) return STEMMA_OK;
        TRY(column_row(&s->numbers.column, n->line++, &line, err));
        for (int i = 0; i < LINE_WORDS; i++) n->words[i] = load_u64(line + 8 + i * 8);
    }
}

static void rest_part(struct part_reader *part) {
    column_rest(&part->column);
    text_rest(&part->text);
}

void segment_rest(struct segment *s) {
    rest_part(&s->numbers);
    rest_part(&s->records);
    for (size_t i = 0; i < s->schema->count; i++) rest_part(&s->parts[i]);
}
