#include "read/compressed.h"

#include "base/alloc.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

bool is_compressed(const uint8_t *bytes, size_t size) {
    static const struct {
        const char *bytes;
        size_t size;
    } magics[] = {{"\x1f\x8b\x08", 3}, {"\x28\xb5\x2f\xfd", 4}, {"\xfd\x37zXZ\0", 6}};
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= magics[i].size && !memcmp(bytes, magics[i].bytes, magics[i].size)) return true;
    /* A frame of zstd that is to be skipped; bzip2 with its block, since "BZh" alone might be text. */
    if (size >= 4 && (bytes[0] & 0xf0) == 0x50 && !memcmp(bytes + 1, "\x2a\x4d\x18", 3)) return true;
    return size >= COMPRESSED_MAGIC && !memcmp(bytes, "BZh", 3) &&
           (!memcmp(bytes + 4, "1AY&SY", 6) || !memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6));
}

/* ---- reading ---- */

enum { PIECE = 1 << 17 };

struct unpacker {
    struct archive *archive;
    struct stream stream;
    const uint8_t *block; /* unpacked and not yet given out; the archive's */
    size_t block_size;
    bool ended;
    uint8_t piece[PIECE];
};

static la_ssize_t read_piece(struct archive *archive, void *context, const void **bytes) {
    struct unpacker *unpacker = context;
    size_t got;
    if (stream_read(&unpacker->stream, unpacker->piece, PIECE, &got, NULL) != STEMMA_OK) {
        archive_set_error(archive, EIO, "cannot be read");
        return -1;
    }
    *bytes = unpacker->piece;
    return (la_ssize_t)got;
}

static stemma_status unpacker_failed(const struct unpacker *unpacker, stemma_error *err) {
    const stemma_error *failure = &unpacker->stream.failure;
    if (failure->status != STEMMA_OK) return fail(err, failure->status, "%s", failure->message);
    if (archive_errno(unpacker->archive) == ENOMEM) return fail_memory(err);
    const char *said = archive_error_string(unpacker->archive);
    if (!said) said = "damaged data";
    return unpacker->stream.name
               ? fail(err, STEMMA_CORRUPT, "cannot unpack '%s': %s", unpacker->stream.name, said)
               : fail(err, STEMMA_CORRUPT, "it cannot be unpacked: %s", said);
}

static bool support_formats(struct archive *archive) {
    return archive_read_support_filter_gzip(archive) == ARCHIVE_OK &&
           archive_read_support_filter_zstd(archive) == ARCHIVE_OK &&
           archive_read_support_filter_bzip2(archive) == ARCHIVE_OK &&
           archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
           archive_read_support_format_raw(archive) == ARCHIVE_OK &&
           archive_read_support_format_empty(archive) == ARCHIVE_OK;
}

/* Begins the one entry that a raw stream has; an empty stream has none. */
static stemma_status begin_entry(struct unpacker *unpacker, stemma_error *err) {
    struct archive_entry *entry;
    if (archive_read_open(unpacker->archive, unpacker, NULL, read_piece, NULL) != ARCHIVE_OK)
        return unpacker_failed(unpacker, err);
    int result = archive_read_next_header(unpacker->archive, &entry);
    unpacker->ended = result == ARCHIVE_EOF;
    bool begun = result == ARCHIVE_OK || (unpacker->ended && unpacker->stream.failure.status == STEMMA_OK);
    return begun ? STEMMA_OK : unpacker_failed(unpacker, err);
}

stemma_status unpacker_new(const struct stream *stream, struct unpacker **out, stemma_error *err) {
    struct unpacker *unpacker = mem_alloc(sizeof *unpacker);
    if (!unpacker) return fail_memory(err);
    memset(unpacker, 0, offsetof(struct unpacker, piece));
    unpacker->stream = *stream;
    unpacker->archive = archive_read_new();
    stemma_status status = !unpacker->archive || !support_formats(unpacker->archive)
                               ? fail_memory(err)
                               : begin_entry(unpacker, err);
    if (status != STEMMA_OK)
        unpacker_free(unpacker);
    else
        *out = unpacker;
    return status;
}

/* archive_read_data would lose what it has when an error follows, so blocks are taken. A read that fails
 * between two members looks like the end to libarchive. */
static stemma_status next_block(struct unpacker *unpacker, stemma_error *err) {
    while (!unpacker->ended && unpacker->block_size == 0) {
        const void *block;
        la_int64_t offset;
        int result = archive_read_data_block(unpacker->archive, &block, &unpacker->block_size, &offset);
        unpacker->block = block;
        unpacker->ended = result == ARCHIVE_EOF;
        if (unpacker->ended) unpacker->block_size = 0;
        if (result < ARCHIVE_WARN || (unpacker->ended && unpacker->stream.failure.status != STEMMA_OK))
            return unpacker_failed(unpacker, err);
    }
    return STEMMA_OK;
}

stemma_status unpacker_read(struct unpacker *unpacker, void *bytes, size_t size, size_t *got,
                            stemma_error *err) {
    TRY(next_block(unpacker, err));
    size_t count = size < unpacker->block_size ? size : unpacker->block_size;
    if (count) memcpy(bytes, unpacker->block, count);
    if (count) unpacker->block += count;
    unpacker->block_size -= count;
    *got = count;
    return STEMMA_OK;
}

uint64_t unpacker_position(const struct unpacker *unpacker) {
    return unpacker->stream.at;
}

void unpacker_free(struct unpacker *unpacker) {
    if (!unpacker) return;
    archive_read_free(unpacker->archive);
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
    const char *said = archive_error_string(packer->archive);
    return fail(err, STEMMA_IO, "cannot write '%s': %s", packer->output->path,
                said ? said : "cannot be compressed");
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
