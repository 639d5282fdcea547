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

stemma_status samples_add_parts(struct schema *schema, stemma_error *err) {
    const struct part samples = {.kind = KIND_SAMPLES, .form = FORM_TEXT, .width = 16},
                      keys = {.kind = KIND_SAMPLE_KEYS, .form = FORM_LOOKUP};
    TRY(schema_add(schema, samples, err));
    return schema_add(schema, keys, err);
}

/* The cell from which a lookup part is made. */
static stemma_status cell_of(const struct schema *schema, const struct row *row, uint32_t kind,
                             struct cell *cell, stemma_error *err) {
    int part = schema_find(schema, kind, 0);
    if (part < 0) return fail(err, STEMMA_INVALID, "an index without what it is made from");
    *cell = row->cells[part];
    return STEMMA_OK;
}

stemma_status band_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                             struct vec64 *keys, stemma_error *err) {
    struct cell cell;
    (void)part;
    TRY(cell_of(schema, row, KIND_MINIMA, &cell, err));
    if (cell.size != MINIMA_BYTES) return fail(err, STEMMA_CORRUPT, "minima of %zu bytes", cell.size);
    if (minima_size(cell.bytes) == 0) return STEMMA_OK;
    for (uint32_t band = 0; band < BANDS_POSTED; band++)
        if (!vec64_add(keys, band_key(cell.bytes, band))) return fail_memory(err);
    return STEMMA_OK;
}

stemma_status sample_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    struct cell cell;
    (void)part;
    TRY(cell_of(schema, row, KIND_SAMPLES, &cell, err));
    return samples_unpack(cell.bytes, cell.size, keys, err);
}

stemma_status samples_pack(const struct vec64 *samples, struct buf *out, stemma_error *err) {
    if (!buf_reserve(out, samples->len * SAMPLE_BYTES)) return fail_memory(err);
    for (size_t i = 0; i < samples->len; i++)
        for (int byte = 0; byte < SAMPLE_BYTES; byte++)
            out->data[out->len++] = (uint8_t)(samples->data[i] >> 8 * byte);
    return STEMMA_OK;
}

stemma_status samples_unpack(const uint8_t *bytes, size_t size, struct vec64 *out, stemma_error *err) {
    if (size % SAMPLE_BYTES) return fail(err, STEMMA_CORRUPT, "samples of %zu bytes", size);
    if (!vec64_reserve(out, size / SAMPLE_BYTES)) return fail_memory(err);
    for (size_t at = 0; at < size; at += SAMPLE_BYTES) {
        uint64_t sample = 0;
        for (int byte = SAMPLE_BYTES; byte-- > 0;) sample = sample << 8 | bytes[at + byte];
        out->data[out->len++] = sample;
    }
    return STEMMA_OK;
}
