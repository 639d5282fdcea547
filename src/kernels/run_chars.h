/*
 * Characters as the text kernels see them, one at a time: what the portable version is made of, and what the
 * others do with what is not ASCII.
 */
#ifndef KERNELS_RUN_CHARS_H
#define KERNELS_RUN_CHARS_H

#include "base/buf.h"
#include "kernels/kernels.h"

/* First and last of ranges of characters that are RUN_SINGLE: three bytes each, the first of them highest. */
enum { RUN_HIRAGANA, RUN_KATAKANA, RUN_HAN, RUN_RANGES };
static const uint32_t run_singles[RUN_RANGES][2] = {[RUN_HIRAGANA] = {0xE38181, 0xE38296},
                                                    [RUN_KATAKANA] = {0xE382A1, 0xE383BA},
                                                    [RUN_HAN] = {0xE4B880, 0xE9BFBF}};

struct run_char {
    uint32_t effect; /* of struct run_chars */
    uint32_t size;   /* bytes */
};

static inline enum run_kind run_kind_of(struct run_char c) {
    return (enum run_kind)(c.effect >> 24);
}

static inline bool run_splits(const struct run_chars *chars) {
    return chars->ends >> RUN_SINGLE & 1;
}

/* Whether the kernel does such characters. */
static inline bool run_takes(const struct run_chars *chars, enum run_kind kind) {
    return kind == RUN_SINGLE || !(chars->ends >> kind & 1);
}

/* What is xored to the bytes of the character. */
static inline uint32_t run_change(struct run_char c) {
    return c.effect & 0xFFFFFF;
}

static inline struct run_char run_char_of(const struct run_chars *chars, uint32_t cp, uint32_t size) {
    return (struct run_char){
        chars->effects[chars->stage2[(uint32_t)chars->stage1[cp >> 8] << 8 | (cp & 0xFF)]], size};
}

/* The character at `at`, from where four bytes are readable. What is not UTF-8 is taken byte by byte: it
 * leaves nothing, so that it does not matter where errors begin and end. */
static inline struct run_char run_char_at(const struct run_chars *chars, const uint8_t *at) {
    const struct run_char error = {(uint32_t)RUN_BREAK << 24, 1};
    uint32_t bytes = load_u32(at), cp;
    if (!(bytes & 0x80)) return run_char_of(chars, bytes & 0x7F, 1);
    if ((bytes & 0xC0E0) == 0x80C0) {
        cp = (bytes & 0x1F) << 6 | (bytes >> 8 & 0x3F);
        return cp < 0x80 ? error : run_char_of(chars, cp, 2);
    }
    if ((bytes & 0xC0C0F0) == 0x8080E0) {
        cp = (bytes & 0xF) << 12 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F);
        return cp < 0x800 || cp >> 11 == 0x1B ? error : run_char_of(chars, cp, 3);
    }
    if ((bytes & 0xC0C0C0F8) != 0x808080F0) return error;
    cp = (bytes & 7) << 18 | (bytes << 4 & 0x3F000) | (bytes >> 10 & 0xFC0) | (bytes >> 24 & 0x3F);
    return cp < 0x10000 || cp > 0x10FFFF ? error : run_char_of(chars, cp, 4);
}

/* The size of the character at `at` if it is a letter that stays as it is; 0 when it is not, or another kind
 * of letter. */
static inline uint32_t run_letter_at(const struct run_chars *chars, const uint8_t *at) {
    uint32_t bytes = load_u32(at);
    if ((bytes & 0xC0E0) == 0x80C0) return chars->letters[bytes & 0x1F] >> (bytes >> 8 & 0x3F) & 1 ? 2 : 0;
    uint32_t page = (bytes & 0xF) << 6 | (bytes >> 8 & 0x3F);
    if ((bytes & 0xC0C0F0) != 0x8080E0 || page < 0x20) return 0;
    return chars->letters[page] >> (bytes >> 16 & 0x3F) & 1 ? 3 : 0;
}

/* The letter at `source` goes to `folded`: a break, unless that follows from the last one. */
static inline void run_list_break(struct fold_breaks *breaks, size_t source, size_t folded) {
    if (breaks->count) {
        const struct fold_break *last = &breaks->list[breaks->count - 1];
        if (source - last->source == folded - last->folded) return;
    }
    breaks->list[breaks->count++] = (struct fold_break){(uint32_t)source, (uint32_t)folded};
}

/* The bytes before a character that the end may cut off. */
static inline size_t run_whole(const uint8_t *text, size_t size) {
    for (size_t back = 1; back < 4 && back <= size; back++) {
        uint8_t byte = text[size - back];
        if (byte >= 0xC0) return byte >= 0xF0 || back < 2u + (byte >= 0xE0) ? size - back : size;
        if (byte < 0x80) break;
    }
    return size;
}

#endif
