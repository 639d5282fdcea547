/*
 * stream.h - lines that arrive on standard input, whenever they do.
 */
#ifndef STEMMA_CLI_STREAM_H
#define STEMMA_CLI_STREAM_H

#include "output.h"

typedef struct line_stream {
    char separator;
    char *bytes;
    size_t room, begin, end; /* [begin, end) was read and not given */
    bool ended;
    uint64_t number; /* of the line given last, from 1 */
    int cause;       /* errno of a failure to read, or 0 */
} line_stream;

enum stream_event {
    STREAM_LINE,
    STREAM_IDLE, /* nothing came for a second */
    STREAM_END,  /* or a failure, or an interruption */
    STREAM_LONG  /* a line of more than 1 GiB, which is passed over */
};

/* The line is NUL-terminated in place, and valid until the next call. */
enum stream_event stream_next(line_stream *s, char **line, size_t *size);
void stream_release(line_stream *s);

#endif
