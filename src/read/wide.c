#include "read/wide.h"

#include <string.h>

enum { PIECE = 1 << 16 };

static stemma_status pull_units(struct wide *w, stream_pull *pull, void *context, stemma_error *err) {
    size_t got;
    if (!buf_reserve(&w->units, PIECE)) return fail_memory(err);
    TRY(pull(context, w->units.data + w->units.len, PIECE, &got, err));
    w->units.len += got;
    w->ended = got == 0;
    return STEMMA_OK;
}

/* Whole characters, unless there is no more: then what is left of one, too. */
static size_t whole_units(const struct wide *w) {
    size_t whole = w->units.len & ~(size_t)1;
    if (w->ended || whole < 2) return w->ended ? w->units.len : 0;
    uint8_t high = w->units.data[whole - (w->encoding == ENCODING_UTF16LE ? 1 : 2)];
    return (high & 0xFC) == 0xD8 ? whole - 2 : whole;
}

static stemma_status decode_units(struct wide *w, stemma_error *err) {
    const size_t whole = whole_units(w);
    w->text.len = w->given = 0;
    if (!whole) return STEMMA_OK;
    if (!encoding_decode(w->encoding, w->units.data, whole, &w->text)) return fail_memory(err);
    memmove(w->units.data, w->units.data + whole, w->units.len - whole);
    w->units.len -= whole;
    return STEMMA_OK;
}

stemma_status wide_read(struct wide *w, stream_pull *pull, void *context, uint8_t *bytes, size_t size,
                        size_t *got, stemma_error *err) {
    while (w->given == w->text.len && !(w->ended && !w->units.len)) {
        if (!w->ended) TRY(pull_units(w, pull, context, err));
        TRY(decode_units(w, err));
    }
    const size_t left = w->text.len - w->given;
    *got = size < left ? size : left;
    if (*got) memcpy(bytes, w->text.data + w->given, *got);
    w->given += *got;
    return STEMMA_OK;
}

void wide_release(struct wide *w) {
    buf_release(&w->units);
    buf_release(&w->text);
    *w = (struct wide){0};
}
