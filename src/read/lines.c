#include "read/lines.h"

#include "base/alloc.h"

#include <string.h>

enum { PIECE = 1 << 16, LINE_MOST = PIECE / 2 };

stemma_status lines_init(struct lines *lines, struct stream *stream, stemma_error *err) {
    *lines = (struct lines){.stream = stream, .piece = mem_alloc(PIECE)};
    return lines->piece ? STEMMA_OK : fail_memory(err);
}

void lines_release(struct lines *lines) {
    mem_free(lines->piece);
}

/* Reads until there are LINE_MOST bytes, or no more. */
static stemma_status fill(struct lines *lines, stemma_error *err) {
    if (lines->end - lines->at >= LINE_MOST) return STEMMA_OK;
    memmove(lines->piece, lines->piece + lines->at, lines->end - lines->at);
    lines->end -= lines->at;
    lines->at = 0;
    while (!lines->ended && lines->end < LINE_MOST) {
        size_t got;
        TRY(stream_read(lines->stream, lines->piece + lines->end, PIECE - lines->end, &got, err));
        lines->ended = got == 0;
        lines->end += got;
    }
    return STEMMA_OK;
}

stemma_status lines_next(struct lines *lines, struct line *line, stemma_error *err) {
    const uint8_t *from = lines->piece + lines->at;
    const uint8_t *end = lines->at < lines->end ? memchr(from, '\n', lines->end - lines->at) : NULL;
    if (!end) {
        TRY(fill(lines, err));
        from = lines->piece + lines->at;
        end = memchr(from, '\n', lines->end - lines->at);
    }
    size_t left = lines->end - lines->at;
    *line = (struct line){from, end ? (size_t)(end - from) + 1 : left, !lines->inside};
    lines->inside = line->size && !end;
    lines->at += line->size;
    return STEMMA_OK;
}

stemma_status lines_bytes(struct lines *lines, size_t size, const uint8_t **bytes, size_t *got,
                          stemma_error *err) {
    if (lines->at == lines->end) TRY(fill(lines, err));
    size_t left = lines->end - lines->at;
    *bytes = lines->piece + lines->at;
    *got = size < left ? size : left;
    lines->at += *got;
    lines->inside = false;
    return STEMMA_OK;
}
