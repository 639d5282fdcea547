/* The records of a batch, or one by its offset: where each ends, and its text and id. */
#include "base/file.h"
#include "kernels/kernels.h"
#include "read/csv.h"
#include "read/dataset_state.h"
#include "read/encoding.h"
#include "read/find_byte.h"
#include "read/json_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COLUMNS_SHOWN = 200 }; /* bytes of their names, in a message */

/* ---- where they are ---- */

bool dataset_record_blank(const struct dataset *dataset, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bool space = bytes[i] == ' ' || (bytes[i] == '\t' && dataset->delimiter != '\t');
        if (!space && bytes[i] != '\r' && bytes[i] != '\n') return false;
    }
    return true;
}

bool dataset_record_span(const struct dataset *dataset, const struct dataset_batch *batch, size_t at,
                         size_t *end, bool *open) {
    enum csv_place place = CSV_FIELD;
    size_t size = batch->bytes.len - at, length = size;
    if (size == 0) return false;
    bool ended = dataset_record_end(dataset, &place, batch->bytes.data + at, size, &length);
    *open = !ended && place == CSV_QUOTED;
    *end = at + length;
    return true;
}

/* Without its line end. */
static size_t size_of_line(const uint8_t *bytes, size_t size) {
    if (size && bytes[size - 1] == '\n') size--;
    return size && bytes[size - 1] == '\r' ? size - 1 : size;
}

/* ---- what is wrong with them ---- */

static stemma_status broken_record(const struct dataset *dataset, uint64_t line, const char *cause,
                                   stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "line %llu of '%s' %s", (unsigned long long)line, dataset->name, cause);
}

static stemma_status no_text(const struct dataset *dataset, uint64_t line, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "line %llu of '%s': no field '%s'", (unsigned long long)line,
                dataset->name, dataset->text_field);
}

/* ---- their fields ---- */

/* A field's bytes: those of the record, or of a buffer when they had to be changed. */
static void put_bytes(const uint8_t **bytes, size_t *size, const uint8_t *at, const uint8_t *end) {
    *bytes = at;
    *size = (size_t)(end - at);
}

static bool json_bytes(struct json_value value, struct buf *scratch, const uint8_t **bytes, size_t *size) {
    put_bytes(bytes, size, value.at, value.end);
    if (value.type != JSON_ESCAPED) return true;
    scratch->len = 0;
    if (!json_unescape(value.at, value.end, scratch) || !buf_reserve(scratch, KERNEL_SLACK)) return false;
    put_bytes(bytes, size, scratch->data, scratch->data + scratch->len);
    return true;
}

static bool is_null(struct json_value value) {
    return !value.at || (value.type == JSON_SCALAR && *value.at == 'n');
}

/* A string or a number. */
static bool is_name(struct json_value value) {
    if (!value.at || value.type == JSON_NESTED) return false;
    return value.type != JSON_SCALAR || *value.at == '-' || (*value.at >= '0' && *value.at <= '9');
}

static stemma_status read_json(struct record_reader *reader, const uint8_t *bytes, size_t size,
                               struct dataset_record *record, stemma_error *err) {
    const struct dataset *dataset = reader->dataset;
    struct json_field fields[] = {{.path = dataset->text_field}, {.path = dataset->id_field}};
    struct json_value *text = &fields[0].value, *id = &fields[1].value;
    const char *broken;
    TRY(json_line_read(bytes, size, fields, 2, &reader->text, &broken, err));
    if (broken) return broken_record(dataset, record->line, broken, err);
    if (is_null(*text)) return no_text(dataset, record->line, err);
    if (text->type != JSON_STRING && text->type != JSON_ESCAPED)
        return fail(err, STEMMA_CORRUPT, "line %llu of '%s': field '%s' is not a string",
                    (unsigned long long)record->line, dataset->name, dataset->text_field);
    if (!json_bytes(*text, &reader->text, &record->text, &record->text_size)) return fail_memory(err);
    if (!is_name(*id)) return STEMMA_OK;
    return json_bytes(*id, &reader->id, &record->id, &record->id_size) ? STEMMA_OK : fail_memory(err);
}

