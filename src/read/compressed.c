#include "read/compressed.h"

#include "base/alloc.h"
#include "read/archive_failure.h"
#include "read/unpack.h"

#include <archive_entry.h>
#include <errno.h>
#include <strings.h>

enum compression compression_of(const uint8_t *bytes, size_t size) {
    static const struct {
        const char *bytes;
        size_t size;
        enum compression compression;
    } magics[] = {{"\x1f\x8b\x08", 3, COMPRESSION_GZIP},
                  {"\x28\xb5\x2f\xfd", 4, COMPRESSION_ZSTD},
                  {"\xfd\x37zXZ\0", 6, COMPRESSION_XZ}};
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= magics[i].size && !memcmp(bytes, magics[i].bytes, magics[i].size))
            return magics[i].compression;
    /* A frame of zstd that is to be skipped; bzip2 with its block, since "BZh" alone might be text. */
    if (size >= 4 && (bytes[0] & 0xf0) == 0x50 && !memcmp(bytes + 1, "\x2a\x4d\x18", 3))
        return COMPRESSION_ZSTD;
    bool bzip2 = size >= COMPRESSED_MAGIC && !memcmp(bytes, "BZh", 3) &&
                 (!memcmp(bytes + 4, "1AY&SY", 6) || !memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6));
    return bzip2 ? COMPRESSION_BZIP2 : COMPRESSION_NONE;
}

/* ---- reading ---- */

struct unpacker {
    struct stream stream;
    struct unpack_layer layer;
    stemma_error failure; /* to be said when all that was unpacked before it has been given out */
};

stemma_status unpack_failed(const struct stream *from, stemma_status status, const char *said,
                            stemma_error *err) {
    return from->name ? fail(err, status, "cannot unpack '%s': %s", from->name, said)
                      : fail(err, status, "it cannot be unpacked: %s", said);
}

stemma_status unpack_cut(struct stream *from, stemma_error *err) {
    from->cut = true;
    return unpack_failed(from, STEMMA_CORRUPT, "it ends too early", err);
}

static stemma_status begin_layer(struct unpacker *unpacker, enum compression compression, size_t window_most,
                                 stemma_error *err) {
    struct stream *from = &unpacker->stream;
    struct unpack_layer *layer = &unpacker->layer;
    switch (compression) {
    case COMPRESSION_GZIP:
        return unpack_deflate(from, DEFLATE_GZIP, layer, err);
    case COMPRESSION_ZLIB:
        return unpack_deflate(from, DEFLATE_ZLIB, layer, err);
    case COMPRESSION_DEFLATE:
        return unpack_deflate(from, DEFLATE_BARE, layer, err);
    case COMPRESSION_ZSTD:
        return unpack_zstd(from, window_most, layer, err);
    case COMPRESSION_BZIP2:
        return unpack_bzip2(from, layer, err);
    case COMPRESSION_XZ:
        return unpack_xz(from, window_most, layer, err);
    case COMPRESSION_NONE:
        break;
    }
    return unpack_failed(from, STEMMA_CORRUPT, "it is not compressed", err);
}

stemma_status unpacker_new(const struct stream *stream, enum compression compression, size_t window_most,
                           struct unpacker **out, stemma_error *err) {
    struct unpacker *unpacker = mem_zero(1, sizeof *unpacker);
    if (!unpacker) return fail_memory(err);
    unpacker->stream = *stream;
    stemma_status status = begin_layer(unpacker, compression, window_most, err);
    if (status != STEMMA_OK)
        mem_free(unpacker);
    else
        *out = unpacker;
    return status;
}

stemma_status unpacker_read(struct unpacker *unpacker, void *bytes, size_t size, size_t *got,
                            stemma_error *err) {
    stemma_error *failure = &unpacker->failure;
    *got = 0;
    if (failure->status == STEMMA_OK &&
        unpacker->layer.read(unpacker->layer.state, bytes, size, got, failure) == STEMMA_OK)
        return STEMMA_OK;
    if (*got && failure->status == STEMMA_CORRUPT) return STEMMA_OK; /* what came before the damage is good */
    *got = 0;
    if (err) *err = *failure;
    return failure->status;
}

