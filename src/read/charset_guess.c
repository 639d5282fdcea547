/*
 * Each encoding has a reader of its characters, which says of one whether it is among those that make up
 * nearly all text, and whether it is among the few that no text does without: kana, or the six most frequent
 * letters. No language in Latin letters has long runs of accented ones, so characters must mostly stand next
 * to each other. A character counts once where it is repeated: lines that are drawn are no text.
 */
#include "read/charset_guess.h"

#include "read/charset.h"

#include <string.h>

enum {
    LEAST = 32, /* characters that are enough to tell */
    MOST = 4096 /* that are looked at */
};

/* One character, beginning with a byte beyond ASCII. */
struct character {
    unsigned size; /* 0: none begins like this */
    bool usual;
    int telling;
};

struct candidate {
    const char *name;
    struct character (*read)(unsigned first, unsigned second);
    unsigned usual, telling, adjacent; /* least share of all characters, in sixteenths */
};

static bool between(unsigned value, unsigned low, unsigned high) {
    return value - low <= high - low;
}

/* ---- two bytes a character ---- */

/* Hiragana and katakana, which no Japanese text is without; signs; kanji of the first level. */
static struct character of_euc_jp(unsigned first, unsigned second) {
    if (first == 0x8F) return (struct character){.size = 3};
    if (!between(second, 0xA1, 0xFE) || !(first == 0x8E || between(first, 0xA1, 0xFE)))
        return (struct character){0};
    bool kana = first == 0xA4 || first == 0xA5;
    return (struct character){2, kana || first == 0xA1 || first == 0xA3 || between(first, 0xB0, 0xCF), kana};
}

static struct character of_shift_jis(unsigned first, unsigned second) {
    if (between(first, 0xA1, 0xDF)) return (struct character){.size = 1};
    bool leads = between(first, 0x81, 0x9F) || between(first, 0xE0, 0xFC);
    if (!leads || !between(second, 0x40, 0xFC) || second == 0x7F) return (struct character){0};
    bool kana = (first == 0x82 && second >= 0x9F) || (first == 0x83 && second <= 0x96);
    return (struct character){2, between(first, 0x81, 0x98), kana};
}

/* Hangul, in the first part of what is ideographs in Chinese. */
static struct character of_euc_kr(unsigned first, unsigned second) {
    if (!between(first, 0x81, 0xFE) || !between(second, 0x41, 0xFE)) return (struct character){0};
    bool hangul = between(first, 0xB0, 0xC8) && second >= 0xA1;
    return (struct character){2, hangul || first == 0xA1, hangul};
}

/* Frequent ideographs; a third of them has a second byte of ASCII. */
static struct character of_big5(unsigned first, unsigned second) {
    bool low = between(second, 0x40, 0x7E);
    if (!between(first, 0x81, 0xFE) || !(low || between(second, 0xA1, 0xFE))) return (struct character){0};
    return (struct character){2, between(first, 0xA1, 0xC6), low && between(first, 0xA4, 0xC6)};
}

/* Frequent ideographs, by their sound: those from "r" on are where Korean has none. */
static struct character of_gb18030(unsigned first, unsigned second) {
    if (!between(first, 0x81, 0xFE)) return (struct character){0};
    if (between(second, 0x30, 0x39)) return (struct character){.size = 4};
    if (!between(second, 0x40, 0xFE) || second == 0x7F) return (struct character){0};
    bool sign = first == 0xA1 || first == 0xA3, frequent = between(first, 0xB0, 0xD7);
    return (struct character){2, second >= 0xA1 && (sign || frequent),
                              second >= 0xA1 && between(first, 0xC8, 0xD7)};
}

/* ---- one byte a character ---- */

/* The letters for o, e, a, i, n and t are nearly half of any text in Cyrillic; seven others, which are where
 * Greek and Hebrew have frequent ones, a thirtieth. */
static struct character of_letters(unsigned byte, const char *frequent, const char *rare) {
    return (struct character){1, true, strchr(frequent, (char)byte) ? 1 : strchr(rare, (char)byte) ? -2 : 0};
}

static struct character of_windows_1251(unsigned first, unsigned second) {
    (void)second;
    return of_letters(first, "\xEE\xE5\xE0\xE8\xED\xF2", "\xE9\xF4\xF6\xF8\xF9\xFA\xFD");
}

static struct character of_koi8_r(unsigned first, unsigned second) {
    (void)second;
    return of_letters(first, "\xCF\xC5\xC1\xC9\xCE\xD4", "\xCA\xC6\xC3\xDB\xDD\xDF\xDC");
}

static struct character of_ibm866(unsigned first, unsigned second) {
    (void)second;
    return of_letters(first, "\xAE\xA5\xA0\xA8\xAD\xE2", "\xA9\xE4\xE6\xE8\xE9\xEA\xED");
}

static struct character of_iso_8859_5(unsigned first, unsigned second) {
    (void)second;
    return of_letters(first, "\xDE\xD5\xD0\xD8\xDD\xE2", "\xD9\xE4\xE6\xE8\xE9\xEA\xED");
}

/* ---- all of them ---- */

static const struct candidate candidates[] = {
    {"euc-jp", of_euc_jp, 14, 2, 8},         {"shift_jis", of_shift_jis, 14, 4, 8},
    {"euc-kr", of_euc_kr, 14, 13, 8},        {"big5", of_big5, 14, 4, 8},
    {"gb18030", of_gb18030, 14, 4, 8},       {"windows-1251", of_windows_1251, 16, 4, 12},
    {"koi8-r", of_koi8_r, 16, 4, 12},        {"ibm866", of_ibm866, 16, 4, 12},
    {"iso-8859-5", of_iso_8859_5, 16, 4, 12}};

struct tally {
    size_t all, usual, adjacent, strange;
    int telling;
};

static void count(const struct candidate *as, const uint8_t *bytes, size_t size, bool cut,
                  struct tally *tally) {
    const uint8_t *end = bytes + size, *before = NULL; /* the character that ends where this one begins */
    struct character c;
    for (const uint8_t *at = bytes; at < end && tally->all < MOST; at += c.size) {
        const size_t ascii = encoding_ascii(at, (size_t)(end - at));
        if (ascii) before = NULL;
        if ((at += ascii) == end) return;
        c = as->read(at[0], at + 1 < end ? at[1] : 0);
        if (cut && end - at < 4) return;
        if (c.size == 0 || (size_t)(end - at) < c.size) tally->strange++, c = (struct character){.size = 1};
        const bool again = before && at - before == c.size && !memcmp(before, at, c.size);
        if (!again) {
            tally->all++;
            tally->usual += c.usual;
            tally->telling += c.telling;
            tally->adjacent += before != NULL;
        }
        before = at;
    }
}

static bool is_plainly(const struct candidate *as, const struct tally *tally) {
    return tally->all >= LEAST && tally->strange * 64 <= tally->all &&
           tally->usual * 16 >= tally->all * as->usual &&
           tally->telling * 16 >= (int)(tally->all * as->telling) &&
           tally->adjacent * 16 >= tally->all * as->adjacent;
}

enum encoding charset_guess(const uint8_t *bytes, size_t size, bool cut) {
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct tally tally = {0};
        count(&candidates[i], bytes, size, cut, &tally);
        if (is_plainly(&candidates[i], &tally)) return charset_named(candidates[i].name);
    }
    return ENCODING_AUTO;
}