static bool csv_bytes(const struct csv_field *field, struct buf *scratch, const uint8_t **bytes,
                      size_t *size) {
    put_bytes(bytes, size, field->at, field->end);
    if (!field->escaped) return true;
    scratch->len = 0;
    if (!csv_unescape(field, scratch) || !buf_reserve(scratch, KERNEL_SLACK)) return false;
    put_bytes(bytes, size, scratch->data, scratch->data + scratch->len);
    return true;
}

/* A text with the delimiter in it and no quotes around it would be cut there, and be taken for others that
 * begin like it. */
static stemma_status too_many_fields(const struct dataset *dataset, uint64_t line, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "line %llu of '%s' has more fields than there are columns (%zu)",
                (unsigned long long)line, dataset->name, dataset->column_count);
}

static stemma_status read_csv(struct record_reader *reader, const uint8_t *bytes, size_t size,
                              struct dataset_record *record, stemma_error *err) {
    const struct dataset *dataset = reader->dataset;
    const uint8_t *at = bytes, *end = bytes + size;
    struct csv_field field;
    bool found = false;
    for (size_t column = 0; csv_next_field(&at, end, dataset->delimiter, &field); column++) {
        if (column >= dataset->column_count && field.at < field.end)
            return too_many_fields(dataset, record->line, err);
        if (column == dataset->text_column) {
            found = true;
            if (!csv_bytes(&field, &reader->text, &record->text, &record->text_size)) return fail_memory(err);
        }
        if (column == dataset->id_column && !csv_bytes(&field, &reader->id, &record->id, &record->id_size))
            return fail_memory(err);
    }
    return found ? STEMMA_OK : no_text(dataset, record->line, err);
}

/* A field is text since the data set says so: what no text has stands between words there. */
static stemma_status ensure_text(struct record_reader *reader, struct dataset_record *record,
                                 stemma_error *err) {
    struct buf *own = &reader->text;
    if (!encoding_is_binary(record->text, record->text_size)) return STEMMA_OK;
    if (record->text != own->data) {
        own->len = 0;
        if (!buf_add(own, record->text, record->text_size) || !buf_reserve(own, KERNEL_SLACK))
            return fail_memory(err);
        put_bytes(&record->text, &record->text_size, own->data, own->data + own->len);
    }
    encoding_blank_controls(own->data, own->len);
    return STEMMA_OK;
}

enum { ID_MOST = 4096 }; /* what is longer is no name; and all ids of a scan stay in memory */

/* A record without an id of its own is called by its place. */
static stemma_status ensure_id(struct record_reader *reader, struct dataset_record *record,
                               stemma_error *err) {
    size_t size = record->id_size;
    if (size > 0 && size <= ID_MOST && !memchr(record->id, 0, size)) return STEMMA_OK;
    reader->id.len = 0;
    if (!buf_add_format(&reader->id, "%s:%llu", reader->dataset->name, (unsigned long long)record->line))
        return fail_memory(err);
    put_bytes(&record->id, &record->id_size, reader->id.data, reader->id.data + reader->id.len);
    return STEMMA_OK;
}

static stemma_status read_record(struct record_reader *reader, const uint8_t *bytes,
                                 struct dataset_record *record, stemma_error *err) {
    size_t size = size_of_line(bytes, (size_t)record->size);
    if (reader->dataset->whole)
        return put_bytes(&record->text, &record->text_size, bytes, bytes + size), STEMMA_OK;
    TRY((reader->dataset->kind == DATASET_JSON_LINES ? read_json : read_csv)(reader, bytes, size, record,
                                                                             err));
    TRY(ensure_text(reader, record, err));
    return ensure_id(reader, record, err);
}

