#include "read/late_text.h"

void late_text_release(struct late_text *late) {
    buf_release(&late->held);
    buf_release(&late->decoded);
}

/* ASCII in front of the rest is the same in both encodings. */
static stemma_status decode(struct late_text *late, const uint8_t **bytes, size_t *size, stemma_error *err) {
    if (late->encoding == ENCODING_UTF8) return STEMMA_OK;
    late->decoded.len = 0;
    if (!encoding_decode(late->encoding, *bytes, *size, &late->decoded)) return fail_memory(err);
    *bytes = late->decoded.data;
    *size = late->decoded.len;
    return STEMMA_OK;
}

static stemma_status decide(struct late_text *late, const uint8_t **bytes, size_t *size, stemma_error *err) {
    *bytes = late->held.data;
    *size = late->held.len;
    late->encoding = encoding_of_rest(*bytes + late->ascii, *size - late->ascii);
    return decode(late, bytes, size, err);
}

stemma_status late_text_take(struct late_text *late, const uint8_t **bytes, size_t *size, stemma_error *err) {
    if (late->encoding != ENCODING_AUTO) return decode(late, bytes, size, err);
    if (!late->held.len) {
        late->ascii = encoding_ascii(*bytes, *size);
        if (late->ascii == *size) return STEMMA_OK;
    }
    if (!buf_add(&late->held, *bytes, *size)) return fail_memory(err);
    *size = 0;
    return late->held.len - late->ascii < ENCODING_SAMPLE ? STEMMA_OK : decide(late, bytes, size, err);
}

stemma_status late_text_finish(struct late_text *late, const uint8_t **bytes, size_t *size,
                               stemma_error *err) {
    *size = 0;
    return late->encoding == ENCODING_AUTO && late->held.len ? decide(late, bytes, size, err) : STEMMA_OK;
}
