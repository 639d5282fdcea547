#include "read/format.h"

#include "base/buf.h"
#include "read/encoding.h"
#include "read/xml.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

const char *format_name(enum text_format format) {
    switch (format) {
#define TEXT_FORMAT_NAME(value, name)                                                                        \
    case value:                                                                                              \
        return name;
        TEXT_FORMAT_LIST(TEXT_FORMAT_NAME)
#undef TEXT_FORMAT_NAME
    }
    return "text";
}

bool format_is_characters(enum text_format format) {
    return format == TEXT_PLAIN || format == TEXT_HTML || format == TEXT_MARKDOWN || format == TEXT_XML;
}

bool format_may_be_empty(enum text_format format) {
    return format_is_characters(format) || format == TEXT_MAIL;
}

/* ---- by the name ---- */

static bool has_extension(const char *name, const char *const *extensions) {
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    if (!dot) return false;
    for (; *extensions; extensions++)
        if (!strcasecmp(dot + 1, *extensions)) return true;
    return false;
}

static enum text_format by_name(const char *name) {
    static const char *const html[] = {"html", "htm", "xhtml", NULL};
    static const char *const markdown[] = {"md", "markdown", "mdown", NULL};
    if (has_extension(name, html)) return TEXT_HTML;
    return has_extension(name, markdown) ? TEXT_MARKDOWN : TEXT_PLAIN;
}

/* ---- by the beginning ---- */

struct span {
    const char *at, *end;
};

static struct span span_of(const uint8_t *bytes, size_t size, size_t most) {
    const char *at = size ? (const char *)bytes : ""; /* nothing may come without a pointer to move */
    return (struct span){at, at + (size < most ? size : most)};
}

static bool begins(struct span span, const char *word) {
    size_t size = strlen(word);
    return (size_t)(span.end - span.at) >= size && !strncasecmp(span.at, word, size);
}

/* Skip what begins with `open`, up to behind `close`. */
static bool skip(struct span *span, const char *open, const char *close) {
    if (!begins(*span, open)) return false;
    size_t inside = strlen(open);
    const char *end =
        memmem(span->at + inside, (size_t)(span->end - span->at) - inside, close, strlen(close));
    span->at = end ? end + strlen(close) : span->end;
    return true;
}

static bool skip_space(struct span *span) {
    const char *from = span->at;
    while (span->at < span->end && strchr(" \t\r\n\f", *span->at) && *span->at) span->at++;
    return span->at > from;
}

static bool begins_tag(struct span span, const char *tag) {
    if (!begins(span, tag)) return false;
    span.at += strlen(tag);
    return span.at < span.end && *span.at && strchr(" \t\r\n\f/>", *span.at);
}

/* Space, marks and comments in front of the first tag. */
static void skip_preamble(struct span *span) {
    while (skip_space(span) || skip(span, "\xEF\xBB\xBF", "") || skip(span, "<!--", "-->")) {
    }
}

static bool begins_html(const uint8_t *text, size_t size) {
    struct span span = span_of(text, size, FORMAT_SAMPLE);
    do skip_preamble(&span);
    while (skip(&span, "<?xml", "?>"));
    return begins_tag(span, "<!doctype html") || begins_tag(span, "<html") || begins_tag(span, "<head") ||
           begins_tag(span, "<body");
}

bool format_says_xml(const uint8_t *text, size_t size) {
    struct span span = span_of(text, size, FORMAT_SAMPLE);
    skip_preamble(&span);
    return begins_tag(span, "<?xml");
}

/* An element, or what is said of one before it. */
static bool begins_element(struct span span) {
    if (span.at + 1 >= span.end || *span.at != '<') return false;
    const char first = span.at[1];
    return isalpha((unsigned char)first) || first == '_' || begins_tag(span, "<!doctype");
}

static bool begins_bare_xml(const uint8_t *text, size_t size) {
    struct span span = span_of(text, size, FORMAT_SAMPLE);
    skip_preamble(&span);
    return begins_element(span);
}

