#include "base/spool.h"

#include "base/file.h"
#include "base/temporary.h"

#include <unistd.h>

static stemma_status spill(struct spool *spool, stemma_error *err) {
    if (!spool->has_file) TRY(temporary_open(spool->directory, &spool->fd, err));
    spool->has_file = true;
    int cause = write_at(spool->fd, spool->bytes.data, SPOOL_PIECE, spool->filed);
    if (cause)
        return fail_errno(err, "write a temporary file in", temporary_directory(spool->directory), cause);
    spool->filed += SPOOL_PIECE;
    spool->bytes.len = 0;
    return STEMMA_OK;
}

stemma_status spool_add(struct spool *spool, const void *bytes, size_t size, stemma_error *err) {
    const uint8_t *from = bytes;
    while (size) {
        if (spool->bytes.len == SPOOL_PIECE) TRY(spill(spool, err));
        size_t room = SPOOL_PIECE - spool->bytes.len, part = size < room ? size : room;
        if (!buf_add(&spool->bytes, from, part)) return fail_memory(err);
        from += part;
        size -= part;
    }
    return STEMMA_OK;
}

static stemma_status read_filed(struct spool *spool, spool_take *take, void *context, struct buf *piece,
                                stemma_error *err) {
    if (!buf_reserve(piece, SPOOL_PIECE)) return fail_memory(err);
    for (uint64_t at = 0; at < spool->filed; at += SPOOL_PIECE) {
        int cause = read_at(spool->fd, piece->data, SPOOL_PIECE, at);
        if (cause)
            return fail_errno(err, "read a temporary file in", temporary_directory(spool->directory), cause);
        TRY(take(context, piece->data, SPOOL_PIECE, err));
    }
    return STEMMA_OK;
}

stemma_status spool_read(struct spool *spool, spool_take *take, void *context, stemma_error *err) {
    struct buf piece = {0};
    stemma_status status = spool->filed ? read_filed(spool, take, context, &piece, err) : STEMMA_OK;
    buf_release(&piece);
    TRY(status);
    return spool->bytes.len ? take(context, spool->bytes.data, spool->bytes.len, err) : STEMMA_OK;
}

void spool_release(struct spool *spool) {
    buf_release(&spool->bytes);
    if (spool->has_file) close(spool->fd);
    *spool = (struct spool){0};
}
