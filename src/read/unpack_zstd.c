/* zstd by its own library, which alone can be told how large a window may be. */
#include "base/alloc.h"
#include "read/unpack.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG_LEAST = 27, WINDOW_LOG_MOST = 31 };

struct zstd {
    ZSTD_DCtx *context;
    struct stream *from;
    ZSTD_inBuffer in;
    size_t needed; /* 0: between two frames */
    bool ended;
    uint8_t piece[UNPACK_PIECE];
};

static stemma_status zstd_failed(const struct zstd *x, size_t result, stemma_error *err) {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation) return fail_memory(err);
    if (code == ZSTD_error_frameParameter_windowTooLarge)
        return unpack_failed(x->from, STEMMA_UNSUPPORTED,
                             "its window is too large: allow more memory (--memory)", err);
    return unpack_failed(x->from, STEMMA_CORRUPT, ZSTD_getErrorName(result), err);
}

static stemma_status take_piece(struct zstd *x, stemma_error *err) {
    if (x->in.pos < x->in.size || x->ended) return STEMMA_OK;
    x->in = (ZSTD_inBuffer){.src = x->piece};
    TRY(stream_read(x->from, x->piece, UNPACK_PIECE, &x->in.size, err));
    x->ended = x->in.size == 0;
    return STEMMA_OK;
}

/* Bytes may wait in the decoder when the input has come to its end. */
static stemma_status zstd_read(void *state, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct zstd *x = state;
    ZSTD_outBuffer out = {.dst = bytes, .size = size};
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && out.pos < size) {
        status = take_piece(x, err);
        if (status != STEMMA_OK || (x->ended && !x->needed)) break;
        const size_t before = out.pos;
        const size_t result = ZSTD_decompressStream(x->context, &out, &x->in);
        if (ZSTD_isError(result))
            status = zstd_failed(x, result, err);
        else if (x->ended && out.pos == before)
            status = unpack_cut(x->from, err);
        else
            x->needed = result;
    }
    *got = out.pos;
    return status;
}

static void zstd_free(void *state) {
    struct zstd *x = state;
    ZSTD_freeDCtx(x->context);
    mem_free(x);
}

stemma_status unpack_zstd(struct stream *from, size_t window_most, struct unpack_layer *out,
                          stemma_error *err) {
    int log = WINDOW_LOG_LEAST;
    while (log < WINDOW_LOG_MOST && (size_t)2 << log <= window_most) log++;
    struct zstd *x = mem_alloc(sizeof *x);
    if (!x) return fail_memory(err);
    memset(x, 0, offsetof(struct zstd, piece));
    x->from = from;
    x->context = ZSTD_createDCtx();
    if (!x->context || ZSTD_isError(ZSTD_DCtx_setParameter(x->context, ZSTD_d_windowLogMax, log))) {
        zstd_free(x);
        return fail_memory(err);
    }
    *out = (struct unpack_layer){zstd_read, x, zstd_free};
    return STEMMA_OK;
}