stemma_status dataset_next_field(const struct dataset *dataset, const uint8_t **at, const uint8_t *end,
                                 struct buf *scratch, const uint8_t **field, size_t *size, bool *more,
                                 stemma_error *err) {
    struct json_value string;
    struct csv_field column;
    const bool json = dataset->kind == DATASET_JSON_LINES;
    *more = json ? json_next_string(at, end, &string) : csv_next_field(at, end, dataset->delimiter, &column);
    if (!*more) return STEMMA_OK;
    const bool room =
        json ? json_bytes(string, scratch, field, size) : csv_bytes(&column, scratch, field, size);
    return room ? STEMMA_OK : fail_memory(err);
}

/* ---- the header ---- */

/* A name, or a number from 1. */
static bool is_column(const struct csv_field *field, const char *name, struct buf *scratch, bool *same) {
    const uint8_t *bytes;
    size_t size;
    if (!csv_bytes(field, scratch, &bytes, &size)) return false;
    *same = size == strlen(name) && !memcmp(bytes, name, size);
    return true;
}

static stemma_status find_column(const struct dataset *dataset, const char *name, struct buf *scratch,
                                 size_t *found, stemma_error *err) {
    const uint8_t *at = dataset->header.data, *end = at + size_of_line(at, dataset->header.len);
    struct csv_field field;
    size_t column = 0;
    for (bool same; csv_next_field(&at, end, dataset->delimiter, &field); column++) {
        if (!is_column(&field, name, scratch, &same)) return fail_memory(err);
        if (same) return *found = column, STEMMA_OK;
    }
    char *stop;
    unsigned long long number = name[0] >= '1' && name[0] <= '9' ? strtoull(name, &stop, 10) : 0;
    *found = number > 0 && *stop == 0 && number <= column ? (size_t)number - 1 : NO_COLUMN;
    return STEMMA_OK;
}

/* Who asked for a column that is not there may know it when it is seen. */
static stemma_status fail_column(const struct dataset *dataset, const char *name, struct buf *columns,
                                 stemma_error *err) {
    const uint8_t *at = dataset->header.data, *end = at + size_of_line(at, dataset->header.len);
    struct csv_field field;
    columns->len = 0;
    while (columns->len < COLUMNS_SHOWN && csv_next_field(&at, end, dataset->delimiter, &field))
        if ((columns->len && !buf_add(columns, ", ", 2)) ||
            !buf_add(columns, field.at, (size_t)(field.end - field.at)))
            return fail_memory(err);
    if (!columns->len) return fail(err, STEMMA_INVALID, "'%s' has no column '%s'", dataset->name, name);
    int shown = columns->len < COLUMNS_SHOWN ? (int)columns->len : COLUMNS_SHOWN;
    return fail(err, STEMMA_INVALID, "'%s' has no column '%s', but %.*s%s", dataset->name, name, shown,
                (const char *)columns->data, shown < COLUMNS_SHOWN ? "" : "...");
}

static size_t count_columns(const struct dataset *dataset) {
    const uint8_t *at = dataset->header.data, *end = at + size_of_line(at, dataset->header.len);
    struct csv_field field;
    size_t count = 0;
    while (csv_next_field(&at, end, dataset->delimiter, &field)) count++;
    return count;
}

static stemma_status find_columns(struct dataset *dataset, struct buf *scratch, stemma_error *err) {
    dataset->column_count = count_columns(dataset);
    TRY(find_column(dataset, dataset->text_field, scratch, &dataset->text_column, err));
    TRY(find_column(dataset, dataset->id_field, scratch, &dataset->id_column, err));
    if (dataset->text_column == NO_COLUMN) return fail_column(dataset, dataset->text_field, scratch, err);
    if (dataset->id_column == NO_COLUMN && dataset->id_asked)
        return fail_column(dataset, dataset->id_field, scratch, err);
    return STEMMA_OK;
}

