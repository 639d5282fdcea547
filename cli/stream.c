#include "stream.h"

#include "command.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, PATIENCE = 1000 /* milliseconds */ };
#define LONGEST ((size_t)1 << 30)

/* Room for a piece and a NUL behind what is there. */
static void make_room(line_stream *s) {
    if (s->begin > 0) {
        memmove(s->bytes, s->bytes + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    if (s->room - s->end > PIECE) return;
    s->room = 2 * s->room + 2 * PIECE;
    s->bytes = need_more(s->bytes, s->room);
}

/* True when there is more to look at; false with *event set otherwise. */
static bool read_more(line_stream *s, enum stream_event *event) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    *event = STREAM_END;
    if (stop_requested) return false;
    int ready = poll(&input, 1, PATIENCE);
    if (ready == 0) *event = STREAM_IDLE;
    if (ready <= 0) return false; /* a signal ends it */
    make_room(s);
    ssize_t got = read(STDIN_FILENO, s->bytes + s->end, s->room - s->end - 1);
    if (got < 0) s->cause = errno;
    s->ended = got <= 0;
    s->end += got > 0 ? (size_t)got : 0;
    return true;
}

static enum stream_event give(line_stream *s, size_t size, bool separated, char **line, size_t *out) {
    *line = s->bytes + s->begin;
    s->begin += size + separated;
    if (s->separator == '\n' && size > 0 && (*line)[size - 1] == '\r') size--;
    (*line)[size] = '\0';
    *out = size;
    s->number++;
    return STREAM_LINE;
}

enum stream_event stream_next(line_stream *s, char **line, size_t *size) {
    enum stream_event event;
    bool too_long = false;
    for (size_t looked = 0;;) {
        size_t have = s->end - s->begin;
        char *end = have > looked ? memchr(s->bytes + s->begin + looked, s->separator, have - looked) : NULL;
        if (end || (s->ended && have > 0)) {
            event = give(s, end ? (size_t)(end - s->bytes) - s->begin : have, end, line, size);
            return too_long ? STREAM_LONG : event;
        }
        if (s->ended) return STREAM_END;
        too_long = too_long || have > LONGEST;
        if (too_long) s->begin = s->end;
        looked = s->end - s->begin;
        if (!read_more(s, &event)) return event;
    }
}

void stream_release(line_stream *s) {
    free(s->bytes);
}
