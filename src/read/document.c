#include "read/document.h"

#include "read/charset.h"
#include "read/compressed.h"
#include "read/damage.h"
#include "read/epub.h"
#include "read/html.h"
#include "read/mail.h"
#include "read/markdown.h"
#include "read/odf.h"
#include "read/ooxml.h"
#include "read/packed.h"
#include "read/pdf.h"
#include "read/rtf.h"
#include "read/xml.h"
#include "text/canon.h"

_Static_assert((int)STEMMA_ENCODING_UTF8 == ENCODING_UTF8 && (int)STEMMA_ENCODING_LATIN1 == ENCODING_LATIN1 &&
                   (int)STEMMA_ENCODING_UTF16 == ENCODING_UTF16,
               "both have the same numbers");

struct document_options document_options_for(unsigned folds, const stemma_limits *limits) {
    bool reads = folds & (FOLD_NFC | FOLD_CASE | FOLD_PUNCT);
    return (struct document_options){.encoding = (enum encoding)limits->encoding,
                                     .format = reads ? FORMAT_AUTO : FORMAT_BYTES,
                                     .limits = {.memory = limits->memory,
                                                .window_most = limits->memory / WINDOW_PART,
                                                .converter_seconds = limits->converter_seconds,
                                                .converter_memory = limits->converter_memory,
                                                .unpacked_most = limits->most_unpacked,
                                                .temporary_directory = limits->temporary_directory,
                                                .stop = limits->stop}};
}

void extractor_release(struct extractor *x) {
    buf_release(&x->decoded);
    buf_release(&x->text);
    buf_release(&x->unpacked[0]);
    buf_release(&x->unpacked[1]);
}

/* ---- what it is ---- */

/* However much is there, no more than the head is looked at. */
static enum text_format look_at_format(const char *name, const struct document_kind *kind,
                                       const uint8_t *bytes, size_t size) {
    const bool whole = size < DOCUMENT_HEAD;
    if (!whole) size = DOCUMENT_HEAD;
    return format_guess(name, kind->encoding, bytes + kind->mark, size - kind->mark, whole);
}

static enum text_format fixed_format(enum format_choice choice) {
    return choice == FORMAT_HTML ? TEXT_HTML : choice == FORMAT_MARKDOWN ? TEXT_MARKDOWN : TEXT_PLAIN;
}

/* A page may hold bytes that no text has and still be a page; anything else that does is not looked into. */
static void settle_format(const char *name, const uint8_t *bytes, size_t size, bool binary,
                          enum format_choice choice, struct document_kind *kind) {
    kind->format = choice == FORMAT_AUTO ? look_at_format(binary ? NULL : name, kind, bytes, size)
                                         : fixed_format(choice);
    if (binary && kind->format == TEXT_PLAIN) kind->format = TEXT_BINARY;
}

struct document_kind document_look(const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *options) {
    struct document_kind kind = {.encoding = options->encoding};
    bool binary = false;
    if (options->format == FORMAT_BYTES) return kind;
    if (!size) bytes = (const uint8_t *)""; /* an empty document may come without a pointer to move */
    if (options->format == FORMAT_AUTO && compression_of(bytes, size)) /* few bytes may look like any text */
        return (struct document_kind){.format = TEXT_PACKED, .encoding = kind.encoding, .converted = true};
    if (kind.encoding == ENCODING_AUTO) {
        struct encoding_guess guess = encoding_guess(bytes, size);
        kind.encoding = guess.encoding;
        kind.mark = guess.mark;
        kind.declares = !guess.mark && !guess.multibyte && guess.encoding != ENCODING_UTF16LE &&
                        guess.encoding != ENCODING_UTF16BE;
        kind.open = guess.open;
        binary = guess.binary;
    } else {
        kind.mark = encoding_mark(bytes, size, &kind.encoding);
    }
    settle_format(name, bytes, size, binary, options->format, &kind);
    bool files;
    bool open = kind.format == TEXT_PLAIN || kind.format == TEXT_MARKDOWN || kind.format == TEXT_BINARY;
    if (options->format == FORMAT_AUTO && open && mail_look(bytes, size, &files)) kind.format = TEXT_MAIL;
    if (kind.format == TEXT_BINARY || !format_is_characters(kind.format)) kind.mark = 0;
    kind.open = kind.open && kind.format == TEXT_PLAIN;
    kind.converted = kind.format == TEXT_PLAIN ? kind.encoding != ENCODING_UTF8 : kind.format != TEXT_BINARY;
    return kind;
}

/* ---- its text ---- */

/* A page may say that it is in an encoding that its bytes do not show. */
static stemma_status decode_declared(struct extractor *x, struct document_text *text, bool *done,
                                     stemma_error *err) {
    char said[HTML_CHARSET_MOST];
    html_charset(text->bytes, text->size, said);
    const enum encoding charset = charset_named(said);
    enum charset_result result = charset_decode(charset, text->bytes, text->size, &x->decoded, NULL);
    if (result == CHARSET_NO_MEMORY) return fail_memory(err);
    *done = result == CHARSET_DONE;
    if (*done) text->encoding = charset;
    return STEMMA_OK;
}

/* Bytes that are none in the encoding are lost, other than those of Latin-1, which has a character for each.
 */
static stemma_status decode_legacy(struct extractor *x, enum encoding encoding,
                                   const struct document_text *text, bool *done, stemma_error *err) {
    size_t strange = 0;
    enum charset_result result = charset_decode(encoding, text->bytes, text->size, &x->decoded, &strange);
    if (result == CHARSET_NO_MEMORY) return fail_memory(err);
    *done = result == CHARSET_DONE;
    if (strange)
        NOTE_DAMAGE(&x->damage, "%zu of its bytes are no text in %s", strange, encoding_name(encoding));
    return STEMMA_OK;
}

