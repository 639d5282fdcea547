/*
 * The row of a file has its path and a NUL for an id; a chunk has the slot (1) and its number (4) behind
 * that. The row of a file names the recording that is being made, as unfinished, and again when it is
 * complete. A slot that it does not name may have rows of one that was given up. Numbers of chunks have no
 * gaps, so that all are found.
 */
#include "collect/recordings.h"

#include "base/alloc.h"
#include "collect/unchanged.h"
#include "index/facts.h"
#include "index/text_column.h"

#include <string.h>

enum { HEAD = 32, FILLED = 1, IN_ORDER = 2, TIGHT = 4, UNFINISHED = 8, CHUNK_ID = 5 };

void recordings_release(struct recordings *r) {
    mem_free(r->open);
    buf_release(&r->id);
    buf_release(&r->cell);
}

/* ---- ids ---- */

static stemma_status set_head_id(struct recordings *r, struct cell path, stemma_error *err) {
    r->id.len = 0;
    return buf_add(&r->id, path.bytes, path.size) && buf_add_byte(&r->id, 0) ? STEMMA_OK : fail_memory(err);
}

static stemma_status set_chunk_id(struct recordings *r, struct cell path, uint8_t slot, uint32_t number,
                                  stemma_error *err) {
    uint8_t place[CHUNK_ID] = {slot};
    store_u32(place + 1, number);
    TRY(set_head_id(r, path, err));
    return buf_add(&r->id, place, sizeof place) ? STEMMA_OK : fail_memory(err);
}

/* ---- heads ---- */

static void read_head(const uint8_t *bytes, struct recording_head *out) {
    *out = (struct recording_head){.way = {{load_u64(bytes), load_u64(bytes + 8)}, load_u64(bytes + 16)},
                                   .chunks = load_u32(bytes + 24),
                                   .slot = bytes[28],
                                   .filled = bytes[29] & FILLED,
                                   .in_order = bytes[29] & IN_ORDER,
                                   .tight = bytes[29] & TIGHT,
                                   .unfinished = bytes[29] & UNFINISHED};
}

static bool add_head(struct buf *out, const struct recording_head *head) {
    uint8_t bytes[HEAD] = {0};
    identity_store(head->way.how, bytes);
    store_u64(bytes + 16, head->way.held);
    store_u32(bytes + 24, head->chunks);
    bytes[28] = head->slot;
    bytes[29] = (uint8_t)((head->filled ? FILLED : 0) | (head->in_order ? IN_ORDER : 0) |
                          (head->tight ? TIGHT : 0) | (head->unfinished ? UNFINISHED : 0));
    return buf_add(out, bytes, sizeof bytes);
}

static stemma_status parse_heads(struct cell cell, struct recording_heads *out, stemma_error *err) {
    if (cell.size % HEAD || cell.size > RECORDINGS_MOST * HEAD)
        return fail(err, STEMMA_CORRUPT, "what is known of a file is damaged");
    for (out->count = 0; out->count * HEAD < cell.size; out->count++) {
        struct recording_head *head = &out->heads[out->count];
        read_head(cell.bytes + out->count * HEAD, head);
        if (head->slot >= RECORDINGS_MOST)
            return fail(err, STEMMA_CORRUPT, "what is known of a file is damaged");
    }
    return STEMMA_OK;
}

/* *there: the file has a row; of one that has changed it says nothing. */
static stemma_status read_heads(struct recordings *r, struct cell path, const struct source *source,
                                struct recording_heads *out, bool *there, stemma_error *err) {
    struct collection *store = r->pending->store;
    struct facts facts;
    struct row row;
    struct cell cell;
    uint64_t number;
    bool found;
    out->count = 0;
    TRY(set_head_id(r, path, err));
    TRY(collection_find(store, r->id.data, r->id.len, &number, &found, err));
    if (found) TRY(collection_record(store, number, &row, &found, err));
    *there = found;
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    if (!is_unchanged(source, &facts)) return STEMMA_OK;
    TRY(collection_cell(store, number, r->part, &cell, &found, err));
    return found ? parse_heads(cell, out, err) : STEMMA_OK;
}

static uint64_t rows_of(const struct recording_heads *heads) {
    uint64_t rows = 1;
    for (size_t i = 0; i < heads->count; i++) rows += heads->heads[i].chunks;
    return rows;
}

/* ---- rows ---- */

