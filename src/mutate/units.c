/* Units by the classes of characters that words of the canonical text are made by. */
#include "mutate/units.h"

struct sign sign_at(const uint8_t *text, size_t size, size_t at) {
    struct sign sign;
    sign.size = utf8_decode(text + at, size - at, &sign.cp);
    if (sign.size == 0) sign = (struct sign){UTF8_INVALID, 1}; /* cut short by the end of the text */
    return sign;
}

enum char_class sign_class(struct sign sign) {
    return sign.cp == UTF8_INVALID ? CHAR_OTHER : (enum char_class)unicode_record(sign.cp)->class;
}

static bool ends_line(struct sign sign) {
    return sign.cp != UTF8_INVALID && unicode_record(sign.cp)->flags & CHAR_LINE;
}

static bool is_control(uint32_t cp) {
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0);
}

size_t character_count(const uint8_t *text, size_t size) {
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        struct sign sign = sign_at(text, size, at);
        count += sign.cp == UTF8_INVALID ? sign.size : 1;
        at += sign.size;
    }
    return count;
}

/* ---- case ---- */

/* Folding knows the way to the small letter; the way back is tried by the distances that alphabets have. */
uint32_t other_case(uint32_t cp) {
    static const uint32_t distances[] = {32, 1, 80, 48, 40, 26};
    const struct char_record *record = unicode_record(cp);
    if (record->flags & (CHAR_ALONE | CHAR_LISTED)) return cp;
    if (record->fold) return cp + (uint32_t)record->fold;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        uint32_t distance = distances[i];
        if (distance > cp) continue;
        const struct char_record *capital = unicode_record(cp - distance);
        if (capital->fold == (int32_t)distance && !(capital->flags & (CHAR_ALONE | CHAR_LISTED)))
            return cp - distance;
    }
    return cp;
}

static bool has_case(const uint8_t *text, struct span span) {
    for (size_t at = span.begin; at < span.end;) {
        struct sign sign = sign_at(text, span.end, at);
        if (sign.cp != UTF8_INVALID && other_case(sign.cp) != sign.cp) return true;
        at += sign.size;
    }
    return false;
}

/* ---- characters and words ---- */

static bool wanted(enum units units, struct sign sign) {
    if (sign.cp == UTF8_INVALID) return false;
    enum char_class class = sign_class(sign);
    if (units == UNITS_CHARACTERS) return !ends_line(sign);
    if (units == UNITS_LETTERS) return class == CHAR_WORD || class == CHAR_SINGLE;
    return class == CHAR_OTHER && !is_control(sign.cp) && !(unicode_record(sign.cp)->flags & CHAR_ALONE);
}

static bool next_character(enum units units, const uint8_t *text, size_t size, size_t *at, struct span *out) {
    while (*at < size) {
        struct sign sign = sign_at(text, size, *at);
        *at += sign.size;
        if (!wanted(units, sign)) continue;
        *out = (struct span){*at - sign.size, *at};
        return true;
    }
    return false;
}

static bool begins_word(enum char_class class) {
    return class == CHAR_WORD || class == CHAR_SINGLE || class == CHAR_MARK;
}

static bool next_word(const uint8_t *text, size_t size, size_t *at, struct span *out) {
    enum char_class first = CHAR_OTHER;
    struct sign sign;
    for (; *at < size; *at += sign.size) {
        sign = sign_at(text, size, *at);
        first = sign_class(sign);
        if (begins_word(first)) break;
    }
    if (*at >= size) return false;
    out->begin = *at;
    for (*at += sign.size; *at < size; *at += sign.size) {
        sign = sign_at(text, size, *at);
        enum char_class class = sign_class(sign);
        bool goes_on =
            class == CHAR_MARK || class == CHAR_IGNORE || (class == CHAR_WORD && first != CHAR_SINGLE);
        if (!goes_on) break;
    }
    out->end = *at;
    return true;
}

static bool next_cased(const uint8_t *text, size_t size, size_t *at, struct span *out) {
    while (next_word(text, size, at, out))
        if (has_case(text, *out)) return true;
    return false;
}

/* ---- lines and paragraphs ---- */

static bool next_line(const uint8_t *text, size_t size, size_t *at, struct span *out) {
    if (*at >= size) return false;
    out->begin = *at;
    while (*at < size && text[*at] != '\n') ++*at;
    if (*at < size) ++*at;
    out->end = *at;
    return true;
}

static bool is_blank(const uint8_t *text, struct span line) {
    for (size_t at = line.begin; at < line.end;) {
        struct sign sign = sign_at(text, line.end, at);
        if (sign_class(sign) != CHAR_SPACE) return false;
        at += sign.size;
    }
    return true;
}

static size_t without_end(const uint8_t *text, struct span line) {
    size_t end = line.end;
    if (end > line.begin && text[end - 1] == '\n') end--;
    if (end > line.begin && text[end - 1] == '\r') end--;
    return end;
}

static bool next_plain_line(const uint8_t *text, size_t size, size_t *at, struct span *out) {
    struct span line;
    while (next_line(text, size, at, &line)) {
        if (is_blank(text, line)) continue;
        *out = (struct span){line.begin, without_end(text, line)};
        return true;
    }
    return false;
}

static bool next_paragraph(const uint8_t *text, size_t size, size_t *at, struct span *out) {
    struct span line;
    if (!next_plain_line(text, size, at, out)) return false;
    size_t behind = *at;
    while (next_line(text, size, &behind, &line) && !is_blank(text, line)) {
        out->end = without_end(text, line);
        *at = behind;
    }
    return true;
}

bool unit_next(enum units units, const uint8_t *text, size_t size, size_t *at, struct span *out) {
    switch (units) {
    case UNITS_WORDS:
        return next_word(text, size, at, out);
    case UNITS_CASED:
        return next_cased(text, size, at, out);
    case UNITS_LINES:
        return next_line(text, size, at, out);
    case UNITS_PARAGRAPHS:
        return next_paragraph(text, size, at, out);
    case UNITS_PLAIN_LINES:
        return next_plain_line(text, size, at, out);
    case UNITS_CHARACTERS:
    case UNITS_LETTERS:
    case UNITS_PUNCTUATION:
        break;
    }
    return next_character(units, text, size, at, out);
}

size_t unit_count(enum units units, const uint8_t *text, size_t size) {
    size_t at = 0, count = 0;
    struct span span;
    while (unit_next(units, text, size, &at, &span)) count++;
    return count;
}
