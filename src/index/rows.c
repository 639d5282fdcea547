#include "index/rows.h"

#include <string.h>

bool rows_reserve(struct stored_rows *rows, const struct schema *schema, const struct row *row) {
    size_t size = 4 + row->id.size + 4 + row->facts.size;
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].form != FORM_LOOKUP) size += 4 + row->cells[i].size;
    return vec64_reserve(&rows->starts, 1) && buf_reserve(&rows->bytes, size);
}

static void add_sized(struct buf *bytes, const struct cell *cell) {
    (void)buf_add_u32(bytes, (uint32_t)cell->size);
    (void)buf_add(bytes, cell->bytes, cell->size);
}

void rows_add(struct stored_rows *rows, const struct schema *schema, const struct row *row) {
    (void)vec64_add(&rows->starts, rows->bytes.len);
    add_sized(&rows->bytes, &row->id);
    add_sized(&rows->bytes, &row->facts);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].form != FORM_LOOKUP) add_sized(&rows->bytes, &row->cells[i]);
}

static struct cell take_sized(const uint8_t **at) {
    struct cell cell = {*at + 4, load_u32(*at)};
    *at += 4 + cell.size;
    return cell;
}

void rows_get(const struct stored_rows *rows, const struct schema *schema, size_t index, struct row *row) {
    const uint8_t *at = rows->bytes.data + rows->starts.data[index];
    row->id = take_sized(&at);
    row->facts = take_sized(&at);
    for (size_t i = 0; i < schema->count; i++)
        row->cells[i] = schema->parts[i].form == FORM_LOOKUP ? (struct cell){0} : take_sized(&at);
}

void rows_clear(struct stored_rows *rows) {
    rows->bytes.len = rows->starts.len = 0;
}

void rows_release(struct stored_rows *rows) {
    buf_release(&rows->bytes);
    vec64_release(&rows->starts);
}
