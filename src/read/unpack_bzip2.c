/* bzip2 through libarchive, which takes files of several members for one, and several layers of it for one.
 */
#include "base/alloc.h"
#include "read/archive_failure.h"
#include "read/unpack.h"

#include <archive_entry.h>
#include <errno.h>

struct filter {
    struct archive *archive;
    struct stream *from;
    const uint8_t *block; /* unpacked and not yet given out; the archive's */
    size_t block_size;
    bool ended;
    bool drained; /* more was asked for than the stream has */
    uint8_t piece[UNPACK_PIECE];
};

static la_ssize_t read_piece(struct archive *archive, void *context, const void **bytes) {
    struct filter *x = context;
    size_t got;
    if (stream_read(x->from, x->piece, UNPACK_PIECE, &got, NULL) != STEMMA_OK) {
        archive_set_error(archive, EIO, "cannot be read");
        return -1;
    }
    x->drained = got == 0;
    *bytes = x->piece;
    return (la_ssize_t)got;
}

static stemma_status filter_failed(const struct filter *x, stemma_error *err) {
    const stemma_error *failure = &x->from->failure;
    if (failure->status != STEMMA_OK) return fail(err, failure->status, "%s", failure->message);
    if (archive_errno(x->archive) == ENOMEM) return fail_memory(err);
    if (x->drained) return unpack_cut(x->from, err);
    char said[ARCHIVE_SAID];
    return unpack_failed(x->from, STEMMA_CORRUPT, archive_said(x->archive, said), err);
}

/* Begins the one entry that a raw stream has; an empty stream has none. */
static stemma_status begin_entry(struct filter *x, stemma_error *err) {
    struct archive_entry *entry;
    if (archive_read_open(x->archive, x, NULL, read_piece, NULL) != ARCHIVE_OK) return filter_failed(x, err);
    int result = archive_read_next_header(x->archive, &entry);
    x->ended = result == ARCHIVE_EOF;
    bool begun = result == ARCHIVE_OK || (x->ended && x->from->failure.status == STEMMA_OK);
    return begun ? STEMMA_OK : filter_failed(x, err);
}

/* archive_read_data would lose what it has when an error follows, so blocks are taken. A read that fails
 * between two members looks like the end to libarchive. */
static stemma_status next_block(struct filter *x, stemma_error *err) {
    while (!x->ended && x->block_size == 0) {
        const void *block;
        la_int64_t offset;
        int result = archive_read_data_block(x->archive, &block, &x->block_size, &offset);
        x->block = block;
        x->ended = result == ARCHIVE_EOF;
        if (x->ended || result < ARCHIVE_WARN) x->block_size = 0;
        if (result < ARCHIVE_WARN || (x->ended && x->from->failure.status != STEMMA_OK))
            return filter_failed(x, err);
    }
    return STEMMA_OK;
}

static stemma_status filter_read(void *state, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct filter *x = state;
    *got = 0;
    TRY(next_block(x, err));
    *got = size < x->block_size ? size : x->block_size;
    if (*got) memcpy(bytes, x->block, *got);
    if (*got) x->block += *got;
    x->block_size -= *got;
    return STEMMA_OK;
}

static void filter_free(void *state) {
    struct filter *x = state;
    archive_read_free(x->archive);
    mem_free(x);
}

static bool set_up(struct archive *archive) {
    return archive && archive_read_support_filter_bzip2(archive) == ARCHIVE_OK &&
           archive_read_support_format_raw(archive) == ARCHIVE_OK &&
           archive_read_support_format_empty(archive) == ARCHIVE_OK;
}

stemma_status unpack_bzip2(struct stream *from, struct unpack_layer *out, stemma_error *err) {
    struct filter *x = mem_alloc(sizeof *x);
    if (!x) return fail_memory(err);
    memset(x, 0, offsetof(struct filter, piece));
    x->from = from;
    x->archive = archive_read_new();
    stemma_status status = set_up(x->archive) ? begin_entry(x, err) : fail_memory(err);
    if (status == STEMMA_OK)
        *out = (struct unpack_layer){filter_read, x, filter_free};
    else
        filter_free(x);
    return status;
}
