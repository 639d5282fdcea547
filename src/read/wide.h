/* Text in UTF-16 that is read as UTF-8, from wherever its bytes come. */
#ifndef READ_WIDE_H
#define READ_WIDE_H

#include "base/buf.h"
#include "read/encoding.h"
#include "read/stream.h"

/* A zeroed one is ready, but for its encoding. */
struct wide {
    enum encoding encoding; /* UTF16LE or UTF16BE */
    struct buf units;       /* read and not yet decoded */
    struct buf text;        /* decoded */
    size_t given;           /* bytes of it that have been handed out */
    bool ended;             /* there is nothing more to be pulled */
};

/* Some bytes, at most size; *got is 0 at the end. */
stemma_status wide_read(struct wide *wide, stream_pull *pull, void *context, uint8_t *bytes, size_t size,
                        size_t *got, stemma_error *err);
void wide_release(struct wide *wide);

#endif
