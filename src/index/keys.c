#include "index/keys.h"

struct key_form index_form(const struct view *view) {
    struct key_form form = key_form_for(view);
    form.checks = BANDS_POSTED;
    return form;
}

uint64_t band_key(const uint8_t *keys, uint32_t band) {
    const uint8_t *rows = keys + (size_t)2 * band;
    const uint8_t check = keys[KEY_MINIMA + band];
    return (uint64_t)band << BAND_BITS | (uint64_t)rows[0] << 16 | (uint64_t)rows[1] << 8 | check;
}

stemma_status minima_add_parts(struct schema *schema, stemma_error *err) {
    const struct part minima = {.kind = KIND_MINIMA, .form = FORM_COLUMN, .width = MINIMA_BYTES},
                      bands = {.kind = KIND_BAND_KEYS, .form = FORM_LOOKUP};
    TRY(schema_add(schema, minima, err));
    return schema_add(schema, bands, err);
}

stemma_status band_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                             struct vec64 *keys, stemma_error *err) {
    const int minima = schema_find(schema, KIND_MINIMA, 0);
    (void)part;
    if (minima < 0) return fail(err, STEMMA_INVALID, "an index without what it is made from");
    const struct cell cell = row->cells[minima];
    if (cell.size != MINIMA_BYTES) return fail(err, STEMMA_CORRUPT, "minima of %zu bytes", cell.size);
    if (minima_size(cell.bytes) == 0) return STEMMA_OK;
    for (uint32_t band = 0; band < BANDS_POSTED; band++)
        if (!vec64_add(keys, band_key(cell.bytes, band))) return fail_memory(err);
    return STEMMA_OK;
}
