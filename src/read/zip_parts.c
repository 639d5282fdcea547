#include "read/zip_parts.h"

#include "read/archive_failure.h"

#include <archive_entry.h>
#include <errno.h>

/* XML of office documents shrinks to a tenth, at best to a fiftieth; deflate goes to a thousandth. */
enum { EXPANSION = 100, EXPANSION_ALWAYS = 32 << 20 };

void zip_parts_init(struct zip_parts *zip, const uint8_t *bytes, size_t size,
                    const struct reading_limits *limits) {
    *zip = (struct zip_parts){.bytes = bytes,
                              .size = size,
                              .stop = limits->stop,
                              .part_most = reading_memory(limits) / 2,
                              .unpack_left = (uint64_t)EXPANSION * size + EXPANSION_ALWAYS};
}

void zip_parts_release(struct zip_parts *zip) {
    buf_release(&zip->part);
}

static stemma_status archive_failed(struct archive *archive, stemma_error *err) {
    char said[ARCHIVE_SAID];
    if (archive_errno(archive) == ENOMEM) return fail_memory(err);
    return fail(err, STEMMA_CORRUPT, "%s", archive_said(archive, said));
}

static stemma_status check_room(const struct zip_parts *zip, size_t size, stemma_error *err) {
    if (size > zip->unpack_left)
        return fail(err, STEMMA_UNSUPPORTED, "it unpacks to more than %d times its size", EXPANSION);
    if (size > zip->part_most - zip->part.len)
        return fail(err, TEXT_TOO_LONG, "a part of it is larger than %zu bytes: allow more memory",
                    zip->part_most);
    return STEMMA_OK;
}

/* The part that the archive stands at, into zip->part. */
static stemma_status unpack(struct zip_parts *zip, struct archive *archive, stemma_error *err) {
    zip->part.len = 0;
    for (;;) {
        const void *block;
        size_t size;
        la_int64_t offset;
        TRY(check_stop(zip->stop, err));
        int result = archive_read_data_block(archive, &block, &size, &offset);
        if (result == ARCHIVE_EOF) return STEMMA_OK;
        if (result != ARCHIVE_OK) return archive_failed(archive, err); /* a warning: the checksum is wrong */
        TRY(check_room(zip, size, err));
        if (!buf_add(&zip->part, block, size)) return fail_memory(err);
        zip->unpack_left -= size;
    }
}

static stemma_status take_part(struct zip_parts *zip, struct archive *archive, struct archive_entry *entry,
                               const struct zip_taker *taker, void *context, stemma_error *err) {
    const char *name = archive_entry_pathname_utf8(entry);
    if (!name) name = archive_entry_pathname(entry);
    if (!name || !taker->wants(context, name)) return STEMMA_OK;
    if (archive_entry_is_data_encrypted(entry)) return fail(err, STEMMA_UNSUPPORTED, "it is encrypted");
    TRY(unpack(zip, archive, err));
    return taker->take(context, name, zip->part.data, zip->part.len, err);
}

static stemma_status each_part(struct zip_parts *zip, struct archive *archive, const struct zip_taker *taker,
                               void *context, stemma_error *err) {
    struct archive_entry *entry;
    if (archive_read_support_format_zip(archive) != ARCHIVE_OK ||
        archive_read_open_memory(archive, zip->bytes, zip->size) != ARCHIVE_OK)
        return archive_failed(archive, err);
    for (;;) {
        TRY(check_stop(zip->stop, err));
        int result = archive_read_next_header(archive, &entry);
        if (result == ARCHIVE_EOF) return STEMMA_OK;
        if (result < ARCHIVE_WARN) return archive_failed(archive, err);
        TRY(take_part(zip, archive, entry, taker, context, err));
    }
}

stemma_status zip_parts_each(struct zip_parts *zip, const struct zip_taker *taker, void *context,
                             stemma_error *err) {
    struct archive *archive = archive_read_new();
    if (!archive) return fail_memory(err);
    stemma_status status = each_part(zip, archive, taker, context, err);
    archive_read_free(archive);
    return status;
}