/* ---- by bytes that no text begins with ---- */

enum { ZIP_HEADER = 30 }; /* bytes of a member's header, in front of its name */

static unsigned load_u16(const char *at) {
    return (uint8_t)at[0] | (unsigned)(uint8_t)at[1] << 8;
}

/* The name of the member whose header is at span.at, and what follows it. */
static struct span member_name(struct span span, struct span *rest) {
    size_t left = (size_t)(span.end - span.at);
    if (left < ZIP_HEADER) return *rest = (struct span){span.end, span.end};
    size_t length = load_u16(span.at + 26), extra = load_u16(span.at + 28);
    struct span name = {span.at + ZIP_HEADER, span.at + ZIP_HEADER + length};
    if (left - ZIP_HEADER < length + extra) return *rest = (struct span){span.end, span.end};
    *rest = (struct span){name.end + extra, span.end};
    return name;
}

static bool is_called(struct span name, const char *expected) {
    return (size_t)(name.end - name.at) == strlen(expected) && begins(name, expected);
}

/* The beginning of a member, unpacked; empty where it cannot be. */
static struct span unpacked(struct span member, struct span content, char *out, size_t room) {
    enum { STORED = 0, DEFLATED = 8 };
    unsigned method = content.at == content.end ? STORED : load_u16(member.at + 8);
    if (method == STORED) return content;
    z_stream z = {.next_in = (Bytef *)content.at, /* only read */
                  .avail_in = (uInt)(content.end - content.at),
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)room};
    if (method != DEFLATED || inflateInit2(&z, -MAX_WBITS) != Z_OK) return (struct span){out, out};
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return (struct span){out, out + (room - z.avail_out)};
}

/* OpenDocument and EPUB say what they are in a member of that name: the first, and not compressed, unless
 * somebody has packed it again. */
static enum text_format by_mimetype(struct span member, struct span packed) {
    static const struct {
        const char *type;
        enum text_format format;
    } types[] = {{"application/vnd.oasis.opendocument.text", TEXT_ODT},
                 {"application/vnd.oasis.opendocument.spreadsheet", TEXT_ODS},
                 {"application/vnd.oasis.opendocument.presentation", TEXT_ODP},
                 {"application/epub+zip", TEXT_EPUB}};
    char room[64];
    const struct span content = unpacked(member, packed, room, sizeof room);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (begins(content, types[i].type)) return types[i].format;
    return TEXT_PLAIN;
}

/* The sizes of a member that were not known in front of it stand behind its content, which they measure:
 * behind a mark of their own, or else in front of whatever comes next. The end where they are not seen. */
static const char *sizes_behind(struct span content) {
    enum { CRC = 4, SIZES = 12 };
    const char *at = content.at;
    for (; (at = memmem(at, (size_t)(content.end - at), "PK", 2)) && content.end - at >= SIZES; at += 2) {
        const bool marked = !memcmp(at + 2, "\7\10", 2);
        const char *end = marked ? at : at - SIZES, *sizes = (marked ? at + 4 : end) + CRC;
        if (end >= content.at && load_u32((const uint8_t *)sizes) == (size_t)(end - content.at)) return at;
    }
    return content.end;
}

/* Behind a member: what is in it, perhaps a document, is not what the archive is. */
static const char *behind_member(struct span member, struct span content) {
    if (content.at == content.end) return content.end;
    size_t size = load_u32((const uint8_t *)member.at + 18);
    if (!size && member.at[6] & 8) return sizes_behind(content);
    return size < (size_t)(content.end - content.at) ? content.at + size : content.end;
}

