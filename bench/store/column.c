#include "store/column.h"

#include "base/alloc.h"
#include "base/file.h"
#include "runs/block.h"

#include <string.h>

#define COLUMN_MAGIC "\x8bSTC\r\n\x1a\n"

enum { COLUMN_VERSION = 1, SUM = 8 };

static stemma_status damaged(const struct run_place *place, uint64_t at, const char *what,
                             stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged at byte %llu: %s", place->name,
                (unsigned long long)(place->offset + at), what);
}

static stemma_status put(const struct run_place *place, const void *bytes, size_t size, uint64_t at,
                         stemma_error *err) {
    int cause = write_at(place->fd, bytes, size, place->offset + at);
    return cause ? fail_errno(err, "write", place->name, cause) : STEMMA_OK;
}

static stemma_status get(const struct run_place *place, void *bytes, size_t size, uint64_t at,
                         stemma_error *err) {
    int cause = read_at(place->fd, bytes, size, place->offset + at);
    return cause ? fail_errno(err, "read", place->name, cause) : STEMMA_OK;
}

static size_t whole_words(size_t size) {
    return (size + 7) / 8 * 8;
}

static size_t rows_in_block(uint32_t width) {
    return (COLUMN_BLOCK - SUM) / width;
}

/* ---- rows of one width ---- */

void column_begin(struct column_writer *w, const struct run_place *place, uint32_t width) {
    *w = (struct column_writer){
        .place = *place, .width = width, .per_block = rows_in_block(width), .at = COLUMN_HEADER};
}

static stemma_status write_block(struct column_writer *w, stemma_error *err) {
    size_t used = w->filled * w->width, size = SUM + whole_words(used);
    memset(w->block + SUM + used, 0, size - SUM - used);
    store_u64(w->block, words_checksum(w->block + SUM, size - SUM, w->at));
    TRY(put(&w->place, w->block, size, w->at, err));
    w->at += size;
    w->filled = 0;
    return STEMMA_OK;
}

stemma_status column_add(struct column_writer *w, const void *row, stemma_error *err) {
    memcpy(w->block + SUM + w->filled++ * w->width, row, w->width);
    w->rows++;
    return w->filled == w->per_block ? write_block(w, err) : STEMMA_OK;
}

stemma_status column_finish(struct column_writer *w, uint64_t *size, stemma_error *err) {
    if (w->filled) TRY(write_block(w, err));
    uint8_t header[COLUMN_HEADER] = {[8] = COLUMN_VERSION};
    memcpy(header, COLUMN_MAGIC, 8);
    store_u32(header + 12, w->width);
    store_u64(header + 16, w->rows);
    store_u64(header + 24, words_checksum(header, 24, 0));
    TRY(put(&w->place, header, sizeof header, 0, err));
    *size = w->at;
    return STEMMA_OK;
}

static uint64_t blocks_of(const struct column *c) {
    return c->rows / c->per_block + (c->rows % c->per_block != 0);
}

static size_t rows_of(const struct column *c, uint64_t block) {
    uint64_t left = c->rows - block * c->per_block;
    return left < c->per_block ? (size_t)left : c->per_block;
}

static size_t size_of(const struct column *c, uint64_t block) {
    return SUM + whole_words(rows_of(c, block) * c->width);
}

static bool rows_fill(const struct column *c) {
    uint64_t blocks = blocks_of(c);
    if (c->rows > c->size) return false; /* rows are not empty, so this keeps the product in range */
    if (blocks == 0) return c->size == COLUMN_HEADER;
    return COLUMN_HEADER + (blocks - 1) * c->block_size + size_of(c, blocks - 1) == c->size;
}

