#include "sketch/text_chars.h"

#include "sketch/edit_text.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>

/* All letters that are words of their own are behind this. */
#define FIRST_SINGLE 0x0E00

void text_chars_init(struct text_chars *t, const struct view *view) {
    *t = (struct text_chars){.bytes = edit_text_is_bytes(view),
                             .splits = view->unit == UNIT_WORD && view->folds & FOLD_PUNCT,
                             .lines = view->unit == UNIT_LINE && view->folds & FOLD_SPACE};
}

void text_chars_begin(struct text_chars *t) {
    t->at = 0;
    t->single = t->space = false;
    t->cut_size = 0;
}

/* Those of a piece. */
struct made {
    uint32_t *chars;
    uint64_t *places; /* NULL: not wanted */
    size_t count;
};

static inline void put(struct made *made, uint32_t c, uint64_t place) {
    if (made->places) made->places[made->count] = place;
    made->chars[made->count++] = c;
}

/* As many bytes as are one character each. */
static size_t put_bytes(struct text_chars *t, const uint8_t *bytes, size_t size, struct made *made) {
    const uint8_t beyond = t->bytes ? 0 : 0x80;
    uint32_t *out = made->chars + made->count;
    size_t at = 0;
    for (; size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word & UINT64_C(0x0101010101010101) * beyond) break;
        for (size_t i = 0; i < 8; i++) out[at + i] = bytes[at + i];
    }
    for (; at < size && !(bytes[at] & beyond); at++) out[at] = bytes[at];
    for (size_t i = 0; t->lines && i < at; i++)
        if (out[i] == '\n') out[i] = ' ';
    for (size_t i = 0; made->places && i < at; i++) made->places[made->count + i] = t->at + i;
    made->count += at;
    t->at += at;
    return at;
}

/* A character, or a byte that is part of none; 0: the end cuts it off. */
static size_t decode(const uint8_t *bytes, size_t size, uint32_t *c) {
    const size_t length = utf8_decode(bytes, size, c);
    if (*c != UTF8_INVALID || length == 0) return length;
    *c = STRAY_BYTE + bytes[0];
    return 1;
}

/* One that is not ASCII, of so many bytes. */
static void put_wide(struct text_chars *t, uint32_t c, size_t size, struct made *made) {
    const bool looked_at = t->splits && c < STRAY_BYTE && (t->single || c >= FIRST_SINGLE);
    const enum char_class class = looked_at ? (enum char_class)unicode_record(c)->class : CHAR_WORD;
    if (class == CHAR_SINGLE && made->count && made->chars[made->count - 1] == ' ') made->count--;
    put(made, c, t->at);
    if (class != CHAR_MARK) t->single = class == CHAR_SINGLE;
    t->at += size;
}

/* The character that the last piece was cut in; returns the bytes that it took of this one. */
static size_t put_cut(struct text_chars *t, const uint8_t *bytes, size_t size, struct made *made) {
    uint8_t both[2 * sizeof t->cut];
    const size_t begun = t->cut_size, more = size < sizeof t->cut ? size : sizeof t->cut;
    size_t at = 0;
    memcpy(both, t->cut, begun);
    memcpy(both + begun, bytes, more);
    t->cut_size = 0;
    while (at < begun) {
        uint32_t c;
        const size_t length = decode(both + at, begun + more - at, &c);
        if (length == 0) {
            t->cut_size = begun + more - at;
            memcpy(t->cut, both + at, t->cut_size);
            return size;
        }
        put_wide(t, c, length, made);
        at += length;
    }
    return at - begun;
}

/* What begins with ASCII; a space behind a letter that is a word goes. */
static size_t put_narrow(struct text_chars *t, const uint8_t *bytes, size_t size, struct made *made) {
    const bool goes = t->single && bytes[0] == ' ';
    t->single = false;
    t->at += goes;
    return goes ? 1 : put_bytes(t, bytes, size, made);
}

static void put_text(struct text_chars *t, const uint8_t *bytes, size_t size, struct made *made) {
    size_t at = t->cut_size ? put_cut(t, bytes, size, made) : 0;
    while (at < size) {
        uint32_t c;
        if (bytes[at] < 0x80) {
            at += put_narrow(t, bytes + at, size - at, made);
            continue;
        }
        const size_t length = decode(bytes + at, size - at, &c);
        if (length == 0) {
            t->cut_size = size - at;
            memcpy(t->cut, bytes + at, t->cut_size);
            return;
        }
        put_wide(t, c, length, made);
        at += length;
    }
}

/* ---- pieces ---- */

/* A space at the end is given with the next piece. */
static void hold_space(struct text_chars *t, struct made *made) {
    t->space = t->splits && made->count && made->chars[made->count - 1] == ' ';
    made->count -= t->space;
}

size_t text_chars_put(struct text_chars *t, const uint8_t *bytes, size_t size, uint32_t *out,
                      uint64_t *places) {
    struct made made = {.chars = out, .places = places};
    if (t->space) put(&made, ' ', t->at - 1);
    if (t->bytes)
        put_bytes(t, bytes, size, &made);
    else
        put_text(t, bytes, size, &made);
    hold_space(t, &made);
    return made.count;
}

size_t text_chars_finish(struct text_chars *t, uint32_t *out, uint64_t *places) {
    struct made made = {.chars = out, .places = places};
    if (t->space) put(&made, ' ', t->at - 1);
    for (size_t i = 0; i < t->cut_size; i++) put(&made, STRAY_BYTE + t->cut[i], t->at + i);
    return made.count;
}
