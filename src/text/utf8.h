/*
 * Strict UTF-8, one character at a time.
 *
 * What is not UTF-8 (overlong, surrogate, above 0x10FFFF, cut short, a lone continuation byte) is taken by
 * maximal subparts, the Unicode practice for U+FFFD: the longest beginning of a character is one error,
 * any other byte is one error of its own.
 */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID     UINT32_MAX
#define UTF8_REPLACEMENT 0xFFFDu

/* The bytes allowed behind a lead byte: `least`..`most` for the second, any continuation for the others. */
struct utf8_lead {
    uint8_t size, least, most;
};

static inline struct utf8_lead utf8_lead_of(uint8_t byte) {
    if (byte < 0xC2 || byte > 0xF4) return (struct utf8_lead){1, 0, 0};
    if (byte < 0xE0) return (struct utf8_lead){2, 0x80, 0xBF};
    if (byte < 0xF0) return (struct utf8_lead){3, byte == 0xE0 ? 0xA0 : 0x80, byte == 0xED ? 0x9F : 0xBF};
    return (struct utf8_lead){4, byte == 0xF0 ? 0x90 : 0x80, byte == 0xF4 ? 0x8F : 0xBF};
}

/* The character at `at` (size > 0): returns its bytes and sets *cp, UTF8_INVALID for an error. Returns 0 when
 * all that is there is the beginning of a character. */
static inline size_t utf8_decode(const uint8_t *at, size_t size, uint32_t *cp) {
    if (at[0] < 0x80) {
        *cp = at[0];
        return 1;
    }
    struct utf8_lead lead = utf8_lead_of(at[0]);
    *cp = UTF8_INVALID;
    if (lead.size == 1) return 1;
    if (size < 2) return 0;
    if (at[1] < lead.least || at[1] > lead.most) return 1;
    uint32_t value = (at[0] & (0x7Fu >> lead.size)) << 6 | (at[1] & 0x3Fu);
    for (size_t i = 2; i < lead.size; i++) {
        if (i == size) return 0;
        if ((at[i] & 0xC0) != 0x80) return i;
        value = value << 6 | (at[i] & 0x3Fu);
    }
    *cp = value;
    return lead.size;
}

/* Returns the bytes written, at most 4. cp is a scalar value. */
static inline size_t utf8_encode(uint32_t cp, uint8_t *out) {
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (uint8_t)(0xC0 | cp >> 6);
        out[1] = (uint8_t)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (uint8_t)(0xE0 | cp >> 12);
        out[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (cp & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | cp >> 18);
    out[1] = (uint8_t)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (cp & 0x3F));
    return 4;
}

#endif