stemma_status dataset_find_columns(struct dataset *dataset, stemma_error *err) {
    struct buf scratch = {0};
    dataset->text_column = dataset->id_column = NO_COLUMN;
    if (!dataset->header.len) return STEMMA_OK; /* an empty file */
    stemma_status status = find_columns(dataset, &scratch, err);
    buf_release(&scratch);
    return status;
}

/* ---- one after the other ---- */

void record_reader_begin(struct record_reader *reader, const struct dataset *dataset,
                         const struct dataset_batch *batch) {
    reader->dataset = dataset;
    reader->batch = batch;
    reader->at = 0;
    reader->line = batch->first_line;
}

static stemma_status too_long(const struct record_reader *reader, const struct dataset_record *record,
                              stemma_error *err) {
    return fail(err, STEMMA_CORRUPT,
                "line %llu of '%s': a record of %llu bytes is too long, %llu may be held: allow more memory",
                (unsigned long long)record->line, reader->dataset->name, (unsigned long long)record->size,
                (unsigned long long)reader->dataset->record_most);
}

/* The record that is too long to be held is all there is in its batch. */
static stemma_status only_too_long(struct record_reader *reader, struct dataset_record *record, bool *more,
                                   stemma_error *err) {
    const struct dataset_batch *batch = reader->batch;
    *more = reader->at == 0;
    if (!*more) return STEMMA_OK;
    reader->at = 1;
    *record =
        (struct dataset_record){.offset = batch->offset, .size = batch->too_long, .line = batch->first_line};
    return too_long(reader, record, err);
}

stemma_status record_reader_next(struct record_reader *reader, struct dataset_record *record, bool *more,
                                 stemma_error *err) {
    const struct dataset_batch *batch = reader->batch;
    if (batch->too_long) return only_too_long(reader, record, more, err);
    size_t begin, end;
    uint64_t line;
    const uint8_t *bytes;
    bool open;
    do {
        begin = reader->at;
        line = reader->line;
        *more = dataset_record_span(reader->dataset, batch, begin, &end, &open);
        if (!*more) return STEMMA_OK;
        bytes = batch->bytes.data + begin;
        reader->at = end;
        reader->line += reader->dataset->kind == DATASET_JSON_LINES ? 1 : count_lines(bytes, end - begin);
    } while (dataset_record_blank(reader->dataset, bytes, end - begin));
    *record = (struct dataset_record){.offset = batch->offset + begin, .size = end - begin, .line = line};
    if (record->size > reader->dataset->record_most) return too_long(reader, record, err);
    if (open) return broken_record(reader->dataset, line, "begins a quote that does not end", err);
    return read_record(reader, bytes, record, err);
}

void record_reader_release(struct record_reader *reader) {
    buf_release(&reader->text);
    buf_release(&reader->id);
    buf_release(&reader->bytes);
    *reader = (struct record_reader){0};
}

/* ---- one by its place ---- */

static stemma_status changed(const struct dataset *dataset, stemma_error *err) {
    return fail(err, STEMMA_UNREADABLE, "cannot read '%s' again: it has changed meanwhile", dataset->name);
}

stemma_status dataset_check_unchanged(const struct dataset *dataset, int fd, stemma_error *err) {
    struct stat info;
    if (fstat(fd, &info) != 0) return fail_errno(err, "read", dataset->name, errno);
    int64_t modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    if ((uint64_t)info.st_size != dataset->size || modified != dataset->modified)
        return changed(dataset, err);
    return STEMMA_OK;
}

/* ---- many, by their places ---- */

enum { BLOCK = 4096 }; /* of what is read past the system's cache */

