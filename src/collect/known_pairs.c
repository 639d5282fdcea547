/*
 * A row has "pairs" and its number (4) for an id, which no path begins with, and pairs for a cell: 16 bytes
 * that tell the pair, then the three numbers, 8 each.
 */
#include "collect/known_pairs.h"

#include "base/alloc.h"
#include "index/facts.h"

#include <string.h>

enum { PAIR = 40, ROW_PAIRS = 4096, NAME = 5, ID = NAME + 4 };

void known_pairs_release(struct known_pairs *p) {
    mem_free(p->list);
    mem_free(p->slots);
}

static void set_id(uint8_t id[ID], size_t row) {
    memcpy(id, "pairs", NAME);
    store_u32(id + NAME, (uint32_t)row);
}

/* ---- the table ---- */

static uint32_t *find_slot(const struct known_pairs *p, struct identity pair) {
    size_t at = pair.low & (p->slot_count - 1);
    while (p->slots[at] && !identity_equal(p->list[p->slots[at] - 1].pair, pair))
        at = (at + 1) & (p->slot_count - 1);
    return &p->slots[at];
}

/* At most half of the slots are used. */
static bool grow_slots(struct known_pairs *p) {
    if (2 * (p->count + 1) <= p->slot_count) return true;
    const size_t count = p->slot_count ? 2 * p->slot_count : 1024;
    uint32_t *slots = mem_zero(count, sizeof *slots);
    if (!slots) return false;
    mem_free(p->slots);
    p->slots = slots;
    p->slot_count = count;
    for (size_t i = 0; i < p->count; i++) *find_slot(p, p->list[i].pair) = (uint32_t)i + 1;
    return true;
}

static stemma_status enter(struct known_pairs *p, const struct known_pair *pair, stemma_error *err) {
    if (!grow_slots(p) || !mem_grow((void **)&p->list, &p->cap, p->count + 1, sizeof *p->list))
        return fail_memory(err);
    uint32_t *slot = find_slot(p, pair->pair);
    if (*slot) return STEMMA_OK;
    p->list[p->count++] = *pair;
    *slot = (uint32_t)p->count;
    return STEMMA_OK;
}

/* ---- reading ---- */

static stemma_status read_row(struct known_pairs *p, struct cell cell, stemma_error *err) {
    if (cell.size % PAIR) return fail(err, STEMMA_CORRUPT, "what is known of pairs is damaged");
    for (size_t at = 0; at < cell.size && p->count < p->most; at += PAIR) {
        const uint8_t *bytes = cell.bytes + at;
        const struct known_pair pair = {
            .pair = {load_u64(bytes), load_u64(bytes + 8)},
            .numbers = {load_u64(bytes + 16), load_u64(bytes + 24), load_u64(bytes + 32)}};
        TRY(enter(p, &pair, err));
    }
    p->cut = p->cut || p->count >= p->most;
    return STEMMA_OK;
}

static stemma_status load(struct known_pairs *p, stemma_error *err) {
    struct collection *store = p->pending->store;
    p->loaded = true;
    for (bool found = true; found; p->rows += found) {
        uint8_t id[ID];
        struct cell cell;
        uint64_t number;
        set_id(id, p->rows);
        TRY(collection_find(store, id, sizeof id, &number, &found, err));
        if (found) TRY(collection_cell(store, number, p->part, &cell, &found, err));
        if (found) TRY(read_row(p, cell, err));
    }
    p->stored = p->count;
    return STEMMA_OK;
}

stemma_status known_pairs_find(struct known_pairs *p, struct identity pair, struct numbers *out, bool *found,
                               stemma_error *err) {
    *found = false;
    if (!p->loaded) TRY(load(p, err));
    if (p->slot_count == 0) return STEMMA_OK;
    const uint32_t place = *find_slot(p, pair);
    *found = place != 0;
    if (!*found) return STEMMA_OK;
    p->list[place - 1].used = true;
    *out = p->list[place - 1].numbers;
    return STEMMA_OK;
}

stemma_status known_pairs_add(struct known_pairs *p, struct identity pair, const struct numbers *numbers,
                              stemma_error *err) {
    const struct known_pair known = {.pair = pair, .numbers = *numbers, .used = true};
    if (p->count < p->most) return enter(p, &known, err);
    p->cut = true;
    return STEMMA_OK;
}

/* ---- writing ---- */

static stemma_status put_row(struct known_pairs *p, size_t number, const struct buf *cell,
                             stemma_error *err) {
    const struct facts facts = {.state = FACTS_DATASET};
    uint8_t stored[FACTS_BYTES], id[ID];
    struct row row;
    facts_write(&facts, stored);
    set_id(id, number);
    row.id = (struct cell){id, sizeof id};
    row.facts = (struct cell){stored, sizeof stored};
    row.cells[p->part] = (struct cell){cell->data, cell->len};
    return pending_put(p->pending, &row, 0, NULL, err);
}

static bool add_pair(struct buf *cell, const struct known_pair *pair) {
    uint8_t bytes[PAIR];
    identity_store(pair->pair, bytes);
    store_u64(bytes + 16, pair->numbers.first);
    store_u64(bytes + 24, pair->numbers.second);
    store_u64(bytes + 32, pair->numbers.common);
    return buf_add(cell, bytes, sizeof bytes);
}

/* Those from a place on that this scan used, as rows from a number on, which is moved on. */
static stemma_status put_rows(struct known_pairs *p, size_t from, size_t *row, struct buf *cell,
                              stemma_error *err) {
    for (size_t i = from; i < p->count; i++) {
        if (p->list[i].used && !add_pair(cell, &p->list[i])) return fail_memory(err);
        if (cell->len < (size_t)ROW_PAIRS * PAIR) continue;
        TRY(put_row(p, (*row)++, cell, err));
        cell->len = 0;
    }
    return cell->len ? put_row(p, (*row)++, cell, err) : STEMMA_OK;
}

static stemma_status remove_rows(struct known_pairs *p, size_t from, stemma_error *err) {
    for (size_t i = from; i < p->rows; i++) {
        uint8_t id[ID];
        bool there;
        set_id(id, i);
        TRY(pending_remove(p->pending, id, sizeof id, &there, err));
    }
    return STEMMA_OK;
}

stemma_status known_pairs_store(struct known_pairs *p, stemma_error *err) {
    struct buf cell = {0};
    if (p->count == p->stored) return STEMMA_OK;
    size_t row = p->cut ? 0 : p->rows;
    stemma_status status = put_rows(p, p->cut ? 0 : p->stored, &row, &cell, err);
    buf_release(&cell);
    if (status == STEMMA_OK) status = remove_rows(p, row, err);
    p->rows = row;
    return status;
}