static stemma_status put_row(struct recordings *r, struct cell path, const struct source *source,
                             struct cell cell, uint64_t bytes, stemma_error *err) {
    const struct facts facts = {.state = FACTS_DATASET,
                                .unsettled = source->modified > r->settled,
                                .path_bytes = (uint32_t)path.size,
                                .stamp = source_stamp(source),
                                .file_bytes = source->size,
                                .modified = source->modified};
    uint8_t stored[FACTS_BYTES];
    struct row row;
    facts_write(&facts, stored);
    row.id = (struct cell){r->id.data, r->id.len};
    row.facts = (struct cell){stored, sizeof stored};
    row.cells[r->part] = cell;
    return pending_put(r->pending, &row, bytes, NULL, err);
}

static stemma_status put_heads(struct recordings *r, struct cell path, const struct source *source,
                               const struct recording_heads *heads, stemma_error *err) {
    r->cell.len = 0;
    for (size_t i = 0; i < heads->count; i++)
        if (!add_head(&r->cell, &heads->heads[i])) return fail_memory(err);
    TRY(set_head_id(r, path, err));
    return put_row(r, path, source, (struct cell){r->cell.data, r->cell.len}, 0, err);
}

static stemma_status clear_slot(struct recordings *r, struct cell path, uint8_t slot, stemma_error *err) {
    bool there = true;
    for (uint32_t i = 0; there; i++) {
        TRY(set_chunk_id(r, path, slot, i, err));
        TRY(pending_remove(r->pending, r->id.data, r->id.len, &there, err));
    }
    return STEMMA_OK;
}

static bool uses_slot(const struct recording_heads *heads, uint8_t slot) {
    for (size_t i = 0; i < heads->count; i++)
        if (heads->heads[i].slot == slot) return true;
    return false;
}

static stemma_status clear_unused(struct recordings *r, struct cell path, const struct recording_heads *heads,
                                  stemma_error *err) {
    for (uint8_t slot = 0; slot < RECORDINGS_MOST; slot++)
        if (!uses_slot(heads, slot)) TRY(clear_slot(r, path, slot, err));
    return STEMMA_OK;
}

/* ---- finding ---- */

static bool is_good(const struct recording_head *head, const struct recording_way *way) {
    return identity_equal(head->way.how, way->how) &&
           (head->tight ? head->way.held == way->held : head->way.held <= way->held);
}

static stemma_status count_chunks(struct recordings *r, struct cell path, struct inside_known *known,
                                  stemma_error *err) {
    uint64_t row;
    bool there = true;
    for (known->chunks = 0; there; known->chunks += there) {
        TRY(set_chunk_id(r, path, (uint8_t)known->slot, known->chunks, err));
        TRY(collection_find(r->pending->store, r->id.data, r->id.len, &row, &there, err));
    }
    return STEMMA_OK;
}

stemma_status recordings_find(struct recordings *r, struct cell path, const struct source *source,
                              const struct recording_way *way, struct inside_known *out, bool *found,
                              stemma_error *err) {
    struct recording_heads heads;
    TRY(read_heads(r, path, source, &heads, found, err));
    *found = false;
    for (size_t i = 0; i < heads.count && !*found; i++) {
        const struct recording_head *head = &heads.heads[i];
        *found = is_good(head, way);
        *out = (struct inside_known){.slot = head->slot,
                                     .chunks = head->chunks,
                                     .filled = head->filled,
                                     .in_order = head->in_order,
                                     .rows = rows_of(&heads),
                                     .unfinished = head->unfinished};
    }
    return *found && out->unfinished ? count_chunks(r, path, out, err) : STEMMA_OK;
}

stemma_status recordings_chunk(struct recordings *r, struct cell path, const struct inside_known *known,
                               uint32_t number, struct buf *out, stemma_error *err) {
    struct collection *store = r->pending->store;
    struct cell cell;
    uint64_t row;
    bool found;
    TRY(set_chunk_id(r, path, (uint8_t)known->slot, number, err));
    TRY(collection_find(store, r->id.data, r->id.len, &row, &found, err));
    if (found) TRY(collection_cell(store, row, r->part, &cell, &found, err));
    if (!found) return fail(err, STEMMA_CORRUPT, "some of what is known of a file is missing");
    out->len = 0;
    return buf_add(out, cell.bytes, cell.size) ? STEMMA_OK : fail_memory(err);
}

/* ---- making ---- */

static struct recording_open *find_open(struct recordings *r, const struct source *source) {
    for (size_t i = 0; i < r->open_count; i++)
        if (r->open[i].source == source) return &r->open[i];
    return NULL;
}

/* Without what it takes the place of, or the oldest; nor one that nobody went on with. */
static void make_place(struct recording_heads *heads, const struct recording_way *way) {
    size_t kept = 0;
    for (size_t i = 0; i < heads->count && kept < RECORDINGS_MOST - 1; i++)
        if (!heads->heads[i].unfinished && !identity_equal(heads->heads[i].way.how, way->how))
            heads->heads[kept++] = heads->heads[i];
    heads->count = kept;
}

