/*
 * Readers of one layer of compression each; compressed.c chooses among them. Sums and lengths that a format
 * has are checked.
 *
 * A reader that fails may have unpacked bytes before the damage: *got says how many, as after success.
 */
#ifndef READ_UNPACK_H
#define READ_UNPACK_H

#include "read/stream.h"

enum { UNPACK_PIECE = 1 << 17 }; /* bytes of the compressed stream that are taken at once */

/* Takes from a stream that stays the caller's, and has to stay. */
struct unpack_layer {
    stream_pull *read;
    void *state;
    void (*free)(void *state);
};

enum deflate_frame { DEFLATE_GZIP, DEFLATE_ZLIB, DEFLATE_BARE };

stemma_status unpack_deflate(struct stream *from, enum deflate_frame frame, struct unpack_layer *out,
                             stemma_error *err);
/* A window of more bytes is UNSUPPORTED; 128 MiB always may be. */
stemma_status unpack_zstd(struct stream *from, size_t window_most, struct unpack_layer *out,
                          stemma_error *err);
stemma_status unpack_xz(struct stream *from, size_t window_most, struct unpack_layer *out, stemma_error *err);
/* Through libarchive: up to 64 KiB before the damage are lost. */
stemma_status unpack_bzip2(struct stream *from, struct unpack_layer *out, stemma_error *err);

/* With the name of the stream, if it has one. */
stemma_status unpack_failed(const struct stream *from, stemma_status status, const char *said,
                            stemma_error *err);

/* It ends too early. */
stemma_status unpack_cut(struct stream *from, stemma_error *err);

#endif
