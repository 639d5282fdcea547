#include "scan/excerpt.h"

#include "base/alloc.h"
#include "scan/scan.h"
#include "text/tokens.h"

#include <string.h>

/* The stretch of canonical text that the tokens take. */
static struct token stretch_of(enum unit unit, const uint8_t *text, size_t size, size_t first, size_t count) {
    struct token token, stretch = {0, 0};
    size_t at = 0;
    for (size_t i = 0; i < first + count && token_next(unit, text, size, true, &at, &token); i++) {
        if (i == first) stretch.begin = token.begin;
        stretch.end = token.end;
    }
    return stretch;
}

static stemma_status copy_out(const uint8_t *text, size_t begin, size_t end, struct excerpt *out,
                              stemma_error *err) {
    uint8_t *copy = mem_alloc(end - begin + 1);
    if (!copy) return fail_memory(err);
    memcpy(copy, text + begin, end - begin);
    copy[end - begin] = 0;
    *out = (struct excerpt){copy, end - begin, begin};
    return STEMMA_OK;
}

/* Canonical text with the way back. */
static stemma_status canon_mapped(const struct view *view, const uint8_t *text, size_t size,
                                  struct offset_map *map, struct buf *canonical, stemma_error *err) {
    struct canon *canon = NULL;
    TRY(canon_new(view->folds, view->unit, map, &canon, err));
    stemma_status status = canon_feed(canon, text, size, canonical, err);
    if (status == STEMMA_OK) status = canon_finish(canon, canonical, err);
    canon_free(canon);
    return status;
}

static stemma_status from_source(const struct view *view, const uint8_t *text, size_t size, size_t first,
                                 size_t count, struct excerpt *out, stemma_error *err) {
    struct offset_map map = {0};
    struct buf canonical = {0};
    stemma_status status = canon_mapped(view, text, size, &map, &canonical, err);
    if (status == STEMMA_OK) {
        struct token stretch = stretch_of(view->unit, canonical.data, canonical.len, first, count);
        status = copy_out(text, offset_map_find(&map, stretch.begin), offset_map_find(&map, stretch.end), out,
                          err);
    }
    offset_map_release(&map);
    buf_release(&canonical);
    return status;
}

static stemma_status from_canonical(struct text_reader *reader, uint32_t class, size_t first, size_t count,
                                    struct excerpt *out, stemma_error *err) {
    struct buf room = {0};
    const uint8_t *text;
    size_t size;
    stemma_status status = text_fetch(reader, class, &room, &text, &size, err);
    if (status == STEMMA_OK) {
        struct token stretch = stretch_of(reader->scan->recipe->view.unit, text, size, first, count);
        status = copy_out(text, stretch.begin, stretch.end, out, err);
    }
    buf_release(&room);
    return status;
}

stemma_status excerpt_read(struct text_reader *reader, uint32_t class, size_t first, size_t count,
                           struct excerpt *out, stemma_error *err) {
    const struct stemma_scan *scan = reader->scan;
    struct document_text text;
    stemma_status status = text_reader_source(
        reader, &scan->catalogue.documents[scan->catalogue.classes[class].document], &text, err);
    if (status == STEMMA_OK)
        return from_source(&scan->recipe->view, text.bytes, text.size, first, count, out, err);
    return status == STEMMA_NO_MEMORY ? status : from_canonical(reader, class, first, count, out, err);
}

void excerpt_release(struct excerpt *excerpt) {
    mem_free(excerpt->text);
}
