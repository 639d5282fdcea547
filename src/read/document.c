#include "read/document.h"

#include "read/charset.h"
#include "read/html.h"
#include "read/markdown.h"
#include "text/canon.h"

struct document_options document_options_for(unsigned folds, enum encoding encoding) {
    bool reads = folds & (FOLD_NFC | FOLD_CASE | FOLD_PUNCT);
    return (struct document_options){.encoding = encoding, .format = reads ? FORMAT_AUTO : FORMAT_BYTES};
}

void extractor_release(struct extractor *x) {
    buf_release(&x->decoded);
    buf_release(&x->text);
}

/* ---- what it is ---- */

/* Of a text whose beginning may be in another encoding. */
static enum text_format look_at_format(const char *name, const struct document_kind *kind,
                                       const uint8_t *bytes, size_t size) {
    uint8_t narrow[FORMAT_SAMPLE];
    bool wide = kind->encoding == ENCODING_UTF16LE || kind->encoding == ENCODING_UTF16BE;
    if (!wide) return format_guess(name, bytes, size);
    size_t units = size / 2 < FORMAT_SAMPLE ? size / 2 : FORMAT_SAMPLE,
           big = kind->encoding == ENCODING_UTF16BE;
    for (size_t i = 0; i < units; i++) narrow[i] = bytes[2 * i + !big] ? '?' : bytes[2 * i + big];
    return format_guess(name, narrow, units);
}

static enum text_format fixed_format(enum format_choice choice) {
    return choice == FORMAT_HTML ? TEXT_HTML : choice == FORMAT_MARKDOWN ? TEXT_MARKDOWN : TEXT_PLAIN;
}

/* A page may hold bytes that no text has and still be a page; anything else that does is not looked into. */
static void settle_format(const char *name, const uint8_t *bytes, size_t size, bool binary,
                          enum format_choice choice, struct document_kind *kind) {
    kind->format = choice == FORMAT_AUTO
                       ? look_at_format(binary ? NULL : name, kind, bytes + kind->mark, size - kind->mark)
                       : fixed_format(choice);
    if (binary && kind->format == TEXT_PLAIN) kind->format = TEXT_BINARY;
}

struct document_kind document_look(const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *options) {
    struct document_kind kind = {.encoding = options->encoding};
    bool binary = false;
    if (options->format == FORMAT_BYTES) return kind;
    if (!size) bytes = (const uint8_t *)""; /* an empty document may come without a pointer to move */
    if (kind.encoding == ENCODING_AUTO) {
        struct encoding_guess guess = encoding_guess(bytes, size);
        kind.encoding = guess.encoding;
        kind.mark = guess.mark;
        kind.declares = !guess.mark && !guess.multibyte && guess.encoding != ENCODING_UTF16LE &&
                        guess.encoding != ENCODING_UTF16BE;
        binary = guess.binary;
    } else {
        kind.mark = encoding_mark(bytes, size, &kind.encoding);
    }
    settle_format(name, bytes, size, binary, options->format, &kind);
    if (kind.format == TEXT_BINARY) kind.mark = 0;
    kind.converted = kind.format == TEXT_HTML || kind.format == TEXT_MARKDOWN ||
                     (kind.format == TEXT_PLAIN && kind.encoding != ENCODING_UTF8);
    return kind;
}

/* ---- its text ---- */

/* A page may say that it is in an encoding that its bytes do not show. */
static stemma_status decode_declared(struct extractor *x, struct document_text *text, bool *done,
                                     stemma_error *err) {
    char charset[HTML_CHARSET_MOST];
    html_charset(text->bytes, text->size, charset);
    *done = false;
    if (!charset_is_legacy(charset)) return STEMMA_OK;
    enum charset_result result = charset_decode(charset, text->bytes, text->size, &x->decoded);
    if (result == CHARSET_NO_MEMORY) return fail_memory(err);
    *done = result == CHARSET_DONE;
    if (*done) text->encoding = ENCODING_DECLARED;
    return STEMMA_OK;
}

/* The text becomes UTF-8. */
static stemma_status decode(struct extractor *x, const struct document_kind *kind, struct document_text *text,
                            stemma_error *err) {
    bool done = false;
    x->decoded.len = 0;
    if (kind->format == TEXT_HTML && kind->declares) TRY(decode_declared(x, text, &done, err));
    if (!done && kind->encoding == ENCODING_UTF8) return STEMMA_OK;
    if (!done && !encoding_decode(kind->encoding, text->bytes, text->size, &x->decoded))
        return fail_memory(err);
    text->bytes = x->decoded.data;
    text->size = x->decoded.len;
    return STEMMA_OK;
}

/* The marks go. */
static stemma_status strip(struct extractor *x, struct document_text *text, stemma_error *err) {
    x->text.len = 0;
    if (text->format == TEXT_PLAIN) return STEMMA_OK;
    if (text->format == TEXT_MARKDOWN) TRY(markdown_text(text->bytes, text->size, &x->text, err));
    if (text->format == TEXT_HTML && !html_text(text->bytes, text->size, &x->text)) return fail_memory(err);
    text->bytes = x->text.data;
    text->size = x->text.len;
    return STEMMA_OK;
}

stemma_status document_extract(struct extractor *x, const char *name, const uint8_t *bytes, size_t size,
                               const struct document_options *options, struct document_text *out,
                               stemma_error *err) {
    struct document_kind kind = document_look(name, bytes, size, options);
    struct document_text text = {.bytes = kind.mark ? bytes + kind.mark : bytes,
                                 .size = size - kind.mark,
                                 .format = kind.format,
                                 .encoding = kind.encoding,
                                 .extracted = kind.converted};
    if (kind.converted) {
        TRY(decode(x, &kind, &text, err));
        TRY(strip(x, &text, err));
    }
    *out = text;
    return STEMMA_OK;
}
