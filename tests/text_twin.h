/*
 * The obvious twin of src/text/canon.c: the whole document at once, decoded by trial, normalised by utf8proc,
 * classified by category and ranges, joined. Knows no pieces, no table, no kernel; and no limit to the length
 * of a segment, so it is for text with at most 32 marks in a row.
 */
#ifndef TESTS_TEXT_TWIN_H
#define TESTS_TEXT_TWIN_H

#include "../tools/unicode-ranges.h"
#include "text/canon.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static enum char_class twin_class(uint32_t cp) {
    if (IN(ignorable, cp)) return CHAR_IGNORE;
    if (IN(white_space, cp)) return CHAR_SPACE;
    const char *category = utf8proc_category_string((utf8proc_int32_t)cp);
    if ((*category == 'L' || !strcmp(category, "Nl")) && IN(unspaced, cp)) return CHAR_SINGLE;
    if (*category == 'L' || *category == 'N') return CHAR_WORD;
    return *category == 'M' ? CHAR_MARK : CHAR_OTHER;
}

static bool twin_valid(const uint8_t *at, size_t size) {
    utf8proc_int32_t cp;
    return utf8proc_iterate(at, (utf8proc_ssize_t)size, &cp) == (utf8proc_ssize_t)size;
}

/* Whether some bytes behind these make a character. */
static bool twin_begins(const uint8_t *at, size_t size) {
    static const uint8_t tries[] = {0x80, 0x90, 0xA0, 0xBF};
    uint8_t bytes[4];
    memcpy(bytes, at, size);
    for (size_t total = size + 1; total <= 4; total++)
        for (size_t i = 0; i < 4; i++) {
            memset(bytes + size, 0x80, 4 - size);
            bytes[size] = tries[i];
            if (twin_valid(bytes, total)) return true;
        }
    return false;
}

struct twin_char {
    bool valid;
    uint32_t cp;
    const uint8_t *bytes;
    size_t size;
};

static struct twin_char twin_decode(const uint8_t *at, size_t size) {
    struct twin_char c = {.bytes = at, .size = 1};
    for (size_t n = 1; n <= 4 && n <= size; n++)
        if (twin_valid(at, n)) {
            utf8proc_int32_t cp;
            utf8proc_iterate(at, (utf8proc_ssize_t)n, &cp);
            return (struct twin_char){true, (uint32_t)cp, at, n};
        }
    while (c.size < size && c.size < 3 && twin_begins(at, c.size + 1)) c.size++;
    return c;
}

static void twin_map(struct buf *text, int options) {
    uint8_t *mapped = NULL;
    utf8proc_ssize_t size =
        utf8proc_map(text->data, (utf8proc_ssize_t)text->len, &mapped, (utf8proc_option_t)options);
    if (size < 0) abort();
    text->len = 0;
    buf_add(text, mapped, (size_t)size);
    free(mapped);
}

/* Well-formed text, without what vanishes, composed and folded. */
static struct buf twin_prepare(unsigned folds, const uint8_t *bytes, size_t size) {
    struct buf text = {0};
    for (size_t at = 0; at < size;) {
        struct twin_char c = twin_decode(bytes + at, size - at);
        at += c.size;
        if (c.valid && folds & FOLD_PUNCT && twin_class(c.cp) == CHAR_IGNORE) continue;
        if (c.valid || folds == FOLD_SPACE)
            buf_add(&text, c.bytes, c.size);
        else
            buf_add_string(&text, "\xEF\xBF\xBD");
    }
    buf_reserve(&text, 1);
    if (folds & FOLD_NFC) twin_map(&text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (folds & FOLD_CASE) twin_map(&text, UTF8PROC_STABLE | UTF8PROC_CASEFOLD);
    if (folds & FOLD_CASE && folds & FOLD_NFC) twin_map(&text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    return text;
}

/* Spaces around letters that are words; every other character that is not part of a word a space. */
static struct buf twin_split(unsigned folds, enum unit unit, const struct buf *text) {
    struct buf out = {0};
    enum char_class base = CHAR_SPACE; /* of the last character that is no mark */
    for (size_t at = 0; at < text->len;) {
        struct twin_char c = twin_decode(text->data + at, text->len - at);
        enum char_class class = twin_class(c.cp);
        at += c.size;
        if (class == CHAR_OTHER && folds & FOLD_PUNCT) {
            buf_add_byte(&out, ' ');
            base = CHAR_SPACE;
            continue;
        }
        bool border =
            (class == CHAR_SINGLE && base != CHAR_SPACE) || (class == CHAR_WORD && base == CHAR_SINGLE);
        if (border && unit == UNIT_WORD && folds & FOLD_PUNCT) buf_add_byte(&out, ' ');
        buf_add(&out, c.bytes, c.size);
        if (class != CHAR_MARK)
            base = class;
        else if (base == CHAR_SPACE)
            base = CHAR_WORD;
    }
    return out;
}

static struct buf twin_squeeze(enum unit unit, const struct buf *text) {
    struct buf out = {0};
    char owed = 0;
    for (size_t at = 0; at < text->len;) {
        struct twin_char c = twin_decode(text->data + at, text->len - at);
        at += c.size;
        if (c.valid && IN(white_space, c.cp)) {
            bool line = unit == UNIT_LINE && IN(line_ends, c.cp);
            owed = line || owed == '\n' ? '\n' : ' ';
            continue;
        }
        if (owed && out.len) buf_add_byte(&out, (uint8_t)owed);
        owed = 0;
        buf_add(&out, c.bytes, c.size);
    }
    return out;
}

static struct buf twin_canon(unsigned folds, enum unit unit, const uint8_t *bytes, size_t size) {
    struct buf raw = {0};
    if (folds == FOLD_RAW) {
        buf_add(&raw, bytes, size);
        return raw;
    }
    struct buf text = twin_prepare(folds, bytes, size);
    if (folds != FOLD_SPACE) {
        struct buf split = twin_split(folds, unit, &text);
        buf_release(&text);
        text = split;
    }
    if (!(folds & FOLD_SPACE)) return text;
    struct buf squeezed = twin_squeeze(unit, &text);
    buf_release(&text);
    return squeezed;
}

#endif
