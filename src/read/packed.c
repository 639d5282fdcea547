#include "read/packed.h"

#include "kernels/kernels.h"
#include "read/compressed.h"
#include "read/damage.h"

#include <inttypes.h>
#include <string.h>

enum { PACKED_TIMES = 16 }; /* a file may unpack to itself */

/* What unpacking may take. */
struct allowance {
    size_t text_most;        /* bytes of one layer, which is held */
    size_t window_most;      /* as unpacker_new takes it */
    uint64_t most, unpacked; /* bytes of all layers */
};

static stemma_status check_room(const struct allowance *allowed, size_t held, stemma_error *err) {
    if (allowed->unpacked > allowed->most)
        return fail(err, STEMMA_UNSUPPORTED, "it unpacks to more than %" PRIu64 " bytes (--unpacked)",
                    allowed->most);
    if (held > allowed->text_most)
        return fail(err, TEXT_TOO_LONG, "it unpacks to more than %zu bytes: allow more memory",
                    allowed->text_most);
    return STEMMA_OK;
}

static stemma_status unpack_all(struct unpacker *unpacker, struct allowance *allowed, struct buf *out,
                                stemma_error *err) {
    for (size_t got = 1; got; out->len += got, allowed->unpacked += got) {
        TRY(check_room(allowed, out->len, err));
        if (!buf_reserve(out, (out->len < 4096 ? 65536 : out->len) + KERNEL_SLACK)) return fail_memory(err);
        TRY(unpacker_read(unpacker, out->data + out->len, out->cap - out->len - KERNEL_SLACK, &got, err));
    }
    return STEMMA_OK;
}

/* Its name is said by who asks. Of what ends too early there is what was unpacked before: *cut says so then.
 */
static stemma_status unpack(const uint8_t *bytes, size_t size, struct allowance *allowed, struct buf *out,
                            stemma_error *cut, stemma_error *err) {
    struct stream stream = stream_of_memory(NULL, bytes, size);
    struct unpacker *unpacker = NULL;
    stemma_error cause;
    out->len = 0;
    TRY(unpacker_new(&stream, compression_of(bytes, size), allowed->window_most, &unpacker, err));
    stemma_status status = unpack_all(unpacker, allowed, out, &cause);
    const bool is_cut = status == STEMMA_CORRUPT && unpacker_is_cut(unpacker) && out->len;
    unpacker_free(unpacker);
    if (is_cut && cut->status == STEMMA_OK) *cut = cause;
    return is_cut || status == STEMMA_OK ? STEMMA_OK : fail(err, status, "%s", cause.message);
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

/* What is in it, to the end, or to where it is cut off. */
static stemma_status unpack_layers(struct extractor *x, const char *name, char inside[PACKED_NAME_MOST],
                                   struct allowance *allowed, struct text_bytes *bytes, stemma_error *cut,
                                   stemma_error *err) {
    for (int times = 0; compression_of(bytes->at, bytes->size); times++) {
        if (times == PACKED_TIMES)
            return fail(err, STEMMA_UNSUPPORTED, "it is compressed more than %d times", PACKED_TIMES);
        struct buf *unpacked = &x->unpacked[times % 2];
        TRY(unpack(bytes->at, bytes->size, allowed, unpacked, cut, err));
        *bytes = (struct text_bytes){unpacked->data, unpacked->len};
        packed_name(times ? inside : name, inside);
    }
    return STEMMA_OK;
}

/* The beginning of a text is one, too; of anything else it is nothing. */
static bool is_part_used(const struct extractor *x, stemma_status status, const struct document_text *text) {
    if (status == STEMMA_OK) return text->format != TEXT_BINARY;
    return x->too_long || (status != STEMMA_CORRUPT && status != STEMMA_UNSUPPORTED);
}

static void note_cut(struct extractor *x, const stemma_error *cut, struct document_text *text) {
    NOTE_DAMAGE(&x->damage, "%s", cut->message);
    text->damage = x->damage.message;
}

static stemma_status extract_inside(struct extractor *x, const char *name, struct text_bytes bytes,
                                    const struct document_options *options, struct document_text *out,
                                    stemma_error *err) {
    char inside[PACKED_NAME_MOST];
    struct document_text text;
    const struct text_bytes original = bytes;
    const struct reading_limits *limits = &options->limits;
    struct allowance allowed = {.text_most = reading_text_most(limits),
                                .window_most = limits->window_most,
                                .most = reading_unpacked_most(limits->unpacked_most, bytes.size)};
    stemma_error cut = {.status = STEMMA_OK};
    TRY(unpack_layers(x, name, inside, &allowed, &bytes, &cut, err));
    stemma_status status = document_extract(x, inside, bytes.at, bytes.size, options, &text, err);
    const bool is_cut = cut.status != STEMMA_OK;
    if (is_cut && !is_part_used(x, status, &text)) return fail(err, cut.status, "%s", cut.message);
    TRY(status);
    if (is_cut) note_cut(x, &cut, &text);
    if (text.format == TEXT_BINARY)
        text = (struct document_text){original.at,   original.size, TEXT_BINARY,
                                      text.encoding, false,         text.damage};
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
