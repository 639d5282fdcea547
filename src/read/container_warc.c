/*
 * Crawls: the documents of a WARC file, by the address that they were got from. Of HTTP responses those count
 * that brought what was asked for (2xx).
 */
#include "read/brotli.h"
#include "read/compressed.h"
#include "read/container_walk.h"
#include "read/lines.h"
#include "read/warc.h"

#include <string.h>

enum { HEADER_MOST = 1 << 16 };

/* Up to the empty line behind it; empty at the end of the file. */
static stemma_status read_header(struct walk *w, struct lines *lines, struct buf *header, stemma_error *err) {
    struct line line;
    header->len = 0;
    do {
        TRY(lines_next(lines, &line, err));
        bool empty = line.size && line.begins && line.size <= 2 && line.bytes[line.size - 1] == '\n' &&
                     (line.size == 1 || line.bytes[0] == '\r');
        if (empty && header->len) return STEMMA_OK;
        if (empty) continue; /* between records */
        if (header->len + line.size > HEADER_MOST)
            return fail(err, STEMMA_CORRUPT, "'%s' has a record that does not begin as one", walk_id(w));
        if (!buf_add(header, line.bytes, line.size)) return fail_memory(err);
    } while (line.size);
    return STEMMA_OK;
}

/* What follows the header: held as far as it may be, and passed by where it may not, or is not wanted. */
static stemma_status read_block(struct walk *w, struct lines *lines, uint64_t length, struct holding *block,
                                bool *whole, stemma_error *err) {
    const uint8_t *bytes;
    size_t got;
    for (; length; length -= got) {
        TRY(lines_bytes(lines, length < SIZE_MAX ? (size_t)length : SIZE_MAX, &bytes, &got, err));
        if (!got) return fail(err, STEMMA_CORRUPT, "'%s' ends within a record", walk_id(w));
        if (*whole) TRY(holding_add(w, block, bytes, got, whole, err));
    }
    return STEMMA_OK;
}

/* ---- HTTP ---- */

static stemma_status unpack_body(struct walk *w, stream_pull *pull, void *context, struct holding *out,
                                 stemma_error *err) {
    for (size_t got = 1; got; out->bytes.len += got) {
        bool room;
        TRY(holding_grow(w, out, &room, err));
        if (!room) return walk_too_large(w, err);
        TRY(pull(context, out->bytes.data + out->bytes.len, holding_room(out), &got, err));
        TRY(walk_count(w, got, err));
    }
    return STEMMA_OK;
}

static stemma_status pull_unpacked(void *context, uint8_t *bytes, size_t size, size_t *got,
                                   stemma_error *err) {
    return unpacker_read(context, bytes, size, got, err);
}

/* A body from which `left` codings are still to be taken. */
struct coded {
    const char *name;
    const struct http_response *response;
    size_t left;
};

static stemma_status give_body(struct walk *w, struct coded coded, const uint8_t *bytes, size_t size,
                               stemma_error *err);

static stemma_status give_unpacked(struct walk *w, struct coded coded, const uint8_t *bytes, size_t size,
                                   enum compression compression, stemma_error *err) {
    const struct stream stream = stream_of_memory(walk_id(w), bytes, size);
    struct unpacker *unpacker = NULL;
    struct holding body = {0};
    TRY(unpacker_new(&stream, compression, w->options->document.limits.window_most, &unpacker, err));
    stemma_status status = unpack_body(w, pull_unpacked, unpacker, &body, err);
    unpacker_free(unpacker);
    if (status == STEMMA_OK) status = give_body(w, coded, body.bytes.data, body.bytes.len, err);
    holding_release(w, &body);
    return status;
}

/* "deflate" is the data of gzip in the frame of zlib, or in none; both are in use. And some writers unpack
 * the body and leave the header as it was. */
static enum compression deflate_of(const uint8_t *bytes, size_t size) {
    bool zlib =
        size > 2 && (bytes[0] & 0x0F) == 8 && bytes[0] >> 4 <= 7 && (bytes[0] << 8 | bytes[1]) % 31 == 0;
    if (zlib) return COMPRESSION_ZLIB;
    return encoding_guess(bytes, size).binary ? COMPRESSION_DEFLATE : COMPRESSION_NONE;
}

/* ---- Brotli ---- */

static stemma_status unpack_brotli(struct walk *w, const uint8_t *bytes, size_t size, struct holding *out,
                                   stemma_error *err) {
    struct brotli *brotli = NULL;
    TRY(brotli_new(walk_id(w), bytes, size, &brotli, err));
    stemma_status status = unpack_body(w, brotli_read, brotli, out, err);
    brotli_free(brotli);
    return status;
}

