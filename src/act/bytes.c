#include "act/bytes.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 18 };

/* Up to PIECE bytes from a place on; fewer only at the end. */
static stemma_status read_piece(const struct held *held, uint8_t *out, uint64_t offset, size_t *got,
                                const volatile int *stop, stemma_error *err) {
    TRY(check_stop(stop, err));
    *got = 0;
    while (*got < PIECE) {
        ssize_t count = pread(held->fd, out + *got, PIECE - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail_errno(err, "read", held->place.path, errno);
        if (count == 0) break;
        *got += (size_t)count;
    }
    return STEMMA_OK;
}

static stemma_status compare_pieces(const struct held *a, const struct held *b, uint8_t *x, uint8_t *y,
                                    const volatile int *stop, stemma_error *err) {
    size_t x_size = PIECE, y_size;
    for (uint64_t at = 0; x_size == PIECE; at += PIECE) {
        TRY(read_piece(a, x, at, &x_size, stop, err));
        TRY(read_piece(b, y, at, &y_size, stop, err));
        if (x_size != y_size || memcmp(x, y, x_size) != 0)
            return fail(err, STEMMA_UNSUPPORTED, "'%s' differs from '%s'", a->place.path, b->place.path);
    }
    return STEMMA_OK;
}

stemma_status bytes_compare(const struct held *a, const struct held *b, const volatile int *stop,
                            stemma_error *err) {
    uint8_t *pieces = mem_alloc((size_t)2 * PIECE);
    if (!pieces) return fail_memory(err);
    stemma_status status = compare_pieces(a, b, pieces, pieces + PIECE, stop, err);
    mem_free(pieces);
    return status;
}

stemma_status bytes_identity(const struct held *held, const struct identity_key *key,
                             const volatile int *stop, struct identity *out, stemma_error *err) {
    struct identity_state state;
    stemma_status status = STEMMA_OK;
    size_t got = PIECE;
    uint8_t *piece = mem_alloc(PIECE);
    if (!piece) return fail_memory(err);
    identity_begin(&state, key);
    for (uint64_t at = 0; status == STEMMA_OK && got == PIECE; at += PIECE) {
        status = read_piece(held, piece, at, &got, stop, err);
        if (status == STEMMA_OK) identity_add(&state, piece, got);
    }
    mem_free(piece);
    if (status == STEMMA_OK) *out = identity_end(&state);
    return status;
}

stemma_status bytes_copy(const struct held *from, int to, const char *name, const volatile int *stop,
                         stemma_error *err) {
    stemma_status status = STEMMA_OK;
    size_t got = PIECE;
    uint8_t *piece = mem_alloc(PIECE);
    if (!piece) return fail_memory(err);
    for (uint64_t at = 0; status == STEMMA_OK && got == PIECE; at += PIECE) {
        status = read_piece(from, piece, at, &got, stop, err);
        int cause = status == STEMMA_OK ? write_at(to, piece, got, at) : 0;
        if (cause) status = fail_errno(err, "write", name, cause);
    }
    mem_free(piece);
    return status;
}
