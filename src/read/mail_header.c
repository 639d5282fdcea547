#include "read/mail_header.h"

#include "read/charset.h"
#include "read/encoding.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- lines and fields ---- */

bool span_line(struct text_span *text, struct text_span *line) {
    if (!text->size) return false;
    const uint8_t *end = memchr(text->at, '\n', text->size);
    line->at = text->at;
    line->size = end ? (size_t)(end - text->at) + 1 : text->size;
    text->at += line->size;
    text->size -= line->size;
    return true;
}

static bool is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static struct text_span trimmed(struct text_span span) {
    while (span.size && is_blank(span.at[0])) span.at++, span.size--;
    while (span.size && is_blank(span.at[span.size - 1])) span.size--;
    return span;
}

static bool is_name_byte(uint8_t byte) {
    return byte > ' ' && byte < 127 && byte != ':';
}

enum header_step header_next(struct text_span *text, struct header_field *field) {
    struct text_span rest = *text, line;
    size_t name = 0;
    if (!span_line(&rest, &line)) return HEADER_END;
    while (name < line.size && is_name_byte(line.at[name])) name++;
    if (!name || name == line.size || line.at[name] != ':') {
        bool empty = !trimmed(line).size;
        if (empty) *text = rest;
        return empty ? HEADER_END : HEADER_NONE;
    }
    while (rest.size && (rest.at[0] == ' ' || rest.at[0] == '\t')) {
        struct text_span more;
        span_line(&rest, &more);
        line.size += more.size;
    }
    field->name = (struct text_span){line.at, name};
    field->value = trimmed((struct text_span){line.at + name + 1, line.size - name - 1});
    *text = rest;
    return HEADER_FIELD;
}

bool span_is(struct text_span span, const char *word) {
    return span.size == strlen(word) && !strncasecmp((const char *)span.at, word, span.size);
}

/* ---- decoding ---- */