/* Office Open XML is a package, which has relations, with the folder of one of the programs. */
static enum text_format by_zip(const uint8_t *bytes, size_t size) {
    struct span span = span_of(bytes, size, ENCODING_SAMPLE);
    enum text_format format = TEXT_PLAIN;
    bool package = false;
    struct span rest;
    while ((span.at = memmem(span.at, (size_t)(span.end - span.at), "PK\3\4", 4))) {
        struct span name = member_name(span, &rest);
        if (is_called(name, "mimetype")) return by_mimetype(span, rest);
        package |= is_called(name, "[Content_Types].xml") || is_called(name, "_rels/.rels");
        if (begins(name, "word/")) format = TEXT_DOCX;
        if (begins(name, "xl/")) format = TEXT_XLSX;
        if (begins(name, "ppt/")) format = TEXT_PPTX;
        if (package && format != TEXT_PLAIN) return format;
        span.at = behind_member(span, rest);
    }
    return TEXT_PLAIN;
}

/* Office documents with a password are wrapped into the container of the old formats, whose list of streams
 * may be anywhere: what does not show may still be one of them. */
static enum text_format by_compound(const uint8_t *bytes, size_t size) {
    static const char stream[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";
    struct span span = span_of(bytes, size, ENCODING_SAMPLE);
    bool found = memmem(span.at, (size_t)(span.end - span.at), stream, sizeof stream);
    return found ? TEXT_LOCKED : TEXT_OLD_OFFICE;
}

static bool has_magic(const uint8_t *bytes, size_t size, const char *magic, size_t length) {
    return size >= length && !memcmp(bytes, magic, length);
}

static enum text_format by_magic(const uint8_t *bytes, size_t size) {
    struct span span = span_of(bytes, size, FORMAT_SAMPLE);
    if (has_magic(bytes, size, "PK\3\4", 4)) return by_zip(bytes, size);
    if (has_magic(bytes, size, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8)) return by_compound(bytes, size);
    if (has_magic(bytes, size, "{\\rtf", 5)) return TEXT_RTF;
    skip_preamble(&span);
    return begins(span, "%PDF-") ? TEXT_PDF : TEXT_PLAIN;
}

/* Most documents begin with a letter, and are told by that. */
static bool may_be_marked(const uint8_t *bytes, size_t size) {
    static const char first[] = " \t\r\n\f<{%P\xD0\xEF";
    return size && memchr(first, bytes[0], sizeof first - 1);
}

/* Of a text in UTF-16 the characters by which formats are told, which are all ASCII. */
static size_t narrow_down(enum encoding encoding, const uint8_t *text, size_t size, uint8_t *narrow) {
    const size_t units = size / 2 < FORMAT_SAMPLE ? size / 2 : FORMAT_SAMPLE,
                 big = encoding == ENCODING_UTF16BE;
    for (size_t i = 0; i < units; i++) narrow[i] = text[2 * i + !big] ? '?' : text[2 * i + big];
    return units;
}

static enum text_format guess_narrow(const char *name, const uint8_t *text, size_t size, bool *may_be_xml) {
    bool marked = may_be_marked(text, size);
    enum text_format found = marked ? by_magic(text, size) : TEXT_PLAIN;
    if (found == TEXT_PLAIN && name) found = by_name(name);
    if (found == TEXT_PLAIN && marked && begins_html(text, size)) found = TEXT_HTML;
    if (found == TEXT_PLAIN && marked && format_says_xml(text, size)) found = TEXT_XML;
    *may_be_xml = found == TEXT_PLAIN && marked && begins_bare_xml(text, size);
    return found;
}

/* The line that says that it is XML may be missing. Then all that is seen of it has to be: pages without a
 * beginning look alike, and so do letters between brackets. */
enum text_format format_guess(const char *name, enum encoding encoding, const uint8_t *text, size_t size,
                              bool whole) {
    uint8_t narrow[FORMAT_SAMPLE];
    const bool wide = encoding == ENCODING_UTF16LE || encoding == ENCODING_UTF16BE;
    bool may_be_xml;
    enum text_format found =
        wide ? guess_narrow(name, narrow, narrow_down(encoding, text, size, narrow), &may_be_xml)
             : guess_narrow(name, text, size, &may_be_xml);
    return may_be_xml && xml_begins(encoding, text, size, whole) ? TEXT_XML : found;
}
