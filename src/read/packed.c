#include "read/packed.h"

#include "kernels/kernels.h"
#include "read/compressed.h"

#include <string.h>

enum { PACKED_TIMES = 16 }; /* a file may unpack to itself */

static stemma_status unpack_all(struct unpacker *unpacker, size_t most, struct buf *out, stemma_error *err) {
    for (size_t got = 1; got; out->len += got) {
        if (out->len > most) return fail(err, TEXT_TOO_LONG, "it unpacks to more than %zu bytes", most);
        if (!buf_reserve(out, (out->len < 4096 ? 65536 : out->len) + KERNEL_SLACK)) return fail_memory(err);
        TRY(unpacker_read(unpacker, out->data + out->len, out->cap - out->len - KERNEL_SLACK, &got, err));
    }
    return STEMMA_OK;
}

/* Its name is said by who asks. */
static stemma_status unpack(const uint8_t *bytes, size_t size, size_t most, struct buf *out,
                            stemma_error *err) {
    struct stream stream = stream_of_memory(NULL, bytes, size);
    struct unpacker *unpacker = NULL;
    out->len = 0;
    TRY(unpacker_new(&stream, &unpacker, err));
    stemma_status status = unpack_all(unpacker, most, out, err);
    unpacker_free(unpacker);
    return status;
}

void packed_name(const char *name, char inside[PACKED_NAME_MOST]) {
    const char *slash = name ? strrchr(name, '/') : NULL, *own = slash ? slash + 1 : name ? name : "";
    size_t length = strlen(own), from = length < PACKED_NAME_MOST ? 0 : length - PACKED_NAME_MOST + 1;
    memmove(inside, own + from, length - from + 1);
    char *dot = strrchr(inside, '.');
    if (dot) *dot = 0;
}

struct text_bytes {
    const uint8_t *at;
    size_t size;
};

/* Bytes that are no longer those of the input belong to `decoded`, as text that was decoded does. */
static stemma_status own_plain(struct extractor *x, struct document_text *text, stemma_error *err) {
    x->decoded.len = 0;
    if (!buf_add(&x->decoded, text->bytes, text->size)) return fail_memory(err);
    text->bytes = x->decoded.data;
    text->extracted = true;
    return STEMMA_OK;
}

/* What is in it, to the end. */
static stemma_status unpack_layers(struct extractor *x, const char *name, char inside[PACKED_NAME_MOST],
                                   size_t most, struct text_bytes *bytes, stemma_error *err) {
    for (int times = 0; is_compressed(bytes->at, bytes->size); times++) {
        if (times == PACKED_TIMES)
            return fail(err, STEMMA_UNSUPPORTED, "it is compressed more than %d times", PACKED_TIMES);
        struct buf *unpacked = &x->unpacked[times % 2];
        TRY(unpack(bytes->at, bytes->size, most, unpacked, err));
        *bytes = (struct text_bytes){unpacked->data, unpacked->len};
        packed_name(times ? inside : name, inside);
    }
    return STEMMA_OK;
}

static stemma_status extract_inside(struct extractor *x, const char *name, struct text_bytes bytes,
                                    const struct document_options *options, struct document_text *out,
                                    stemma_error *err) {
    char inside[PACKED_NAME_MOST];
    struct document_text text;
    const struct text_bytes original = bytes;
    TRY(unpack_layers(x, name, inside, reading_text_most(&options->limits), &bytes, err));
    TRY(document_extract(x, inside, bytes.at, bytes.size, options, &text, err));
    if (text.format == TEXT_BINARY)
        text = (struct document_text){original.at, original.size, TEXT_BINARY, text.encoding, false};
    else if (!text.extracted)
        TRY(own_plain(x, &text, err));
    *out = text;
    return STEMMA_OK;
}

stemma_status packed_extract(struct extractor *x, const char *name, const uint8_t *bytes, size_t size,
                             const struct document_options *options, struct document_text *out,
                             stemma_error *err) {
    const char *called = name ? name : "the document";
    stemma_error cause;
    x->too_long = false;
    stemma_status status = extract_inside(x, called, (struct text_bytes){bytes, size}, options, out, &cause);
    if (status == TEXT_TOO_LONG) {
        x->too_long = true;
        status = STEMMA_UNSUPPORTED;
    }
    if (status == STEMMA_OK) return status;
    bool of_document = status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED;
    return of_document ? fail(err, status, "cannot read '%s': %s", called, cause.message)
                       : fail(err, status, "%s", cause.message);
}
