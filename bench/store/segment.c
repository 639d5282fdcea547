#include "store/segment.h"

#include "base/alloc.h"
#include "base/file.h"
#include "runs/block.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SEGMENT_MAGIC "\x8bSTG\r\n\x1a\n"

enum {
    TABLE = PARTS * 16 + 4 * 8, /* offset and size of each part; base, limit, rows, places of the records */
    TRAILER = TABLE + 24,       /* magic, version, checksum */
    LINE_WORDS = 7,             /* a line of numbers: how many there are before it, then a bit for each */
    LINE_NUMBERS = 64 * LINE_WORDS,
    LINE = 8 + 8 * LINE_WORDS
};

char *segment_path(const char *directory, uint64_t serial) {
    struct buf path = {0};
    bool kept = buf_add_format(&path, "%s/%08llu.segment", directory, (unsigned long long)serial) &&
                buf_add_byte(&path, 0);
    if (kept) return (char *)path.data;
    buf_release(&path);
    return NULL;
}

static stemma_status damaged(const struct segment *s, const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: %s", s->path, what);
}

/* ---- writing ---- */

struct writer {
    struct run_place place; /* where the next part begins */
    uint64_t offsets[PARTS], sizes[PARTS];
    uint64_t base, limit, rows, text_places;
};

static void part_done(struct writer *w, enum part part, uint64_t size) {
    w->offsets[part] = w->place.offset;
    w->sizes[part] = size;
    w->place.offset += size;
}

static stemma_status write_table(struct writer *w, uint64_t *size, stemma_error *err) {
    uint8_t bytes[TRAILER] = {0}, *at = bytes;
    for (int p = 0; p < PARTS; p++, at += 16) {
        store_u64(at, w->offsets[p]);
        store_u64(at + 8, w->sizes[p]);
    }
    store_u64(at, w->base);
    store_u64(at + 8, w->limit);
    store_u64(at + 16, w->rows);
    store_u64(at + 24, w->text_places);
    memcpy(at + 32, SEGMENT_MAGIC, 8);
    store_u64(at + 40, 1);
    store_u64(at + 48, words_checksum(bytes, TRAILER - 8, w->place.offset));
    int cause = write_at(w->place.fd, bytes, TRAILER, w->place.offset);
    if (cause == 0 && fdatasync(w->place.fd)) cause = errno;
    if (cause) return fail_errno(err, "write", w->place.name, cause);
    *size = w->place.offset + TRAILER;
    return STEMMA_OK;
}

/* Numbers in order become lines of bits. */
struct line_writer {
    struct column_writer column;
    uint64_t base, line, rows;
    uint64_t words[LINE_WORDS];
    uint64_t before; /* rows before this line */
};

static stemma_status end_line(struct line_writer *l, stemma_error *err) {
    uint8_t bytes[LINE];
    store_u64(bytes, l->before);
    for (int i = 0; i < LINE_WORDS; i++) store_u64(bytes + 8 + 8 * i, l->words[i]);
    memset(l->words, 0, sizeof l->words);
    l->before = l->rows;
    l->line++;
    return column_add(&l->column, bytes, err);
}

static stemma_status add_number(struct line_writer *l, uint64_t number, stemma_error *err) {
    uint64_t at = number - l->base;
    while (l->line < at / LINE_NUMBERS) TRY(end_line(l, err));
    at %= LINE_NUMBERS;
    l->words[at / 64] |= UINT64_C(1) << at % 64;
    l->rows++;
    return STEMMA_OK;
}

static stemma_status finish_numbers(struct writer *w, struct line_writer *l, stemma_error *err) {
    uint64_t size;
    TRY(end_line(l, err));
    TRY(column_finish(&l->column, &size, err));
    w->rows = l->rows;
    part_done(w, PART_PRESENT, size);
    return STEMMA_OK;
}

static void begin_numbers(struct writer *w, struct line_writer *l) {
    *l = (struct line_writer){.base = w->base};
    column_begin(&l->column, &w->place, LINE);
}

static stemma_status finish_records(struct writer *w, struct text_writer *text, stemma_status status,
                                    stemma_error *err) {
    uint64_t size = 0;
    if (status == STEMMA_OK) status = text_finish(text, &size, &w->text_places, err);
    text_release(text);
    part_done(w, PART_RECORDS, size);
    return status;
}

static stemma_status finish_column(struct writer *w, enum part part, struct column_writer *column,
                                   stemma_error *err) {
    uint64_t size;
    TRY(column_finish(column, &size, err));
    part_done(w, part, size);
    return STEMMA_OK;
}

