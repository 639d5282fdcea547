#include "packed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "json.h"
#include "output.h"

enum { ROOM = 3 << 14 }; /* threes of bytes become fours of letters: only the last piece needs padding */

struct packed {
    FILE *in, *out;
    z_stream deflate;
    int cause; /* the errno of the first write that failed */
    unsigned char bytes[ROOM];
};

static void empty_room(packed *p) {
    write_base64(p->out, p->bytes, ROOM - p->deflate.avail_out);
    if (ferror(p->out) && !p->cause) p->cause = errno;
    p->deflate.next_out = p->bytes;
    p->deflate.avail_out = ROOM;
}

static bool compress_piece(packed *p, const char *data, size_t size, int flush) {
    p->deflate.next_in = (unsigned char *)(uintptr_t)data; /* zlib only reads it */
    p->deflate.avail_in = (unsigned)size;
    do {
        if (p->deflate.avail_out == 0) empty_room(p);
        deflate(&p->deflate, flush);
    } while (p->deflate.avail_out == 0 && !p->cause);
    return !p->cause;
}

static ssize_t take(void *context, const char *data, size_t size) {
    return compress_piece(context, data, size, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

packed *packed_open(FILE *out, FILE **in) {
    packed *p = need_memory(sizeof *p);
    *p = (packed){.out = out};
    need(deflateInit(&p->deflate, Z_DEFAULT_COMPRESSION) == Z_OK ? p : NULL);
    p->deflate.next_out = p->bytes;
    p->deflate.avail_out = ROOM;
    *in = p->in = need(fopencookie(p, "w", (cookie_io_functions_t){.write = take}));
    return p;
}

int packed_close(packed *p) {
    fclose(p->in);
    if (!p->cause) compress_piece(p, "", 0, Z_FINISH);
    if (!p->cause) empty_room(p);
    int cause = p->cause;
    deflateEnd(&p->deflate);
    free(p);
    return cause;
}