/* It has no mark: what is a text, and not Brotli, was unpacked before. */
static stemma_status give_brotli(struct walk *w, struct coded coded, const uint8_t *bytes, size_t size,
                                 stemma_error *err) {
    struct holding body = {0};
    stemma_error cause;
    stemma_status status = unpack_brotli(w, bytes, size, &body, &cause);
    if (status == STEMMA_OK)
        status = give_body(w, coded, body.bytes.data, body.bytes.len, err);
    else if (status == STEMMA_CORRUPT && !encoding_guess(bytes, size).binary)
        status = give_body(w, coded, bytes, size, err);
    else
        status = fail(err, status, "%s", cause.message);
    holding_release(w, &body);
    return status;
}

/* ---- any of them ---- */

/* The outermost coding is taken off, until there is none. */
static stemma_status give_body(struct walk *w, struct coded coded, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    if (!coded.left) return walk_give_typed(w, coded.name, coded.response->type, bytes, size, err);
    const enum http_coding coding = coded.response->codings[--coded.left];
    enum compression compression = compression_of(bytes, size);
    if (!compression && coding == HTTP_DEFLATED) compression = deflate_of(bytes, size);
    if (compression) return give_unpacked(w, coded, bytes, size, compression, err);
    if (coding == HTTP_BROTLI && size) return give_brotli(w, coded, bytes, size, err);
    return give_body(w, coded, bytes, size, err);
}

static stemma_status give_response(struct walk *w, const char *name, struct holding *block,
                                   stemma_error *err) {
    struct http_response response;
    if (!http_response((struct text_span){block->bytes.data, block->bytes.len}, &response))
        return fail(err, STEMMA_CORRUPT, "'%s' is no HTTP response", walk_id(w));
    if (response.status / 100 != 2) return STEMMA_OK;
    if (*response.unknown)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is coded as '%s', which is not known", walk_id(w),
                    response.unknown);
    if (response.too_many_codings)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has more than %d codings, one upon the other", walk_id(w),
                    HTTP_CODINGS_MOST);
    uint8_t *body = block->bytes.data + (block->bytes.len - response.body.size);
    size_t size = response.chunked ? http_join_chunks(body, response.body.size) : response.body.size;
    const struct coded coded = {.name = name, .response = &response, .left = response.coding_count};
    return give_body(w, coded, body, size, err);
}

/* ---- records ---- */

static stemma_status give_record(struct walk *w, const char *name, const struct warc_record *record,
                                 struct holding *block, bool whole, stemma_error *err) {
    if (!whole) return walk_too_large(w, err);
    if (!holding_room(block))
        TRY(holding_grow(w, block, &whole, err)); /* an empty one, too, has an address */
    return record->http ? give_response(w, name, block, err)
                        : walk_give_typed(w, name, record->type, block->bytes.data, block->bytes.len, err);
}

static stemma_status take_document(struct walk *w, struct lines *lines, const struct warc_record *record,
                                   const char *name, stemma_error *err) {
    struct holding block = {0};
    bool whole = true;
    size_t before;
    stemma_status status = walk_push(w, name, &before, err);
    if (status == STEMMA_OK) status = read_block(w, lines, record->length, &block, &whole, err);
    if (status == STEMMA_OK) {
        stemma_error cause;
        status = give_record(w, name, record, &block, whole, &cause);
        status = walk_told(w, status, &cause, err);
    }
    holding_release(w, &block);
    walk_pop(w, before);
    return status;
}

static stemma_status take_record(struct walk *w, struct lines *lines, const struct buf *header,
                                 stemma_error *err) {
    struct warc_record record;
    struct buf name = {0};
    struct holding none = {0};
    bool passed = false;
    if (!warc_header((struct text_span){header->data, header->len}, &record))
        return fail(err, STEMMA_CORRUPT, "'%s' has a record that does not begin as one", walk_id(w));
    if (!record.document) return read_block(w, lines, record.length, &none, &passed, err);
    bool room = buf_add(&name, record.uri.at, record.uri.size) && buf_add_byte(&name, 0);
    stemma_status status =
        room ? take_document(w, lines, &record, (const char *)name.data, err) : fail_memory(err);
    buf_release(&name);
    return status;
}

stemma_status walk_warc(struct walk *w, struct stream *stream, stemma_error *err) {
    struct lines lines;
    struct buf header = {0};
    bool more = true;
    stemma_status status = lines_init(&lines, stream, err);
    while (status == STEMMA_OK && more && walk_goes_on(w)) {
        status = read_header(w, &lines, &header, err);
        more = header.len > 0;
        if (status == STEMMA_OK && more) status = take_record(w, &lines, &header, err);
    }
    buf_release(&header);
    lines_release(&lines);
    return status;
}