/* ---- from a batch ---- */

static stemma_status write_numbers(struct writer *w, const struct document *d, size_t count,
                                   stemma_error *err) {
    struct line_writer lines;
    begin_numbers(w, &lines);
    for (size_t i = 0; i < count; i++) TRY(add_number(&lines, d[i].number, err));
    return finish_numbers(w, &lines, err);
}

static stemma_status add_record(struct text_writer *text, const struct document *d, stemma_error *err) {
    uint8_t record[FACTS + ID_ROOM];
    memcpy(record, d->facts, FACTS);
    memcpy(record + FACTS, d->id, d->id_size);
    return text_add(text, record, FACTS + d->id_size, err);
}

static stemma_status write_records(struct writer *w, const struct document *d, size_t count,
                                   stemma_error *err) {
    struct text_writer text;
    stemma_status status = STEMMA_OK;
    text_begin(&text, &w->place);
    for (size_t i = 0; i < count && status == STEMMA_OK; i++) status = add_record(&text, &d[i], err);
    return finish_records(w, &text, status, err);
}

static stemma_status write_rows(struct writer *w, enum part part, const struct document *d, size_t count,
                                stemma_error *err) {
    struct column_writer column;
    column_begin(&column, &w->place, part == PART_MINIMA ? MINIMA : BITS);
    for (size_t i = 0; i < count; i++)
        TRY(column_add(&column, part == PART_MINIMA ? d[i].minima : d[i].bits, err));
    return finish_column(w, part, &column, err);
}

static const uint64_t *keys_of(enum part part, const struct document *d, size_t *count, uint64_t *hash) {
    *hash = hash_bytes(d->id, d->id_size, 0);
    *count = part == PART_BANDS ? BANDS : part == PART_SAMPLES ? SAMPLES : 1;
    return part == PART_BANDS ? d->bands : part == PART_SAMPLES ? d->samples : hash;
}

static stemma_status write_postings(struct writer *w, enum part part, const struct document *d, size_t count,
                                    stemma_error *err) {
    size_t keys, filled = 0;
    uint64_t hash, size = 0;
    keys_of(part, d, &keys, &hash);
    struct record *records = mem_zero(count * keys, sizeof *records);
    if (!records) return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *key = keys_of(part, &d[i], &keys, &hash);
        for (size_t k = 0; k < keys; k++) records[filled++] = (struct record){key[k], d[i].number};
    }
    stemma_status status = postings_write(&w->place, records, filled, &size, err);
    mem_free(records);
    part_done(w, part, size);
    return status;
}

static stemma_status write_parts(struct writer *w, const struct document *d, size_t count, uint64_t *size,
                                 stemma_error *err) {
    TRY(write_numbers(w, d, count, err));
    TRY(write_records(w, d, count, err));
    TRY(write_rows(w, PART_MINIMA, d, count, err));
    TRY(write_rows(w, PART_BITS, d, count, err));
    TRY(write_postings(w, PART_IDS, d, count, err));
    TRY(write_postings(w, PART_BANDS, d, count, err));
    TRY(write_postings(w, PART_SAMPLES, d, count, err));
    return write_table(w, size, err);
}

static stemma_status create(struct writer *w, const char *path, stemma_error *err) {
    if (!path) return fail_memory(err);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno(err, "create", path, errno);
    w->place = (struct run_place){fd, 0, path, false};
    return STEMMA_OK;
}

stemma_status segment_write(const char *directory, uint64_t serial, const struct document *d, size_t count,
                            uint64_t *size, stemma_error *err) {
    struct writer w = {.base = d[0].number, .limit = d[count - 1].number + 1};
    char *path = segment_path(directory, serial);
    stemma_status status = create(&w, path, err);
    if (status == STEMMA_OK) {
        status = write_parts(&w, d, count, size, err);
        close(w.place.fd);
    }
    mem_free(path);
    return status;
}

/* ---- from others ---- */

struct sources {
    struct segment *const *from;
    size_t count;
    const struct gone *gone;
};

/* What is done with each document that stays, by its row in a source. */
typedef stemma_status take_row(void *to, struct segment *from, uint64_t row, uint64_t number,
                               stemma_error *err);

