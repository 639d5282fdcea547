/* gzip, and what is inside it, by zlib: which checks the sum and the length at the end of each member. */
#include "base/alloc.h"
#include "read/unpack.h"

#include <string.h>
#include <zlib.h>

struct inflater {
    z_stream zlib;
    struct stream *from;
    bool members; /* others may follow */
    bool within;  /* a member has begun, and not ended */
    bool any;     /* one has ended */
    bool ended;
    uint8_t piece[UNPACK_PIECE];
};

static void *take_memory(void *context, unsigned count, unsigned size) {
    (void)context;
    return mem_alloc((size_t)count * size);
}

static void give_memory(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}

static stemma_status take_piece(struct inflater *x, stemma_error *err) {
    size_t got;
    if (x->zlib.avail_in || x->ended) return STEMMA_OK;
    TRY(stream_read(x->from, x->piece, UNPACK_PIECE, &got, err));
    x->zlib.next_in = x->piece;
    x->zlib.avail_in = (unsigned)got;
    x->ended = got == 0;
    return STEMMA_OK;
}

/* Behind a member there may be zeros, as tapes have them, and then others. What is neither belongs to
 * something else, as gzip takes it: all that was packed is there, and its sums are right. */
static bool ends_members(const struct inflater *x) {
    const uint8_t *next = x->zlib.next_in;
    return x->any && (next[0] != 0x1f || (x->zlib.avail_in > 1 && next[1] != 0x8b));
}

static stemma_status begin_member(struct inflater *x, stemma_error *err) {
    for (;;) {
        TRY(take_piece(x, err));
        if (x->ended) return STEMMA_OK;
        for (; x->zlib.avail_in && !*x->zlib.next_in; x->zlib.avail_in--) x->zlib.next_in++;
        if (x->zlib.avail_in) break;
    }
    if (ends_members(x)) {
        x->ended = true;
        return STEMMA_OK;
    }
    x->within = true;
    return inflateReset(&x->zlib) == Z_OK ? STEMMA_OK : fail_memory(err);
}

static stemma_status inflate_failed(const struct inflater *x, const char *said, stemma_error *err) {
    return unpack_failed(x->from, STEMMA_CORRUPT, said, err);
}

static stemma_status inflate_some(struct inflater *x, stemma_error *err) {
    TRY(take_piece(x, err));
    switch (inflate(&x->zlib, Z_NO_FLUSH)) {
    case Z_STREAM_END:
        x->within = false;
        x->any = true;
        x->ended |= !x->members;
        return STEMMA_OK;
    case Z_OK:
    case Z_BUF_ERROR: /* of a piece that is used up */
        return x->ended && x->zlib.avail_out ? unpack_cut(x->from, err) : STEMMA_OK;
    case Z_MEM_ERROR:
        return fail_memory(err);
    default:
        return inflate_failed(x, x->zlib.msg ? x->zlib.msg : "damaged data", err);
    }
}

static stemma_status inflater_read(void *state, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct inflater *x = state;
    const unsigned room = size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
    stemma_status status = STEMMA_OK;
    x->zlib.next_out = bytes;
    x->zlib.avail_out = room;
    while (status == STEMMA_OK && x->zlib.avail_out && (x->within || !x->ended))
        status = x->within ? inflate_some(x, err) : begin_member(x, err);
    *got = room - x->zlib.avail_out;
    return status;
}

static void inflater_free(void *state) {
    struct inflater *x = state;
    inflateEnd(&x->zlib);
    mem_free(x);
}

stemma_status unpack_deflate(struct stream *from, enum deflate_frame frame, struct unpack_layer *out,
                             stemma_error *err) {
    static const int window_bits[] = {
        [DEFLATE_GZIP] = 16 + MAX_WBITS, [DEFLATE_ZLIB] = MAX_WBITS, [DEFLATE_BARE] = -MAX_WBITS};
    struct inflater *x = mem_alloc(sizeof *x);
    if (!x) return fail_memory(err);
    memset(x, 0, offsetof(struct inflater, piece));
    x->zlib.zalloc = take_memory;
    x->zlib.zfree = give_memory;
    x->from = from;
    x->members = frame == DEFLATE_GZIP;
    x->within = true;
    if (inflateInit2(&x->zlib, window_bits[frame]) != Z_OK) {
        mem_free(x);
        return fail_memory(err);
    }
    *out = (struct unpack_layer){inflater_read, x, inflater_free};
    return STEMMA_OK;
}
