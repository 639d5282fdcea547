/* Canonical text to tokens, by looking for the separators of the unit. */
#include "text/tokens.h"

#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>

static bool next_byte(size_t size, size_t *at, struct token *out) {
    if (*at >= size) return false;
    *out = (struct token){*at, *at + 1};
    *at = out->end;
    return true;
}

static bool next_char(const uint8_t *text, size_t size, bool last, size_t *at, struct token *out) {
    if (*at >= size) return false;
    uint32_t cp;
    size_t length = utf8_decode(text + *at, size - *at, &cp);
    if (length == 0 && !last) return false;
    *out = (struct token){*at, *at + (length == 0 || cp == UTF8_INVALID ? 1 : length)};
    *at = out->end;
    return true;
}

/* The bytes of the white space at `at`, 0 when there is none (or not all of it yet). */
static size_t white_space(const uint8_t *text, size_t size, size_t at) {
    if (text[at] > ' ' && text[at] < 0x80) return 0;
    uint32_t cp;
    size_t length = utf8_decode(text + at, size - at, &cp);
    if (length == 0 || cp == UTF8_INVALID) return 0;
    return unicode_record(cp)->class == CHAR_SPACE ? length : 0;
}

static size_t newline(const uint8_t *text, size_t size, size_t at) {
    (void)size;
    return text[at] == '\n';
}

/* Bytes of the longest white space character, whose beginning alone does not look like one. */
enum { LONGEST_SEPARATOR = 3 };

/* What stands between separators, never empty. */
static bool next_between(size_t (*separator)(const uint8_t *, size_t, size_t), const uint8_t *text,
                         size_t size, bool last, size_t *at, struct token *out) {
    size_t length;
    while (*at < size && (length = separator(text, size, *at))) *at += length;
    size_t end = *at, most = size - *at < TOKEN_MOST ? size : *at + TOKEN_MOST;
    while (end < most && !separator(text, size, end)) end++;
    bool ends = end < size && separator(text, size, end);
    if (end == *at || (!ends && !last && size - end < LONGEST_SEPARATOR)) return false; /* it may go on */
    *out = (struct token){*at, end};
    *at = end;
    return true;
}

bool token_next(enum unit unit, const uint8_t *text, size_t size, bool last, size_t *at, struct token *out) {
    switch (unit) {
    case UNIT_BYTE:
        return next_byte(size, at, out);
    case UNIT_CHAR:
        return next_char(text, size, last, at, out);
    case UNIT_WORD:
        return next_between(white_space, text, size, last, at, out);
    case UNIT_LINE:
        return next_between(newline, text, size, last, at, out);
    }
    return false;
}
