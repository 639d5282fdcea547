/* What is a container: by its first bytes alone, so that any other file costs a glance. */
#include "read/compressed.h"
#include "read/container.h"
#include "read/mail.h"

#include <string.h>

/* Enough for the header of a mail, and the first member of a tar. */
enum { HEAD = 1 << 16 };

static bool begins(const uint8_t *bytes, size_t size, const char *with, size_t length) {
    return size >= length && !memcmp(bytes, with, length);
}

/* A header of 512 bytes with its own sum in it: also tells those without the later mark. */
static bool is_tar(const uint8_t *bytes, size_t size) {
    enum { HEADER = 512, SUM = 148, SUM_SIZE = 8 };
    unsigned sum = 0, said = 0, digits = 0;
    if (size < HEADER || bytes[0] == 0) return false;
    const uint8_t *field = bytes + SUM, *end = field + SUM_SIZE;
    while (field < end && *field == ' ') field++;
    for (; field < end && *field >= '0' && *field <= '7'; field++, digits++)
        said = 8 * said + (unsigned)(*field - '0');
    if (!digits || (field < end && *field && *field != ' ')) return false;
    for (size_t i = 0; i < HEADER; i++) sum += i >= SUM && i < SUM + SUM_SIZE ? ' ' : bytes[i];
    return sum == said;
}

/* A zip may be a document of an office program. */
static bool is_document(const char *name, const uint8_t *bytes, size_t size,
                        const struct document_options *options) {
    struct document_options reading = *options;
    reading.format = FORMAT_AUTO;
    return document_look(name, bytes, size, &reading).format != TEXT_BINARY;
}

/* A line that begins a message, and a message. */
static bool is_mailbox(const uint8_t *bytes, size_t size) {
    const uint8_t *line = memchr(bytes, '\n', size);
    bool files;
    return line && mail_look(line + 1, size - (size_t)(line + 1 - bytes), &files);
}

static enum container_kind look_plain(const char *name, const uint8_t *bytes, size_t size,
                                      const struct document_options *options) {
    if (begins(bytes, size, "PK\3\4", 4) || begins(bytes, size, "PK\5\6", 4))
        return is_document(name, bytes, size, options) ? CONTAINER_NONE : CONTAINER_ARCHIVE;
    if (begins(bytes, size, "7z\xBC\xAF\x27\x1C", 6) || is_tar(bytes, size)) return CONTAINER_ARCHIVE;
    if (size > 7 && begins(bytes, size, "WARC/", 5) && bytes[6] == '.') return CONTAINER_WARC;
    if (begins(bytes, size, "From ", 5) && is_mailbox(bytes, size)) return CONTAINER_MBOX;
    bool files;
    return mail_look(bytes, size, &files) && files ? CONTAINER_MAIL : CONTAINER_NONE;
}

/* The first bytes that are unpacked from those that are there; damage just ends them. */
static stemma_status unpack_head(const uint8_t *bytes, size_t size, size_t window_most, uint8_t *head,
                                 size_t *filled, stemma_error *err) {
    struct stream stream = stream_of_memory("", bytes, size);
    struct unpacker *unpacker = NULL;
    size_t got = 1;
    *filled = 0;
    stemma_status status = unpacker_new(&stream, compression_of(bytes, size), window_most, &unpacker, err);
    while (status == STEMMA_OK && got && *filled < HEAD) {
        status = unpacker_read(unpacker, head + *filled, HEAD - *filled, &got, err);
        if (status == STEMMA_OK) *filled += got;
    }
    unpacker_free(unpacker);
    return status == STEMMA_NO_MEMORY ? status : STEMMA_OK;
}

/* However often it is compressed. */
static stemma_status unpack_heads(const uint8_t **bytes, size_t *size, size_t window_most,
                                  uint8_t heads[2][HEAD], stemma_error *err) {
    for (unsigned depth = 0; depth < CONTAINER_DEPTH && compression_of(*bytes, *size); depth++) {
        uint8_t *head = heads[depth % 2];
        TRY(unpack_head(*bytes, *size, window_most, head, size, err));
        *bytes = head;
    }
    return STEMMA_OK;
}

static stemma_status look_inside(const char *name, const uint8_t *bytes, size_t size,
                                 const struct document_options *options, enum container_kind *out,
                                 stemma_error *err) {
    uint8_t heads[2][HEAD];
    TRY(unpack_heads(&bytes, &size, options->limits.window_most, heads, err));
    *out = compression_of(bytes, size) ? CONTAINER_NONE : look_plain(name, bytes, size, options);
    return STEMMA_OK;
}

stemma_status container_packed_mail(const uint8_t *bytes, size_t size, size_t window_most, bool *out,
                                    stemma_error *err) {
    uint8_t heads[2][HEAD];
    bool files;
    TRY(unpack_heads(&bytes, &size, window_most, heads, err));
    *out = mail_look(bytes, size, &files);
    return STEMMA_OK;
}

stemma_status container_look(const char *name, const uint8_t *bytes, size_t size,
                             const struct document_options *options, enum container_kind *out,
                             stemma_error *err) {
    if (compression_of(bytes, size)) return look_inside(name, bytes, size, options, out, err);
    *out = look_plain(name, bytes, size, options);
    return STEMMA_OK;
}