stemma_status column_open(struct column *c, const struct run_place *place, uint64_t size, uint32_t width,
                          stemma_error *err) {
    uint8_t header[COLUMN_HEADER];
    *c = (struct column){.place = *place, .size = size, .width = width, .per_block = rows_in_block(width)};
    if (size < COLUMN_HEADER) return damaged(place, 0, "too short for a column", err);
    TRY(get(place, header, sizeof header, 0, err));
    if (memcmp(header, COLUMN_MAGIC, 8) || load_u64(header + 24) != words_checksum(header, 24, 0))
        return damaged(place, 0, "not a column", err);
    if (load_u32(header + 8) > COLUMN_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", place->name);
    c->rows = load_u64(header + 16);
    c->block_size = SUM + whole_words(c->per_block * width);
    if (load_u32(header + 12) != width || !rows_fill(c)) return damaged(place, 0, "rows do not fill it", err);
    c->bytes = mem_alloc(COLUMN_READ * c->block_size);
    return c->bytes ? STEMMA_OK : fail_memory(err);
}

static stemma_status load_blocks(struct column *c, uint64_t first, uint64_t count, stemma_error *err) {
    uint64_t at = COLUMN_HEADER + first * c->block_size;
    size_t size = (size_t)(count - 1) * c->block_size + size_of(c, first + count - 1);
    c->loaded = 0;
    TRY(get(&c->place, c->bytes, size, at, err));
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *block = c->bytes + i * c->block_size;
        uint64_t sum = words_checksum(block + SUM, size_of(c, first + i) - SUM, at + i * c->block_size);
        if (load_u64(block) != sum)
            return damaged(&c->place, at + i * c->block_size, "checksum differs", err);
    }
    c->first = first;
    c->loaded = count;
    return STEMMA_OK;
}

static const uint8_t *row_in_memory(const struct column *c, uint64_t row) {
    return c->bytes + (row / c->per_block - c->first) * c->block_size + SUM + row % c->per_block * c->width;
}

static bool is_loaded(const struct column *c, uint64_t block) {
    return block >= c->first && block - c->first < c->loaded;
}

stemma_status column_row(struct column *c, uint64_t row, const uint8_t **bytes, stemma_error *err) {
    uint64_t block = row / c->per_block;
    if (!is_loaded(c, block)) TRY(load_blocks(c, block, 1, err));
    *bytes = row_in_memory(c, row);
    return STEMMA_OK;
}

stemma_status column_rows(struct column *c, uint64_t row, const uint8_t **bytes, size_t *count,
                          stemma_error *err) {
    uint64_t block = row / c->per_block, left = blocks_of(c) - block;
    if (!is_loaded(c, block)) TRY(load_blocks(c, block, left < COLUMN_READ ? left : COLUMN_READ, err));
    *bytes = row_in_memory(c, row);
    *count = rows_of(c, block) - (size_t)(row % c->per_block);
    return STEMMA_OK;
}

void column_close(struct column *c) {
    mem_free(c->bytes);
    c->bytes = NULL;
}

/* ---- rows of any length ---- */

enum { TEXT_HEADER = 16 }; /* of a block: checksum, rows, bytes; then the end of each row */

void text_begin(struct text_writer *w, const struct run_place *place) {
    *w = (struct text_writer){.place = *place};
}

static stemma_status write_text(struct text_writer *w, stemma_error *err) {
    struct buf block = {0};
    bool kept = buf_add_u64(&block, 0) && buf_add_u32(&block, (uint32_t)w->filled) &&
                buf_add_u32(&block, (uint32_t)w->bytes.len);
    for (size_t i = 0; i < w->filled; i++) kept = kept && buf_add_u32(&block, w->ends[i]);
    kept = kept && buf_add(&block, w->bytes.data, w->bytes.len);
    while (kept && block.len % 8) kept = buf_add_byte(&block, 0);
    stemma_status status = kept && vec64_add(&w->places, w->at) ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) {
        store_u64(block.data, words_checksum(block.data + SUM, block.len - SUM, w->at));
        status = put(&w->place, block.data, block.len, w->at, err);
        w->at += block.len;
    }
    buf_release(&block);
    w->bytes.len = w->filled = 0;
    return status;
}

stemma_status text_add(struct text_writer *w, const void *bytes, size_t size, stemma_error *err) {
    if (!buf_add(&w->bytes, bytes, size)) return fail_memory(err);
    w->ends[w->filled++] = (uint32_t)w->bytes.len;
    return w->filled == TEXT_ROWS ? write_text(w, err) : STEMMA_OK;
}

