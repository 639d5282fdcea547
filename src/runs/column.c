#include "runs/column.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "runs/block.h"

#include <errno.h>
#include <string.h>

#define COLUMN_MAGIC "\x8bSTC\r\n\x1a\n"

enum { COLUMN_VERSION = 1, SUM = 8 };

stemma_status place_damaged(const struct run_place *place, uint64_t at, const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged at byte %llu: %s", place->name,
                (unsigned long long)(place->offset + at), what);
}

stemma_status place_read(const struct run_place *place, void *bytes, size_t size, uint64_t at,
                         stemma_error *err) {
    int cause = read_at(place->fd, bytes, size, place->offset + at);
    if (cause == ENODATA) return place_damaged(place, at, "it ends too early", err);
    return cause ? fail_errno(err, "read", place->name, cause) : STEMMA_OK;
}

uint64_t place_checksum(const struct run_place *place, const uint8_t *block, size_t size, uint64_t at) {
    return words_checksum(block + SUM, size - SUM, place->seed + at);
}

static size_t rows_in_block(uint32_t width) {
    return (COLUMN_BLOCK - SUM) / width;
}

/* ---- writing ---- */

void column_begin(struct column_writer *w, const struct run_place *place, uint32_t width) {
    *w = (struct column_writer){.place = *place, .width = width, .per_block = rows_in_block(width)};
}

static stemma_status write_block(struct column_writer *w, stemma_error *err) {
    size_t used = w->filled * w->width, size = SUM + whole_words(used);
    memset(w->block + SUM + used, 0, size - SUM - used);
    store_u64(w->block, place_checksum(&w->place, w->block, size, w->at));
    TRY(sink_add(w->place.sink, w->block, size, err));
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
    uint8_t trailer[COLUMN_TRAILER] = {[8] = COLUMN_VERSION};
    memcpy(trailer, COLUMN_MAGIC, 8);
    store_u32(trailer + 12, w->width);
    store_u64(trailer + 16, w->rows);
    store_u64(trailer + 24, words_checksum(trailer, 24, w->place.seed + w->at));
    TRY(sink_add(w->place.sink, trailer, sizeof trailer, err));
    *size = w->at + sizeof trailer;
    return STEMMA_OK;
}

uint64_t column_size(uint64_t rows, uint32_t width) {
    uint64_t per_block = rows_in_block(width), last = rows % per_block;
    uint64_t full = rows / per_block * (SUM + whole_words(per_block * width));
    return full + (last ? SUM + whole_words(last * width) : 0) + COLUMN_TRAILER;
}

/* ---- reading ---- */

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

stemma_status column_open(struct column *c, const struct run_place *place, uint64_t size, uint32_t width,
                          stemma_error *err) {
    uint8_t trailer[COLUMN_TRAILER];
    uint64_t at = size - COLUMN_TRAILER;
    *c = (struct column){.place = *place, .size = size, .width = width};
    if (size < COLUMN_TRAILER) return place_damaged(place, 0, "too short for a column", err);
    TRY(place_read(place, trailer, sizeof trailer, at, err));
    if (memcmp(trailer, COLUMN_MAGIC, 8) ||
        load_u64(trailer + 24) != words_checksum(trailer, 24, place->seed + at))
        return place_damaged(place, at, "not a column", err);
    if (load_u32(trailer + 8) > COLUMN_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", place->name);
    c->rows = load_u64(trailer + 16);
    c->per_block = rows_in_block(width);
    c->block_size = SUM + whole_words(c->per_block * width);
    /* Rows are not empty: more of them than bytes cannot be, and fewer keep the size in range. */
    if (load_u32(trailer + 12) != width || c->rows > size || column_size(c->rows, width) != size)
        return place_damaged(place, at, "rows do not fill it", err);
    return STEMMA_OK;
}

static stemma_status make_room(struct column *c, size_t blocks, stemma_error *err) {
    if (c->room >= blocks) return STEMMA_OK;
    column_rest(c);
    c->bytes = mem_alloc(blocks * c->block_size);
    if (!c->bytes) return fail_memory(err);
    c->room = blocks;
    return STEMMA_OK;
}

static stemma_status load_blocks(struct column *c, uint64_t first, uint64_t count, stemma_error *err) {
    uint64_t at = first * c->block_size;
    size_t size = (size_t)(count - 1) * c->block_size + size_of(c, first + count - 1);
    TRY(make_room(c, (size_t)count, err));
    c->loaded = 0;
    TRY(place_read(&c->place, c->bytes, size, at, err));
    for (uint64_t i = 0; i < count; i++, at += c->block_size) {
        const uint8_t *block = c->bytes + i * c->block_size;
        if (load_u64(block) != place_checksum(&c->place, block, size_of(c, first + i), at))
            return place_damaged(&c->place, at, "checksum differs", err);
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

stemma_status column_load(struct column *c, stemma_error *err) {
    uint64_t blocks = blocks_of(c);
    return blocks ? load_blocks(c, 0, blocks, err) : STEMMA_OK;
}

void column_rest(struct column *c) {
    mem_free(c->bytes);
    c->bytes = NULL;
    c->room = 0;
    c->loaded = 0;
}

void column_close(struct column *c) {
    column_rest(c);
}