/* Into blocks that begin and end as those of the file do; false when that is not possible. */
static bool read_direct(int fd, uint8_t *bytes, size_t size, size_t needed, uint64_t offset) {
    size_t filled = 0;
    while (fd >= 0 && filled < needed) {
        ssize_t got = pread(fd, bytes + filled, size - filled, (off_t)(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        filled += (size_t)got;
        if (filled < needed && filled % BLOCK) return false;
    }
    return filled >= needed;
}

/* The same file once more; -1 where it cannot be had past the cache. */
static int open_direct(int fd) {
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

/* What the system has in its cache comes from there. The rest would drive out what it has, for documents that
 * are wanted once, and costs it seven times as much: it is read past the cache. */
static int read_span(int fd, uint8_t *bytes, size_t size, uint64_t offset) {
    const size_t shift = offset % BLOCK, blocks = (shift + size + BLOCK - 1) / BLOCK * BLOCK;
    struct iovec all = {bytes + shift, size};
    ssize_t got = preadv2(fd, &all, 1, (off_t)offset, RWF_NOWAIT);
    if (got == (ssize_t)size) return 0;
    int direct = got >= 0 || errno == EAGAIN ? open_direct(fd) : -1;
    bool done = read_direct(direct, bytes, blocks, shift + size, offset - shift);
    if (direct >= 0) close(direct);
    return done ? 0 : read_at(fd, bytes + shift, size, offset);
}

/* Room for a span: where its first block begins. */
static uint8_t *span_room(struct record_reader *reader, size_t size) {
    reader->bytes.len = 0;
    if (!buf_reserve(&reader->bytes, size + 3 * BLOCK + KERNEL_SLACK)) return NULL;
    return reader->bytes.data + (BLOCK - (uintptr_t)reader->bytes.data % BLOCK);
}

static stemma_status read_bytes_at(const struct dataset *dataset, int fd, uint64_t offset, size_t size,
                                   struct record_reader *reader, stemma_error *err) {
    uint8_t *room = span_room(reader, size);
    reader->held_size = 0;
    if (!room) return fail_memory(err);
    reader->held = reader->span ? room + offset % BLOCK : room;
    int cause = reader->span ? read_span(fd, room, size, offset) : read_at(fd, room, size, offset);
    TRY(dataset_check_unchanged(dataset, fd, err));
    if (cause) return fail_errno(err, "read", dataset->name, cause);
    reader->held_size = size;
    return STEMMA_OK;
}

/* The record, and what comes behind it if that is to be read, too. */
static stemma_status hold(const struct dataset *dataset, uint64_t offset, uint64_t size,
                          struct record_reader *reader, stemma_error *err) {
    const uint64_t left = dataset->size - offset, wanted = size > reader->span ? size : reader->span;
    int fd = dataset->fd;
    if (dataset->reopens) TRY(dataset_reopen(dataset, &fd, err));
    stemma_status status =
        read_bytes_at(dataset, fd, offset, (size_t)(wanted < left ? wanted : left), reader, err);
    if (dataset->reopens) close(fd);
    reader->dataset = dataset;
    reader->held_at = offset;
    return status;
}

static bool is_held(const struct record_reader *reader, const struct dataset *dataset, uint64_t offset,
                    uint64_t size) {
    return reader->span && reader->dataset == dataset && offset >= reader->held_at &&
           offset - reader->held_at <= reader->held_size &&
           size <= reader->held_size - (offset - reader->held_at);
}

stemma_status dataset_text_at(const struct dataset *dataset, uint64_t offset, uint64_t size,
                              struct record_reader *reader, const uint8_t **text, size_t *text_size,
                              stemma_error *err) {
    struct dataset_record record = {.offset = offset, .size = size};
    if (!dataset_random_access(dataset))
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is %s: its records can be read in order only",
                    dataset->name, dataset->compression ? "compressed" : "in UTF-16");
    if (offset > dataset->size || size > dataset->size - offset) return changed(dataset, err);
    if (!is_held(reader, dataset, offset, size)) TRY(hold(dataset, offset, size, reader, err));
    TRY(read_record(reader, reader->held + (offset - reader->held_at), &record, err));
    *text = record.text;
    *text_size = record.text_size;
    return STEMMA_OK;
}
