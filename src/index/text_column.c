#include "index/text_column.h"

enum { SUM = 8, HEADER = 16 }; /* of a block: checksum, rows, bytes; then the end of each row */

/* ---- writing ---- */

void text_begin(struct text_writer *w, const struct run_place *place, size_t per_block) {
    *w = (struct text_writer){.place = *place, .per_block = per_block, .places.directory = place->directory};
}

static bool lay_out(const struct text_writer *w, struct buf *block) {
    bool kept = buf_add_u64(block, 0) && buf_add_u32(block, (uint32_t)w->filled) &&
                buf_add_u32(block, (uint32_t)w->bytes.len);
    for (size_t i = 0; i < w->filled; i++) kept = kept && buf_add_u32(block, w->ends[i]);
    kept = kept && buf_add(block, w->bytes.data, w->bytes.len);
    while (kept && block->len % 8) kept = buf_add_byte(block, 0);
    return kept;
}

static stemma_status write_block(struct text_writer *w, stemma_error *err) {
    struct buf block = {0};
    uint8_t place[8];
    store_u64(place, w->at);
    TRY(spool_add(&w->places, place, sizeof place, err));
    stemma_status status = lay_out(w, &block) ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) {
        store_u64(block.data, place_checksum(&w->place, block.data, block.len, w->at));
        status = sink_add(w->place.sink, block.data, block.len, err);
        w->at += block.len;
    }
    buf_release(&block);
    w->bytes.len = w->filled = 0;
    return status;
}

stemma_status text_add(struct text_writer *w, const void *bytes, size_t size, stemma_error *err) {
    if (size > TEXT_ROW_BYTES) return fail(err, STEMMA_INVALID, "a row of %zu bytes is too long", size);
    if (!buf_add(&w->bytes, bytes, size)) return fail_memory(err);
    w->ends[w->filled++] = (uint32_t)w->bytes.len;
    return w->filled == w->per_block ? write_block(w, err) : STEMMA_OK;
}

static stemma_status take_places(void *context, const uint8_t *bytes, size_t size, stemma_error *err) {
    for (size_t at = 0; at < size; at += 8) TRY(column_add(context, bytes + at, err));
    return STEMMA_OK;
}

stemma_status text_finish(struct text_writer *w, uint64_t *size, stemma_error *err) {
    if (w->filled) TRY(write_block(w, err));
    struct run_place place = w->place;
    place.offset += w->at;
    place.seed += w->at;
    struct column_writer places;
    uint64_t behind;
    column_begin(&places, &place, 8);
    TRY(spool_read(&w->places, take_places, &places, err));
    TRY(column_finish(&places, &behind, err));
    *size = w->at + behind;
    return STEMMA_OK;
}

void text_release(struct text_writer *w) {
    buf_release(&w->bytes);
    spool_release(&w->places);
}

/* ---- reading ---- */

stemma_status text_open(struct text *t, const struct run_place *place, uint64_t size, uint64_t rows,
                        size_t per_block, stemma_error *err) {
    *t = (struct text){.place = *place, .rows = rows, .per_block = per_block};
    if (rows > size) return place_damaged(place, 0, "too short for its rows", err);
    uint64_t blocks = rows / per_block + (rows % per_block != 0), behind = column_size(blocks, 8);
    if (behind > size) return place_damaged(place, 0, "too short for its blocks", err);
    struct run_place places = *place;
    t->end = size - behind;
    places.offset += t->end;
    places.seed += t->end;
    TRY(column_open(&t->places, &places, behind, 8, err));
    return t->places.rows == blocks ? STEMMA_OK
                                    : place_damaged(place, t->end, "blocks do not fit the rows", err);
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
    if (*end > t->end || *start > *end || *end - *start < HEADER || (*end - *start) % 8)
        return place_damaged(&t->place, t->end, "wrong place of a block", err);
    return STEMMA_OK;
}

/* As many rows as there should be; every end lies behind the one before, the last one where the bytes end. */
static bool ends_fit(const uint8_t *block, size_t size, size_t rows) {
    size_t bytes = load_u32(block + SUM + 4), last = 0;
    if (load_u32(block + SUM) != rows || whole_words(HEADER + 4 * rows + bytes) != size) return false;
    for (size_t i = 0; i < rows; i++) {
        size_t end = load_u32(block + HEADER + 4 * i);
        if (end < last) return false;
        last = end;
    }
    return last == bytes;
}

static size_t rows_of(const struct text *t, uint64_t block) {
    uint64_t left = t->rows - block * t->per_block;
    return left < t->per_block ? (size_t)left : t->per_block;
}

static stemma_status load_block(struct text *t, uint64_t block, stemma_error *err) {
    uint64_t start, end;
    TRY(find_block(t, block, &start, &end, err));
    size_t size = (size_t)(end - start);
    t->loaded = t->block.len = 0;
    if (size > whole_words(HEADER + rows_of(t, block) * (4 + (size_t)TEXT_ROW_BYTES)))
        return place_damaged(&t->place, start, "a block longer than its rows can be", err);
    if (!buf_reserve(&t->block, size)) return fail_memory(err);
    TRY(place_read(&t->place, t->block.data, size, start, err));
    if (load_u64(t->block.data) != place_checksum(&t->place, t->block.data, size, start))
        return place_damaged(&t->place, start, "checksum differs", err);
    if (!ends_fit(t->block.data, size, rows_of(t, block)))
        return place_damaged(&t->place, start, "rows do not fill a block", err);
    t->loaded = block + 1;
    return STEMMA_OK;
}

stemma_status text_row(struct text *t, uint64_t row, const uint8_t **bytes, size_t *size, stemma_error *err) {
    uint64_t block = row / t->per_block;
    if (t->loaded != block + 1) TRY(load_block(t, block, err));
    size_t at = (size_t)(row % t->per_block);
    const uint8_t *ends = t->block.data + HEADER;
    size_t start = at ? load_u32(ends + 4 * (at - 1)) : 0;
    *bytes = ends + 4 * rows_of(t, block) + start;
    *size = load_u32(ends + 4 * at) - start;
    return STEMMA_OK;
}

stemma_status text_check_ends(struct text *t, stemma_error *err) {
    const uint8_t *row;
    if (t->rows == 0)
        return t->end == 0 ? STEMMA_OK : place_damaged(&t->place, 0, "bytes that are no block", err);
    TRY(column_row(&t->places, 0, &row, err));
    return load_u64(row) == 0 ? STEMMA_OK : place_damaged(&t->place, 0, "bytes that are no block", err);
}

void text_rest(struct text *t) {
    buf_release(&t->block);
    t->loaded = 0;
    column_rest(&t->places);
}

void text_close(struct text *t) {
    text_rest(t);
}
