/*
 * gzip, zstd, bzip2 and xz: read piece by piece, files of several members included; written by the ending of
 * a name. What unpacks to far more than it was costs time, never memory.
 */
#ifndef READ_COMPRESSED_H
#define READ_COMPRESSED_H

#include "base/error.h"
#include "base/file.h"
#include "read/stream.h"

enum { COMPRESSED_MAGIC = 10 }; /* bytes that tell */

enum compression {
    COMPRESSION_NONE,
    COMPRESSION_GZIP,
    COMPRESSION_ZSTD,
    COMPRESSION_BZIP2,
    COMPRESSION_XZ,
    /* The data of gzip in another frame, or in none: HTTP has them, and bytes do not tell. */
    COMPRESSION_ZLIB,
    COMPRESSION_DEFLATE
};

enum compression compression_of(const uint8_t *bytes, size_t size);

struct unpacker;

/* Of a stream at its beginning, which is copied. A window that takes more memory than window_most is
 * UNSUPPORTED; 128 MiB may be always. One layer is unpacked: what is inside may be compressed, too. */
stemma_status unpacker_new(const struct stream *stream, enum compression compression, size_t window_most,
                           struct unpacker **out, stemma_error *err);
/* Some bytes, at most size; *got is 0 at the end. CORRUPT when the data is damaged or ends too early, after
 * all that was unpacked before. */
stemma_status unpacker_read(struct unpacker *unpacker, void *bytes, size_t size, size_t *got,
                            stemma_error *err);
bool unpacker_is_cut(const struct unpacker *unpacker);       /* it failed since the stream ends too early */
uint64_t unpacker_position(const struct unpacker *unpacker); /* of the compressed file */
void unpacker_free(struct unpacker *unpacker);

struct packer;

/* *out is NULL when the name does not ask for compression. The output is the caller's. */
stemma_status packer_new(const char *name, struct output *output, struct packer **out, stemma_error *err);
stemma_status packer_write(struct packer *packer, const void *bytes, size_t size, stemma_error *err);
/* All has been written; frees it in either case. */
stemma_status packer_finish(struct packer *packer, stemma_error *err);
void packer_free(struct packer *packer);

#endif