/* The text becomes UTF-8. */
static stemma_status decode(struct extractor *x, const struct document_kind *kind, struct document_text *text,
                            stemma_error *err) {
    bool done = false;
    x->decoded.len = 0;
    bool declares = (kind->format == TEXT_HTML || kind->format == TEXT_XML) && kind->declares;
    if (declares) TRY(decode_declared(x, text, &done, err));
    if (!done && kind->encoding == ENCODING_UTF8 && kind->format != TEXT_XML) return STEMMA_OK;
    if (!done && kind->encoding >= ENCODING_LEGACY) TRY(decode_legacy(x, kind->encoding, text, &done, err));
    if (!done && !encoding_decode(kind->encoding, text->bytes, text->size, &x->decoded))
        return fail_memory(err);
    text->bytes = x->decoded.data;
    text->size = x->decoded.len;
    return STEMMA_OK;
}

/* The marks go. */
static stemma_status strip(struct extractor *x, struct document_text *text,
                           const struct reading_limits *limits, stemma_error *err) {
    switch (text->format) {
    case TEXT_PLAIN:
    case TEXT_BINARY:
        return STEMMA_OK;
    case TEXT_HTML:
        return html_text(text->bytes, text->size, &x->text) ? STEMMA_OK : fail_memory(err);
    case TEXT_MARKDOWN:
        return markdown_text(text->bytes, text->size, &x->text, err);
    case TEXT_XML:
        return xml_text(text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_DOCX:
    case TEXT_XLSX:
    case TEXT_PPTX:
        return ooxml_text(text->format, text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_ODT:
    case TEXT_ODS:
    case TEXT_ODP:
        return odf_text(text->format, text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_EPUB:
        return epub_text(text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_RTF:
        return rtf_text(text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_PDF:
        return pdf_text(text->bytes, text->size, limits, &x->text, &x->damage, err);
    case TEXT_MAIL:
        return mail_text(text->bytes, text->size, &x->decoded, &x->text, &x->damage, err);
    case TEXT_OLD_OFFICE:
        return fail(err, STEMMA_UNSUPPORTED,
                    "it is in an old Office format, or encrypted; save it as DOCX, ODT or PDF");
    case TEXT_PACKED: /* which document_extract leaves to others */
    case TEXT_LOCKED:
        break;
    }
    return fail(err, STEMMA_UNSUPPORTED, "it is encrypted");
}

static stemma_status convert(struct extractor *x, const struct document_kind *kind,
                             const struct reading_limits *limits, struct document_text *text,
                             stemma_error *err) {
    x->text.len = 0;
    if (format_is_characters(kind->format)) TRY(decode(x, kind, text, err));
    TRY(strip(x, text, limits, err));
    if (text->format == TEXT_PLAIN) return STEMMA_OK;
    text->bytes = x->text.data;
    text->size = x->text.len;
    return STEMMA_OK;
}

static stemma_status name_failure(const char *name, stemma_status status, const stemma_error *cause,
                                  stemma_error *err) {
    if (status == TEXT_TOO_LONG) status = STEMMA_UNSUPPORTED;
    bool of_document = status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED;
    if (!of_document) return fail(err, status, "%s", cause->message);
    return name ? fail(err, status, "cannot read '%s': %s", name, cause->message)
                : fail(err, status, "cannot read the document: %s", cause->message);
}

/* What was taken for XML by its beginning, without saying so, may go on as something else. */
static bool is_no_xml(const struct extractor *x, const struct document_kind *kind) {
    return kind->format == TEXT_XML && !format_says_xml(x->decoded.data, x->decoded.len);
}

static stemma_status extract_plain(struct extractor *x, const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *options, struct document_text *out,
                                   stemma_error *err) {
    struct document_options plain = *options;
    plain.format = FORMAT_PLAIN;
    return document_extract(x, name, bytes, size, &plain, out, err);
}

stemma_status document_extract(struct extractor *x, const char *name, const uint8_t *bytes, size_t size,
                               const struct document_options *options, struct document_text *out,
                               stemma_error *err) {
    struct document_kind kind = document_look(name, bytes, size, options);
    if (kind.format == TEXT_PACKED) return packed_extract(x, name, bytes, size, options, out, err);
    struct document_text text = {.bytes = kind.mark ? bytes + kind.mark : bytes,
                                 .size = size - kind.mark,
                                 .format = kind.format,
                                 .encoding = kind.encoding,
                                 .extracted = kind.converted};
    stemma_error cause;
    x->damage.message[0] = '\0';
    stemma_status status = kind.converted ? convert(x, &kind, &options->limits, &text, &cause) : STEMMA_OK;
    if (status == STEMMA_CORRUPT && is_no_xml(x, &kind))
        return extract_plain(x, name, bytes, size, options, out, err);
    x->too_long = status == TEXT_TOO_LONG;
    if (status != STEMMA_OK) return name_failure(name, status, &cause, err);
    if (x->damage.message[0]) text.damage = x->damage.message;
    *out = text;
    return STEMMA_OK;
}

void document_tell_damage(const char *name, const char *damage, stemma_error *out) {
    if (name)
        (void)fail(out, STEMMA_OK, "'%s' may lack text: %s", name, damage);
    else
        (void)fail(out, STEMMA_OK, "the document may lack text: %s", damage);
}