static struct recording_heads made_and_others(const struct recording_open *open) {
    struct recording_heads heads = {.heads = {open->made}, .count = 1};
    for (size_t i = 0; i < open->others.count; i++) heads.heads[heads.count++] = open->others.heads[i];
    return heads;
}

/* A slot that is free, or that of what is gone on with. */
static void take_slot(struct recording_open *open, const struct inside_known *unfinished) {
    struct recording_head *made = &open->made;
    if (unfinished) {
        made->slot = (uint8_t)unfinished->slot;
        made->chunks = unfinished->chunks;
        made->tight = unfinished->tight;
        made->way.held = unfinished->held;
    } else
        while (uses_slot(&open->others, made->slot)) made->slot++;
}

static stemma_status open_new(struct recordings *r, struct cell path, const struct source *source,
                              const struct recording_way *way, const struct inside_known *unfinished,
                              stemma_error *err) {
    struct recording_open new = {.source = source,
                                 .takers = 1,
                                 .made = {.way = {.how = way->how}, .unfinished = true},
                                 .allowed = way->held,
                                 .whole = true};
    bool there;
    TRY(read_heads(r, path, source, &new.others, &there, err));
    make_place(&new.others, way);
    take_slot(&new, unfinished);
    const struct recording_heads heads = made_and_others(&new);
    if (there) TRY(clear_unused(r, path, unfinished ? &heads : &new.others, err));
    TRY(put_heads(r, path, source, &heads, err));
    if (!mem_grow((void **)&r->open, &r->open_cap, r->open_count + 1, sizeof *r->open))
        return fail_memory(err);
    r->open[r->open_count++] = new;
    return STEMMA_OK;
}

stemma_status recordings_begin(struct recordings *r, struct cell path, const struct source *source,
                               const struct recording_way *way, const struct inside_known *unfinished,
                               bool *taken, stemma_error *err) {
    struct recording_open *open = find_open(r, source);
    *taken = path.size + 1 + CHUNK_ID <= ID_BYTES_MOST; /* else it is read each time */
    if (!*taken) return STEMMA_OK;
    if (!open) return open_new(r, path, source, way, unfinished, err);
    open->takers++;
    return STEMMA_OK;
}

stemma_status recordings_add(struct recordings *r, struct cell path, const struct source *source,
                             const struct buf *chunk, uint64_t bytes, stemma_error *err) {
    struct recording_open *open = find_open(r, source);
    if (chunk->len > TEXT_ROW_BYTES) open->whole = false; /* likewise */
    if (!open->whole) return STEMMA_OK;
    TRY(set_chunk_id(r, path, open->made.slot, open->made.chunks++, err));
    return put_row(r, path, source, (struct cell){chunk->data, chunk->len}, bytes, err);
}

static stemma_status complete(struct recordings *r, struct cell path, struct recording_open *open,
                              uint64_t *rows, stemma_error *err) {
    if (open->made.tight) open->made.way.held = open->allowed;
    open->made.filled = open->source->filled;
    open->made.in_order = open->source->in_order;
    open->made.unfinished = false;
    const struct recording_heads heads = made_and_others(open);
    *rows = rows_of(&heads);
    return put_heads(r, path, open->source, &heads, err);
}

stemma_status recordings_end(struct recordings *r, struct cell path, const struct source *source,
                             const struct inside_taken *how, uint64_t *rows, stemma_error *err) {
    struct recording_open *open = find_open(r, source);
    *rows = 0;
    if (!open) return STEMMA_OK;
    open->whole = open->whole && how->whole;
    open->made.tight = open->made.tight || how->tight;
    if (open->made.way.held < how->held) open->made.way.held = how->held;
    if (--open->takers) return STEMMA_OK;
    struct recording_open ended = *open;
    *open = r->open[--r->open_count];
    return ended.whole ? complete(r, path, &ended, rows, err) : STEMMA_OK;
}

stemma_status recordings_drop_old(struct recordings *r, struct cell path, const struct source *source,
                                  stemma_error *err) {
    struct recording_heads heads;
    bool there;
    if (path.size + 1 + CHUNK_ID > ID_BYTES_MOST) return STEMMA_OK;
    TRY(read_heads(r, path, source, &heads, &there, err));
    if (!there || heads.count) return STEMMA_OK;
    TRY(clear_unused(r, path, &heads, err));
    TRY(set_head_id(r, path, err));
    return pending_remove(r->pending, r->id.data, r->id.len, &there, err);
}
