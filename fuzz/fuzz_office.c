/*
 * Whatever the parts of an office document or a book say, it has a text, the same each time, or is refused.
 *
 * Input: a byte that chooses the format, then parts: name, 0x1F, content, 0x1E. They are packed without
 * compression, so that what is changed is the XML and not its packing; with the highest bit of the first byte
 * the rest is an archive itself.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "read/epub.h"
#include "read/odf.h"
#include "read/ooxml.h"
#include "text/utf8.h"

#include <archive.h>
#include <archive_entry.h>

static la_ssize_t to_buf(struct archive *archive, void *context, const void *bytes, size_t size) {
    (void)archive;
    REQUIRE(buf_add(context, bytes, size));
    return (la_ssize_t)size;
}

static void add_part(struct archive *archive, const uint8_t *name, size_t name_size, const uint8_t *content,
                     size_t size) {
    char text[256] = "";
    struct archive_entry *entry = archive_entry_new();
    memcpy(text, name, name_size < sizeof text ? name_size : sizeof text - 1);
    archive_entry_set_pathname(entry, text);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    if (archive_write_header(archive, entry) >= ARCHIVE_WARN) archive_write_data(archive, content, size);
    archive_entry_free(entry);
}

static void add_parts(struct archive *archive, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        const uint8_t *stop = memchr(at, 0x1E, (size_t)(end - at));
        if (!stop) stop = end;
        const uint8_t *content = memchr(at, 0x1F, (size_t)(stop - at));
        if (content) add_part(archive, at, (size_t)(content - at), content + 1, (size_t)(stop - content - 1));
        at = stop < end ? stop + 1 : end;
    }
}

static void pack(const uint8_t *data, size_t size, struct buf *out) {
    struct archive *archive = archive_write_new();
    REQUIRE(archive && archive_write_set_format_zip(archive) == ARCHIVE_OK);
    archive_write_zip_set_compression_store(archive);
    archive_write_set_bytes_in_last_block(archive, 1);
    REQUIRE(archive_write_open(archive, out, NULL, to_buf, NULL) == ARCHIVE_OK);
    add_parts(archive, data, data + size);
    archive_write_close(archive);
    archive_write_free(archive);
}

static stemma_status read_text(unsigned choice, const struct buf *zip, struct buf *out) {
    static const enum text_format ooxml[] = {TEXT_DOCX, TEXT_XLSX, TEXT_PPTX}, odf[] = {TEXT_ODT, TEXT_ODS};
    const struct reading_limits limits = {.memory = 64 << 20};
    out->len = 0;
    if (choice < 3) return ooxml_text(ooxml[choice], zip->data, zip->len, &limits, out, NULL, NULL);
    if (choice < 5) return odf_text(odf[choice - 3], zip->data, zip->len, &limits, out, NULL, NULL);
    return epub_text(zip->data, zip->len, &limits, out, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf zip = {0}, text = {0}, again = {0};
    if (size < 2) return 0;
    unsigned choice = data[0] & 0x7F;
    if (data[0] & 0x80)
        REQUIRE(buf_add(&zip, data + 1, size - 1));
    else
        pack(data + 1, size - 1, &zip);
    stemma_status status = read_text(choice % 6, &zip, &text);
    REQUIRE(read_text(choice % 6, &zip, &again) == status);
    REQUIRE(status == STEMMA_OK || status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED ||
            status == TEXT_TOO_LONG);
    if (status == STEMMA_OK)
        REQUIRE(text.len == again.len && (!text.len || !memcmp(text.data, again.data, text.len)));
    buf_release(&zip);
    buf_release(&text);
    buf_release(&again);
    return 0;
}
