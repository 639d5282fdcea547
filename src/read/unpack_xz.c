/* xz by its own library, which alone can be told how much memory its window may take. */
#include "base/alloc.h"
#include "read/unpack.h"

#include <lzma.h>
#include <string.h>

#define WINDOW_ALWAYS ((uint64_t)128 << 20)
#define BESIDES       ((uint64_t)1 << 20) /* what the decoder takes besides the window, and more */

struct xz {
    lzma_stream lzma;
    struct stream *from;
    bool ended; /* the stream has */
    bool done;  /* all that is in it was unpacked */
    uint8_t piece[UNPACK_PIECE];
};

static void *take_memory(void *context, size_t count, size_t size) {
    (void)context;
    return mem_alloc(count * size);
}

static void give_memory(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}

static stemma_status take_piece(struct xz *x, stemma_error *err) {
    if (x->lzma.avail_in || x->ended) return STEMMA_OK;
    x->lzma.next_in = x->piece;
    TRY(stream_read(x->from, x->piece, UNPACK_PIECE, &x->lzma.avail_in, err));
    x->ended = x->lzma.avail_in == 0;
    return STEMMA_OK;
}

static stemma_status xz_failed(struct xz *x, lzma_ret result, stemma_error *err) {
    if (result == LZMA_MEM_ERROR) return fail_memory(err);
    if (result == LZMA_BUF_ERROR) return unpack_cut(x->from, err);
    if (result == LZMA_MEMLIMIT_ERROR)
        return unpack_failed(x->from, STEMMA_UNSUPPORTED,
                             "its window is too large: allow more memory (--memory)", err);
    if (result == LZMA_OPTIONS_ERROR)
        return unpack_failed(x->from, STEMMA_UNSUPPORTED, "its filters are not known", err);
    return unpack_failed(x->from, STEMMA_CORRUPT, "damaged data", err);
}

/* Several streams are one. That nothing comes of the end of the input means that more was to come. */
static stemma_status xz_read(void *state, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct xz *x = state;
    stemma_status status = STEMMA_OK;
    x->lzma.next_out = bytes;
    x->lzma.avail_out = size;
    while (status == STEMMA_OK && x->lzma.avail_out && !x->done) {
        status = take_piece(x, err);
        if (status != STEMMA_OK) break;
        const lzma_ret result = lzma_code(&x->lzma, x->ended ? LZMA_FINISH : LZMA_RUN);
        x->done = result == LZMA_STREAM_END;
        if (result != LZMA_OK && !x->done) status = xz_failed(x, result, err);
    }
    *got = size - x->lzma.avail_out;
    return status;
}

static void xz_free(void *state) {
    struct xz *x = state;
    lzma_end(&x->lzma);
    mem_free(x);
}

stemma_status unpack_xz(struct stream *from, size_t window_most, struct unpack_layer *out,
                        stemma_error *err) {
    static const lzma_allocator allocator = {.alloc = take_memory, .free = give_memory};
    const uint64_t window = window_most > WINDOW_ALWAYS ? window_most : WINDOW_ALWAYS;
    struct xz *x = mem_alloc(sizeof *x);
    if (!x) return fail_memory(err);
    memset(x, 0, offsetof(struct xz, piece));
    x->lzma = (lzma_stream)LZMA_STREAM_INIT;
    x->lzma.allocator = &allocator;
    x->from = from;
    if (lzma_stream_decoder(&x->lzma, window + BESIDES, LZMA_CONCATENATED) != LZMA_OK) {
        xz_free(x);
        return fail_memory(err);
    }
    *out = (struct unpack_layer){xz_read, x, xz_free};
    return STEMMA_OK;
}
