/* A stream in lines, and in runs of bytes between them. */
#ifndef READ_LINES_H
#define READ_LINES_H

#include "read/stream.h"

struct lines {
    struct stream *stream;
    uint8_t *piece;
    size_t at, end;
    bool ended;  /* the stream */
    bool inside; /* what comes next belongs to the line that was given last */
};

stemma_status lines_init(struct lines *lines, struct stream *stream, stemma_error *err);
void lines_release(struct lines *lines);

/* The next line with its end, valid until the next call; one longer than 32 KiB comes in parts, of which only
 * the first `begins` a line. *size is 0 at the end. */
struct line {
    const uint8_t *bytes;
    size_t size;
    bool begins;
};
stemma_status lines_next(struct lines *lines, struct line *line, stemma_error *err);

/* Some bytes, at most size, whatever lines they are; *got is 0 at the end. */
stemma_status lines_bytes(struct lines *lines, size_t size, const uint8_t **bytes, size_t *got,
                          stemma_error *err);

#endif