bool unpacker_is_cut(const struct unpacker *unpacker) {
    return unpacker->stream.cut;
}

uint64_t unpacker_position(const struct unpacker *unpacker) {
    return unpacker->stream.at;
}

void unpacker_free(struct unpacker *unpacker) {
    if (!unpacker) return;
    unpacker->layer.free(unpacker->layer.state);
    mem_free(unpacker);
}

/* ---- writing ---- */

struct packer {
    struct archive *archive;
    struct output *output;
    bool abandoned;
    stemma_error failure; /* of the output */
};

/* libarchive, told of a failure, would not free all it has: it is told nothing, and what comes is dropped. */
static la_ssize_t write_piece(struct archive *archive, void *context, const void *bytes, size_t size) {
    struct packer *packer = context;
    (void)archive;
    if (!packer->abandoned && output_write(packer->output, bytes, size, &packer->failure) != STEMMA_OK)
        packer->abandoned = true;
    return (la_ssize_t)size;
}

static stemma_status packer_failed(const struct packer *packer, stemma_error *err) {
    if (packer->failure.status != STEMMA_OK) {
        if (err) *err = packer->failure;
        return packer->failure.status;
    }
    if (archive_errno(packer->archive) == ENOMEM) return fail_memory(err);
    char said[ARCHIVE_SAID];
    return fail(err, STEMMA_IO, "cannot write '%s': %s", packer->output->path,
                archive_said(packer->archive, said));
}

typedef int add_filter(struct archive *archive);

static add_filter *filter_of(const char *name) {
    static const struct {
        const char *ending;
        add_filter *add;
    } filters[] = {{".gz", archive_write_add_filter_gzip},
                   {".zst", archive_write_add_filter_zstd},
                   {".bz2", archive_write_add_filter_bzip2},
                   {".xz", archive_write_add_filter_xz}};
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        size_t length = strlen(filters[i].ending);
        if (size > length && !strcasecmp(name + size - length, filters[i].ending)) return filters[i].add;
    }
    return NULL;
}

/* Without a time in it the same records give the same file. */
static bool set_up(struct packer *packer, add_filter *add) {
    struct archive *archive = packer->archive;
    struct archive_entry *entry = archive_entry_new();
    if (!entry) return false;
    archive_entry_set_filetype(entry, AE_IFREG);
    bool done = add(archive) == ARCHIVE_OK && archive_write_set_format_raw(archive) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                (add != archive_write_add_filter_gzip ||
                 archive_write_set_filter_option(archive, "gzip", "timestamp", NULL) == ARCHIVE_OK) &&
                archive_write_open(archive, packer, NULL, write_piece, NULL) == ARCHIVE_OK &&
                archive_write_header(archive, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    return done;
}

stemma_status packer_new(const char *name, struct output *output, struct packer **out, stemma_error *err) {
    add_filter *add = filter_of(name);
    *out = NULL;
    if (!add) return STEMMA_OK;
    struct packer *packer = mem_zero(1, sizeof *packer);
    if (!packer) return fail_memory(err);
    packer->output = output;
    packer->archive = archive_write_new();
    stemma_status status = STEMMA_OK;
    if (!packer->archive)
        status = fail_memory(err);
    else if (!set_up(packer, add))
        status = packer_failed(packer, err);
    if (status != STEMMA_OK)
        packer_free(packer);
    else
        *out = packer;
    return status;
}

stemma_status packer_write(struct packer *packer, const void *bytes, size_t size, stemma_error *err) {
    const uint8_t *at = bytes;
    while (size > 0) {
        la_ssize_t written = archive_write_data(packer->archive, at, size);
        if (written <= 0 || packer->abandoned) return packer_failed(packer, err);
        at += written;
        size -= (size_t)written;
    }
    return STEMMA_OK;
}

stemma_status packer_finish(struct packer *packer, stemma_error *err) {
    stemma_status status = STEMMA_OK;
    if (archive_write_close(packer->archive) != ARCHIVE_OK || packer->abandoned)
        status = packer_failed(packer, err);
    packer_free(packer);
    return status;
}

void packer_free(struct packer *packer) {
    if (!packer) return;
    packer->abandoned = true; /* closing writes what is left */
    archive_write_free(packer->archive);
    mem_free(packer);
}