static stemma_status each_live(const struct sources *s, take_row *take, void *to, stemma_error *err) {
    for (size_t i = 0; i < s->count; i++) {
        struct numbers numbers = {.segment = s->from[i]};
        uint64_t number, row = 0;
        for (bool more;; row++) {
            TRY(numbers_next(&numbers, &number, &more, err));
            if (!more) break;
            if (!is_gone(s->gone, number)) TRY(take(to, s->from[i], row, number, err));
        }
    }
    return STEMMA_OK;
}

static stemma_status take_number(void *to, struct segment *from, uint64_t row, uint64_t number,
                                 stemma_error *err) {
    (void)from;
    (void)row;
    return add_number(to, number, err);
}

static stemma_status take_record(void *to, struct segment *from, uint64_t row, uint64_t number,
                                 stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    (void)number;
    TRY(text_row(&from->records, row, &bytes, &size, err));
    return text_add(to, bytes, size, err);
}

struct row_copy {
    struct column_writer column;
    enum part part;
};

static stemma_status take_fixed(void *to, struct segment *from, uint64_t row, uint64_t number,
                                stemma_error *err) {
    struct row_copy *copy = to;
    const uint8_t *bytes;
    size_t count;
    (void)number;
    TRY(column_rows(copy->part == PART_MINIMA ? &from->minima : &from->bits, row, &bytes, &count, err));
    return column_add(&copy->column, bytes, err);
}

static stemma_status merge_numbers(struct writer *w, const struct sources *s, stemma_error *err) {
    struct line_writer lines;
    begin_numbers(w, &lines);
    TRY(each_live(s, take_number, &lines, err));
    return finish_numbers(w, &lines, err);
}

static stemma_status merge_records(struct writer *w, const struct sources *s, stemma_error *err) {
    struct text_writer text;
    text_begin(&text, &w->place);
    stemma_status status = each_live(s, take_record, &text, err);
    return finish_records(w, &text, status, err);
}

static stemma_status merge_rows(struct writer *w, enum part part, const struct sources *s,
                                stemma_error *err) {
    struct row_copy copy = {.part = part};
    column_begin(&copy.column, &w->place, part == PART_MINIMA ? MINIMA : BITS);
    TRY(each_live(s, take_fixed, &copy, err));
    return finish_column(w, part, &copy.column, err);
}

static stemma_status merge_postings(struct writer *w, enum part part, const struct sources *s,
                                    stemma_error *err) {
    struct level_run runs[LEVELS_FAN];
    uint64_t size = 0;
    for (size_t i = 0; i < s->count; i++)
        runs[i] = (struct level_run){.fd = s->from[i]->fd,
                                     .extent = s->from[i]->sizes[part],
                                     .offset = s->from[i]->places[part].offset};
    TRY(postings_merge(&w->place, runs, s->count, s->gone, &size, err));
    part_done(w, part, size);
    return STEMMA_OK;
}

static stemma_status merge_parts(struct writer *w, const struct sources *s, uint64_t *size,
                                 stemma_error *err) {
    TRY(merge_numbers(w, s, err));
    TRY(merge_records(w, s, err));
    TRY(merge_rows(w, PART_MINIMA, s, err));
    TRY(merge_rows(w, PART_BITS, s, err));
    TRY(merge_postings(w, PART_IDS, s, err));
    TRY(merge_postings(w, PART_BANDS, s, err));
    TRY(merge_postings(w, PART_SAMPLES, s, err));
    return write_table(w, size, err);
}

stemma_status segment_merge(const char *directory, uint64_t serial, struct segment *const *from, size_t count,
                            const struct gone *gone, uint64_t *size, stemma_error *err) {
    struct writer w = {.base = from[0]->base, .limit = from[count - 1]->limit};
    struct sources sources = {from, count, gone};
    char *path = segment_path(directory, serial);
    stemma_status status = create(&w, path, err);
    if (status == STEMMA_OK) {
        status = merge_parts(&w, &sources, size, err);
        close(w.place.fd);
    }
    mem_free(path);
    return status;
}

/* ---- reading ---- */

