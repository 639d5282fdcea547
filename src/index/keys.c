#include "index/keys.h"

#include "base/bits.h"

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

stemma_status band_keys(const uint8_t *keys, struct vec64 *out, stemma_error *err) {
    for (uint32_t band = 0; band < BANDS_POSTED; band++)
        if (!vec64_add(out, band_key(keys, band))) return fail_memory(err);
    return STEMMA_OK;
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