stemma_status text_finish(struct text_writer *w, uint64_t *size, uint64_t *places_size, stemma_error *err) {
    if (w->filled) TRY(write_text(w, err));
    struct run_place place = w->place;
    place.offset += w->at;
    struct column_writer places;
    column_begin(&places, &place, 8);
    for (size_t i = 0; i < w->places.len; i++) {
        uint8_t row[8];
        store_u64(row, w->places.data[i]);
        TRY(column_add(&places, row, err));
    }
    TRY(column_finish(&places, places_size, err));
    *size = w->at + *places_size;
    return STEMMA_OK;
}

void text_release(struct text_writer *w) {
    buf_release(&w->bytes);
    vec64_release(&w->places);
}

stemma_status text_open(struct text *t, const struct run_place *place, uint64_t size, uint64_t places_size,
                        uint64_t rows, stemma_error *err) {
    *t = (struct text){.place = *place, .end = size - places_size, .rows = rows};
    struct run_place behind = *place;
    if (places_size > size) return damaged(place, 0, "too short for its rows", err);
    behind.offset += t->end;
    TRY(column_open(&t->places, &behind, places_size, 8, err));
    if (t->places.rows != (rows + TEXT_ROWS - 1) / TEXT_ROWS)
        return damaged(place, t->end, "blocks do not fit the rows", err);
    return STEMMA_OK;
}

/* Where a block stands, and where the next one does. */
static stemma_status find_block(struct text *t, uint64_t block, uint64_t *start, uint64_t *end,
                                stemma_error *err) {
    const uint8_t *row;
    *end = t->end;
    TRY(column_row(&t->places, block, &row, err));
    *start = load_u64(row);
    if (block + 1 < t->places.rows) {
        TRY(column_row(&t->places, block + 1, &row, err));
        *end = load_u64(row);
    }
    if (*end > t->end || *start > *end || *end - *start < TEXT_HEADER || (*end - *start) % 8)
        return damaged(&t->place, t->end, "wrong place of a block", err);
    return STEMMA_OK;
}

/* Every end lies behind the one before, and the last one where the bytes end. */
static bool ends_fit(const uint8_t *block, size_t size) {
    size_t rows = load_u32(block + SUM), bytes = load_u32(block + SUM + 4), last = 0;
    if (rows == 0 || rows > TEXT_ROWS || whole_words(TEXT_HEADER + 4 * rows + bytes) != size) return false;
    for (size_t i = 0; i < rows; i++) {
        size_t end = load_u32(block + TEXT_HEADER + 4 * i);
        if (end < last) return false;
        last = end;
    }
    return last == bytes;
}

static stemma_status load_text(struct text *t, uint64_t block, stemma_error *err) {
    uint64_t start, end;
    TRY(find_block(t, block, &start, &end, err));
    size_t size = (size_t)(end - start);
    t->loaded = t->block.len = 0;
    if (!buf_reserve(&t->block, size)) return fail_memory(err);
    TRY(get(&t->place, t->block.data, size, start, err));
    if (load_u64(t->block.data) != words_checksum(t->block.data + SUM, size - SUM, start))
        return damaged(&t->place, start, "checksum differs", err);
    if (!ends_fit(t->block.data, size)) return damaged(&t->place, start, "rows do not fill a block", err);
    t->loaded = block + 1;
    return STEMMA_OK;
}

stemma_status text_row(struct text *t, uint64_t row, const uint8_t **bytes, size_t *size, stemma_error *err) {
    if (t->loaded != row / TEXT_ROWS + 1) TRY(load_text(t, row / TEXT_ROWS, err));
    size_t rows = load_u32(t->block.data + SUM), at = (size_t)(row % TEXT_ROWS);
    if (at >= rows) return damaged(&t->place, 0, "too few rows in a block", err);
    const uint8_t *ends = t->block.data + TEXT_HEADER;
    size_t start = at ? load_u32(ends + 4 * (at - 1)) : 0;
    *bytes = ends + 4 * rows + start;
    *size = load_u32(ends + 4 * at) - start;
    return STEMMA_OK;
}

void text_close(struct text *t) {
    column_close(&t->places);
    buf_release(&t->block);
}