static int base64_value(uint8_t byte) {
    if (byte >= 'A' && byte <= 'Z') return byte - 'A';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
    if (byte >= '0' && byte <= '9') return byte - '0' + 52;
    return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

bool decode_base64(const uint8_t *bytes, size_t size, struct buf *out) {
    uint32_t bits = 0;
    int count = 0;
    if (!buf_reserve(out, size / 4 * 3 + 3)) return false;
    for (size_t i = 0; i < size; i++) {
        int value = base64_value(bytes[i]);
        if (bytes[i] == '=') count = 0; /* parts that were encoded one by one may follow each other */
        if (value < 0) continue;
        bits = bits << 6 | (uint32_t)value;
        count++;
        if (count % 4 == 2) out->data[out->len++] = (uint8_t)(bits >> 4);
        if (count % 4 == 3) out->data[out->len++] = (uint8_t)(bits >> 2);
        if (count % 4 == 0) out->data[out->len++] = (uint8_t)bits;
    }
    return true;
}

static int hex_value(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* A byte that is written as `mark` and two digits; -1: it is not. */
static int escaped(const uint8_t *bytes, size_t size, uint8_t mark) {
    if (size < 3 || bytes[0] != mark || hex_value(bytes[1]) < 0 || hex_value(bytes[2]) < 0) return -1;
    return hex_value(bytes[1]) << 4 | hex_value(bytes[2]);
}

/* The bytes of a line end that a '=' takes away, with the blanks before it; 0: it does not. */
static size_t soft_break(const uint8_t *bytes, size_t size) {
    size_t at = 1;
    while (at < size && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) at++;
    if (at == size) return at;
    return bytes[at] == '\n' ? at + 1 : 0;
}

bool decode_quoted_printable(const uint8_t *bytes, size_t size, struct buf *out) {
    if (!buf_reserve(out, size)) return false;
    for (size_t i = 0; i < size;) {
        int byte = escaped(bytes + i, size - i, '=');
        size_t gone = bytes[i] == '=' && byte < 0 ? soft_break(bytes + i, size - i) : 0;
        if (!gone) out->data[out->len++] = byte >= 0 ? (uint8_t)byte : bytes[i];
        i += gone ? gone : byte >= 0 ? 3 : 1;
    }
    return true;
}

/* ---- charsets ---- */

static enum encoding encoding_said(const char *charset, const uint8_t *bytes, size_t size) {
    if (!strcasecmp(charset, "utf-16le")) return ENCODING_UTF16LE;
    if (!strcasecmp(charset, "utf-16be")) return ENCODING_UTF16BE;
    return encoding_guess(bytes, size).encoding;
}

bool mail_decode_charset(const char *charset, const uint8_t *bytes, size_t size, struct buf *out) {
    if (!size) return true;
    enum charset_result result = charset_decode(charset_named(charset), bytes, size, out, NULL);
    if (result != CHARSET_UNKNOWN) return result == CHARSET_DONE;
    enum encoding encoding = encoding_said(charset, bytes, size);
    size_t mark = encoding_mark(bytes, size, &encoding);
    return encoding == ENCODING_UTF8 ? buf_add(out, bytes + mark, size - mark)
                                     : encoding_decode(encoding, bytes + mark, size - mark, out);
}

static bool is_text_type(struct text_span type) {
    char word[HEADER_WORD_MOST];
    header_word(type, word);
    return !strncmp(word, "text/", 5) || !strcmp(word, "application/xml") ||
           !strcmp(word, "application/xhtml+xml");
}

stemma_status declares_charset(struct text_span type, const uint8_t *bytes, size_t size, enum encoding *out,
                               stemma_error *err) {
    struct buf said = {0};
    *out = ENCODING_AUTO;
    if (!size || !is_text_type(type)) return STEMMA_OK;
    bool done = header_parameter(type, "charset", &said) && buf_add_byte(&said, 0);
    const enum encoding named = done ? charset_named((const char *)said.data) : ENCODING_AUTO;
    buf_release(&said);
    if (!done) return fail_memory(err);
    if (!named) return STEMMA_OK;
    struct encoding_guess guess = encoding_guess(bytes, size);
    if (!guess.mark && !guess.multibyte) *out = named;
    return STEMMA_OK;
}

/* ---- encoded words ---- */

/* "=?charset?B?text?=" at the beginning of a span; its size, or 0. */
static size_t encoded_word(struct text_span span, struct text_span parts[3]) {
    if (span.size < 8 || memcmp(span.at, "=?", 2)) return 0;
    size_t at = 2;
    for (int i = 0; i < 3; i++) {
        size_t begin = at;
        while (at < span.size && span.at[at] != '?' && !is_blank(span.at[at])) at++;
        if (at + 1 >= span.size || span.at[at] != '?') return 0;
        parts[i] = (struct text_span){span.at + begin, at - begin};
        at++;
    }
    if (span.at[at] != '=' || parts[1].size != 1 || parts[0].size >= HEADER_WORD_MOST) return 0;
    return at + 1;
}

static bool decode_word(const struct text_span parts[3], struct buf *out) {
    char charset[HEADER_WORD_MOST];
    struct buf bytes = {0};
    snprintf(charset, sizeof charset, "%.*s", (int)parts[0].size, (const char *)parts[0].at);
    charset[strcspn(charset, "*")] = 0; /* a language may follow */
    bool base64 = (parts[1].at[0] | 0x20) == 'b';
    bool done = base64 ? decode_base64(parts[2].at, parts[2].size, &bytes)
                       : decode_quoted_printable(parts[2].at, parts[2].size, &bytes);
    for (size_t i = 0; !base64 && i < bytes.len; i++)
        if (bytes.data[i] == '_') bytes.data[i] = ' ';
    done = done && mail_decode_charset(charset, bytes.data, bytes.len, out);
    buf_release(&bytes);
    return done;
}

/* Blanks between two encoded words are not text. */
static size_t skip_between(struct text_span span, size_t at) {
    struct text_span parts[3];
    size_t next = at;
    while (next < span.size && is_blank(span.at[next])) next++;
    return encoded_word((struct text_span){span.at + next, span.size - next}, parts) ? next : at;
}

static bool decode_words(struct text_span span, struct buf *out) {
    struct buf plain = {0};
    bool done = true;
    for (size_t at = 0; at < span.size && done;) {
        struct text_span parts[3];
        size_t size = encoded_word((struct text_span){span.at + at, span.size - at}, parts);
        if (size) {
            done = mail_decode_charset("", plain.data, plain.len, out) && decode_word(parts, out);
            plain.len = 0;
            at = skip_between(span, at + size);
        } else {
            done = buf_add_byte(&plain, span.at[at++]);
        }
    }
    done = done && mail_decode_charset("", plain.data, plain.len, out);
    buf_release(&plain);
    return done;
}

/* ---- parameters ---- */

void header_word(struct text_span value, char word[HEADER_WORD_MOST]) {
    size_t size = 0;
    for (; size < value.size && size + 1 < HEADER_WORD_MOST; size++) {
        uint8_t byte = value.at[size];
        if (byte == ';' || byte == '(' || is_blank(byte)) break;
        word[size] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
    }
    word[size] = 0;
}

/* Takes "name=value;" from the front; a value in quotes is without them, and without what its backslashes
 * mean. */
static bool next_parameter(struct text_span *text, struct text_span *name, struct buf *value, bool *refused) {
    const uint8_t *at = text->at, *end = at + text->size;
    while (at < end && (is_blank(*at) || *at == ';')) at++;
    const uint8_t *begin = at;
    while (at < end && *at != '=' && *at != ';') at++;
    *name = trimmed((struct text_span){begin, (size_t)(at - begin)});
    value->len = 0;
    bool given = at < end && *at == '=';
    if (given) at++;
    while (given && at < end && is_blank(*at)) at++;
    bool quoted = given && at < end && *at == '"';
    if (quoted) at++;
    while (given && at < end && *at != (quoted ? '"' : ';')) {
        if (quoted && *at == '\\' && at + 1 < end) at++;
        if (*at != '\r' && *at != '\n' && !buf_add_byte(value, *at)) *refused = true;
        at++;
    }
    while (at < end && *at != ';') at++;
    bool found = begin < end;
    text->at = at;
    text->size = (size_t)(end - at);
    while (!quoted && value->len && is_blank(value->data[value->len - 1])) value->len--;
    return found;
}

/* A value by RFC 2231: "name*" for one with a charset, "name*0", "name*1*" for pieces. */
struct pieces {
    char charset[HEADER_WORD_MOST];
    struct buf bytes;
    unsigned next;
    bool any;
};

static bool unescape(const uint8_t *bytes, size_t size, struct buf *out) {
    if (!buf_reserve(out, size)) return false;
    for (size_t i = 0; i < size;) {
        int byte = escaped(bytes + i, size - i, '%');
        out->data[out->len++] = byte >= 0 ? (uint8_t)byte : bytes[i];
        i += byte >= 0 ? 3 : 1;
    }
    return true;
}

static bool add_piece(struct pieces *p, const struct buf *value, bool extended) {
    const uint8_t *bytes = value->data;
    size_t size = value->len;
    const uint8_t *first = extended && !p->any && size ? memchr(bytes, '\'', size) : NULL;
    const uint8_t *second = first ? memchr(first + 1, '\'', size - (size_t)(first + 1 - bytes)) : NULL;
    if (second) {
        size_t length = (size_t)(first - bytes);
        if (length < sizeof p->charset) memcpy(p->charset, bytes, length), p->charset[length] = 0;
        size -= (size_t)(second + 1 - bytes);
        bytes = second + 1;
    }
    p->any = true;
    p->next++;
    return extended ? unescape(bytes, size, &p->bytes) : buf_add(&p->bytes, bytes, size);
}

/* What stands behind the name, if it is `name` with a star: nothing, or the number of the piece it is the
 * turn of. */
static bool is_piece(struct text_span said, const char *name, const struct pieces *p, bool *extended) {
    char expected[HEADER_WORD_MOST];
    struct text_span start = {said.at, strlen(name)};
    *extended = false;
    if (said.size <= start.size || !span_is(start, name) || said.at[start.size] != '*') return false;
    *extended = said.at[said.size - 1] == '*';
    if (said.size == start.size + 1) return !p->any;
    snprintf(expected, sizeof expected, "%s*%u%s", name, p->next, *extended ? "*" : "");
    return span_is(said, expected);
}

bool header_parameter(struct text_span value, const char *name, struct buf *out) {
    struct pieces pieces = {0};
    struct buf said = {0}, plain = {0};
    struct text_span own;
    bool refused = false, extended, have_plain = false;
    const uint8_t *semicolon = value.size ? memchr(value.at, ';', value.size) : NULL;
    struct text_span rest = {semicolon, semicolon ? value.size - (size_t)(semicolon - value.at) : 0};
    while (!refused && rest.size && next_parameter(&rest, &own, &said, &refused)) {
        if (span_is(own, name) && !have_plain) {
            have_plain = true;
            refused |= !buf_add(&plain, said.data, said.len);
        } else if (is_piece(own, name, &pieces, &extended)) {
            refused |= !add_piece(&pieces, &said, extended);
        }
    }
    out->len = 0;
    if (!refused && pieces.any)
        refused = !mail_decode_charset(pieces.charset, pieces.bytes.data, pieces.bytes.len, out);
    else if (!refused && have_plain)
        refused = !decode_words((struct text_span){plain.data, plain.len}, out);
    buf_release(&pieces.bytes);
    buf_release(&said);
    buf_release(&plain);
    return !refused;
}