/* Parts stand one behind the other from the first byte to the table. */
static stemma_status read_table(struct segment *s, stemma_error *err) {
    uint8_t bytes[TRAILER], *at = bytes;
    uint64_t start = s->size - TRAILER, expected = 0;
    if (s->size < TRAILER) return damaged(s, "too short", err);
    int cause = read_at(s->fd, bytes, TRAILER, start);
    if (cause) return fail_errno(err, "read", s->path, cause);
    if (load_u64(bytes + TRAILER - 8) != words_checksum(bytes, TRAILER - 8, start))
        return damaged(s, "checksum of the table differs", err);
    for (int p = 0; p < PARTS; p++, at += 16) {
        s->places[p] = (struct run_place){s->fd, load_u64(at), s->path, false};
        s->sizes[p] = load_u64(at + 8);
        if (s->places[p].offset != expected || s->sizes[p] > start - expected)
            return damaged(s, "wrong place of a part", err);
        expected += s->sizes[p];
    }
    s->base = load_u64(at);
    s->limit = load_u64(at + 8);
    s->rows = load_u64(at + 16);
    s->text_places = load_u64(at + 24);
    if (memcmp(at + 32, SEGMENT_MAGIC, 8) || expected != start || s->limit < s->base)
        return damaged(s, "no table of parts", err);
    return STEMMA_OK;
}

static stemma_status open_parts(struct segment *s, stemma_error *err) {
    TRY(read_table(s, err));
    const struct run_place *at = s->places;
    const uint64_t *sizes = s->sizes;
    TRY(column_open(&s->present, &at[PART_PRESENT], sizes[PART_PRESENT], LINE, err));
    TRY(text_open(&s->records, &at[PART_RECORDS], sizes[PART_RECORDS], s->text_places, s->rows, err));
    TRY(column_open(&s->minima, &at[PART_MINIMA], sizes[PART_MINIMA], MINIMA, err));
    TRY(column_open(&s->bits, &at[PART_BITS], sizes[PART_BITS], BITS, err));
    TRY(postings_open(&s->ids, &at[PART_IDS], sizes[PART_IDS], err));
    TRY(postings_open(&s->bands, &at[PART_BANDS], sizes[PART_BANDS], err));
    TRY(postings_open(&s->samples, &at[PART_SAMPLES], sizes[PART_SAMPLES], err));
    if (s->minima.rows != s->rows || s->bits.rows != s->rows)
        return damaged(s, "columns of other lengths", err);
    return STEMMA_OK;
}

stemma_status segment_open(const char *directory, uint64_t serial, uint64_t size, struct segment **out,
                           stemma_error *err) {
    struct segment *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    *s = (struct segment){.serial = serial, .size = size, .path = segment_path(directory, serial), .fd = -1};
    stemma_status status = STEMMA_OK;
    if (!s->path)
        status = fail_memory(err);
    else if ((s->fd = open(s->path, O_RDONLY | O_CLOEXEC)) < 0)
        status = fail_errno(err, "open", s->path, errno);
    if (status == STEMMA_OK) status = open_parts(s, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        segment_close(s);
    return status;
}

void segment_close(struct segment *s) {
    if (!s) return;
    column_close(&s->present);
    column_close(&s->minima);
    column_close(&s->bits);
    text_close(&s->records);
    postings_close(&s->ids);
    postings_close(&s->bands);
    postings_close(&s->samples);
    if (s->fd >= 0) close(s->fd);
    mem_free(s->path);
    mem_free(s);
}

stemma_status segment_row(struct segment *s, uint64_t number, uint64_t *row, bool *found, stemma_error *err) {
    const uint8_t *line;
    uint64_t at = number - s->base, bit = at % LINE_NUMBERS;
    *found = false;
    if (number < s->base || at / LINE_NUMBERS >= s->present.rows) return STEMMA_OK;
    TRY(column_row(&s->present, at / LINE_NUMBERS, &line, err));
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
    uint64_t low = 0, high = s->present.rows;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        TRY(column_row(&s->present, middle, line, err));
        if (load_u64(*line) <= row)
            low = middle;
        else
            high = middle;
    }
    *found = low;
    return column_row(&s->present, low, line, err);
}

stemma_status segment_number(struct segment *s, uint64_t row, uint64_t *number, stemma_error *err) {
    const uint8_t *line;
    uint64_t at;
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
    for (;;) {
        for (uint64_t i = 0; i < LINE_WORDS; i++)
            if (n->words[i]) {
                *number = n->segment->base + (n->line - 1) * LINE_NUMBERS + i * 64 +
                          (uint64_t)__builtin_ctzll(n->words[i]);
                n->words[i] &= n->words[i] - 1;
                *more = true;
                return STEMMA_OK;
            }
        const uint8_t *line;
        *more = false;
        if (n->line == n->segment->present.rows) return STEMMA_OK;
        TRY(column_row(&n->segment->present, n->line++, &line, err));
        for (int i = 0; i < LINE_WORDS; i++) n->words[i] = load_u64(line + 8 + i * 8);
    }
}
