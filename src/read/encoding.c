/*
 * Telling encodings apart by what text in them looks like.
 *
 * UTF-8 is nearly never met by chance: of the first characters beyond ASCII, those that are well-formed are
 * counted against those that are not. UTF-16 shows by zero bytes that stand in one half of its units only,
 * or by units nearly all of which East Asian text has; and by units that are all characters of a text.
 */
#include "read/encoding.h"

#include "read/charset.h"
#include "read/charset_guess.h"
#include "text/utf8.h"

#include <string.h>

enum {
    BINARY_SAMPLE = 1 << 13, /* bytes looked at for what no text has */
    EVENTS = 256,            /* characters beyond ASCII that decide */
    BLOCK = 192,             /* bytes looked at by one loop that is all vectors; less than 256 */
    NEAR = 64,               /* bytes in which the next character beyond ASCII mostly is */
    PIECE = 4096             /* bytes decoded at a time */
};

#define TOPS UINT64_C(0x8080808080808080)

/* ---- bytes that no text has ---- */

static uint8_t
is_control(uint8_t byte) { /* other than space, backspace and escape, which terminals are sent */
    return (byte < 8) | (((uint8_t)(byte - 14) < 18) & (byte != 27));
}

static size_t count_controls(const uint8_t *bytes, size_t size) {
    size_t count = 0, at = 0;
    for (; at + BLOCK <= size; at += BLOCK) {
        uint8_t here = 0; /* narrow, so that it takes few vectors */
        for (size_t i = 0; i < BLOCK; i++) here = (uint8_t)(here + is_control(bytes[at + i]));
        count += here;
    }
    for (; at < size; at++) count += is_control(bytes[at]);
    return count;
}

bool encoding_is_binary(const uint8_t *bytes, size_t size) {
    size_t sample = size < BINARY_SAMPLE ? size : BINARY_SAMPLE;
    return sample && (memchr(bytes, 0, sample) || count_controls(bytes, sample) * 32 > sample);
}

void encoding_blank_controls(uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (is_control(bytes[i])) bytes[i] = ' ';
}

/* ---- UTF-16 ---- */

static uint32_t unit_at(const uint8_t *at, bool big) {
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static bool is_surrogate(uint32_t unit) {
    return unit - 0xD800 < 0x800;
}

/* The character at `at`: its units, 0 for a pair of which only half is there. */
static size_t decode_utf16(const uint8_t *at, size_t units, bool big, uint32_t *cp) {
    uint32_t unit = unit_at(at, big);
    *cp = unit;
    if (!is_surrogate(unit)) return 1;
    *cp = UTF8_INVALID;
    if (unit >= 0xDC00) return 1;
    if (units < 2) return 0;
    uint32_t low = unit_at(at + 2, big);
    if (low - 0xDC00 >= 0x400) return 1;
    *cp = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    return 2;
}

static bool is_utf16(const uint8_t *bytes, size_t size, bool big) {
    size_t units = size / 2, length;
    for (size_t at = 0; at < units; at += length) {
        uint32_t cp;
        length = decode_utf16(bytes + 2 * at, units - at, big, &cp);
        if (length == 0) return true;
        if (cp == UTF8_INVALID || (cp < 256 && is_control((uint8_t)cp)) || (cp & 0xFFFE) == 0xFFFE)
            return false;
    }
    return true;
}

/* Of bytes at least a quarter are such as plain text does not have. */
static bool is_odd(const uint8_t *bytes, size_t size) {
    size_t odd = 0;
    for (size_t i = 0; i < size; i++) odd += bytes[i] >= 0x80 || is_control(bytes[i]);
    return odd * 4 >= size;
}

/* Spaces and line ends have a zero byte in any script, on one side of the unit; a few characters have it on
 * the other. */
static bool shows_by_zeros(const uint8_t *bytes, size_t size, bool big) {
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < size; i++) zeros[i & 1] += bytes[i] == 0;
    size_t many = zeros[!big], few = zeros[big];
    return many * 128 >= size && few * 16 <= many;
}

/* Ideographs, kana, Hangul, their punctuation and full-width forms; dashes and quotes; ASCII. */
static bool is_east_asian(uint32_t unit) {
    return unit - 0x4E00 < 0x5200 || unit - 0xAC00 < 0x2BA4 || unit - 0x3000 < 0x100 ||
           unit - 0xFF00 < 0xF0 || unit - 0x2010 < 0x18 || unit < 0x7F;
}

/* Chinese has zeros in both halves: U+4E00, "one", is among its most frequent characters. In the other order
 * its units are spread over all there are. */
static bool shows_by_characters(const uint8_t *bytes, size_t size, bool big) {
    size_t usual = 0;
    for (size_t i = 0; i + 1 < size; i += 2) usual += is_east_asian(unit_at(bytes + i, big));
    return usual * 2 * 16 >= size * 15;
}

static enum encoding find_utf16(const uint8_t *bytes, size_t size) {
    if (size < 4 || size % 2 || !is_odd(bytes, size)) return ENCODING_AUTO;
    for (int by = 0; by < 2; by++)
        for (int big = 0; big < 2; big++)
            if ((by ? shows_by_characters : shows_by_zeros)(bytes, size, big) && is_utf16(bytes, size, big))
                return big ? ENCODING_UTF16BE : ENCODING_UTF16LE;
    return ENCODING_AUTO;
}

/* ---- UTF-8 or one byte a character ---- */

/* Bytes of ASCII at the beginning, up to `most` of them and eight at a time. */
static size_t ascii_near(const uint8_t *bytes, size_t most) {
    size_t at = 0;
    for (; at + 8 <= most; at += 8) {
        uint64_t tops = load_u64(bytes + at) & TOPS;
        if (tops) return at + (size_t)__builtin_ctzll(tops) / 8;
    }
    while (at < most && bytes[at] < 0x80) at++;
    return at;
}

size_t encoding_ascii(const uint8_t *bytes, size_t size) {
    size_t at = ascii_near(bytes, size < NEAR ? size : NEAR);
    if (at < NEAR) return at;
    for (; at + BLOCK <= size; at += BLOCK) {
        uint8_t any = 0;
        for (size_t i = 0; i < BLOCK; i++) any |= bytes[at + i];
        if (any & 0x80) break;
    }
    return at + ascii_near(bytes + at, size - at);
}

/* Latin-1 has pairs that look like UTF-8 once in a while, those of Chinese more often; and UTF-8 is damaged
 * once in a while. What is malformed in UTF-8 is lost, so that different texts may become one: it has to be
 * little. */
static void guess_by_sequences(const uint8_t *bytes, size_t size, bool cut, struct encoding_guess *guess) {
    size_t good = 0, bad = 0, following = 0; /* bytes of those that are well-formed, behind the first */
    for (size_t at = 0; at < size && good + bad < EVENTS;) {
        at += encoding_ascii(bytes + at, size - at);
        if (at == size) break;
        uint32_t cp;
        size_t length = utf8_decode(bytes + at, size - at, &cp);
        if (length == 0 && cut) break;
        good += cp != UTF8_INVALID;
        bad += cp == UTF8_INVALID;
        if (cp != UTF8_INVALID) following += length - 1;
        at += length ? length : size - at;
    }
    guess->open = cut && good + bad == 0;
    guess->encoding = bad * 4 > following ? ENCODING_LATIN1 : ENCODING_UTF8;
    guess->multibyte = good && guess->encoding == ENCODING_UTF8;
}

/* Neither of the two. What comes behind much of ASCII is left to them, since it is told in pieces. */
static void guess_by_language(const uint8_t *bytes, size_t size, bool cut, struct encoding_guess *guess) {
    if (guess->multibyte || guess->open || encoding_ascii(bytes, size) == size) return;
    const enum encoding found = charset_guess(bytes, size, cut);
    if (found) guess->encoding = found;
}

/* The same of what stands behind ASCII, however long that is. */
static void guess_by_the_rest(const uint8_t *bytes, size_t size, struct encoding_guess *guess) {
    bool cut = size >= ENCODING_SAMPLE;
    guess_by_sequences(bytes, cut ? ENCODING_SAMPLE : size, cut, guess);
}

enum encoding encoding_of_rest(const uint8_t *bytes, size_t size) {
    struct encoding_guess guess;
    guess_by_the_rest(bytes, size, &guess);
    return guess.encoding;
}

/* ---- all of them ---- */

size_t encoding_mark(const uint8_t *bytes, size_t size, enum encoding *asked) {
    bool little = size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xFE;
    bool big = size >= 2 && bytes[0] == 0xFE && bytes[1] == 0xFF;
    if (*asked == ENCODING_UTF16) *asked = big ? ENCODING_UTF16BE : ENCODING_UTF16LE;
    if (*asked == ENCODING_UTF8) return size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3) ? 3 : 0;
    return (*asked == ENCODING_UTF16LE && little) || (*asked == ENCODING_UTF16BE && big) ? 2 : 0;
}

static bool guess_by_mark(const uint8_t *bytes, size_t size, struct encoding_guess *guess) {
    static const enum encoding marked[] = {ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE};
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        guess->encoding = marked[i];
        guess->mark = encoding_mark(bytes, size, &guess->encoding);
        if (guess->mark) return true;
    }
    return false;
}

struct encoding_guess encoding_guess(const uint8_t *bytes, size_t size) {
    const size_t all = size;
    bool cut = size >= ENCODING_SAMPLE;
    if (cut) size = ENCODING_SAMPLE;
    struct encoding_guess guess = {.encoding = ENCODING_UTF8};
    if (guess_by_mark(bytes, size, &guess)) {
        guess.multibyte = guess.encoding == ENCODING_UTF8;
        guess.binary =
            size >= 4 && !memcmp(bytes, "\xFF\xFE\0\0", 4); /* UTF-32, which nobody writes to files */
        return guess;
    }
    if (encoding_is_binary(bytes, size)) {
        enum encoding utf16 = find_utf16(bytes, size < BINARY_SAMPLE ? size : BINARY_SAMPLE);
        guess.encoding = utf16 ? utf16 : ENCODING_UTF8;
        guess.binary = !utf16;
        return guess;
    }
    guess_by_sequences(bytes, size, cut, &guess);
    guess_by_language(bytes, size, cut, &guess);
    if (guess.open && all > size) {
        size_t ascii = encoding_ascii(bytes, all);
        guess_by_the_rest(bytes + ascii, all - ascii, &guess);
    }
    return guess;
}

/* ---- decoding ---- */

static bool decode_units(const uint8_t *bytes, size_t size, bool big, struct buf *out) {
    size_t units = size / 2, length;
    for (size_t at = 0; at < units; at += length) {
        uint32_t cp;
        if (out->cap - out->len < 4 && !buf_reserve(out, 4 + size - 2 * at)) return false;
        length = decode_utf16(bytes + 2 * at, units - at, big, &cp);
        if (length == 0) length = 1; /* half a pair, at the end */
        out->len += utf8_encode(cp == UTF8_INVALID ? UTF8_REPLACEMENT : cp, out->data + out->len);
    }
    return size % 2 == 0 || buf_add(out, "\xEF\xBF\xBD", 3);
}

/* What Windows-1252 has where Latin-1 has control characters; 0: nothing else. */
static const uint16_t beyond_latin1[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                           0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                           0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                           0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

uint32_t windows_1252_character(uint8_t byte) {
    uint32_t other = byte - 0x80u < 32 ? beyond_latin1[byte - 0x80] : 0;
    return other ? other : byte;
}

/* What a byte of Windows-1252 becomes: up to three bytes, and in the fourth how many. */
static void make_latin1_table(uint32_t table[256]) {
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t utf8[4] = {0};
        utf8[3] = (uint8_t)utf8_encode(windows_1252_character((uint8_t)byte), utf8);
        table[byte] = load_u32(utf8);
    }
}

/* Eight bytes at a time where they are ASCII. Up to three bytes more are written; returns behind the last. */
static uint8_t *decode_latin1_piece(const uint8_t *bytes, size_t size, const uint32_t table[256],
                                    uint8_t *out) {
    for (size_t at = 0; at < size;) {
        if (size - at >= 8 && !(load_u64(bytes + at) & TOPS)) {
            memcpy(out, bytes + at, 8);
            out += 8;
            at += 8;
            continue;
        }
        for (size_t end = size - at < 8 ? size : at + 8; at < end; at++) {
            store_u32(out, table[bytes[at]]);
            out += table[bytes[at]] >> 24;
        }
    }
    return out;
}

static bool decode_latin1(const uint8_t *bytes, size_t size, struct buf *out) {
    uint32_t table[256];
    make_latin1_table(table);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;
        if (!buf_reserve(out, 3 * piece + 1)) return false;
        out->len = (size_t)(decode_latin1_piece(bytes + at, piece, table, out->data + out->len) - out->data);
    }
    return true;
}

static bool decode_utf8(const uint8_t *bytes, size_t size, struct buf *out) {
    for (size_t at = 0, length; at < size; at += length) {
        uint32_t cp;
        size_t run = encoding_ascii(bytes + at, size - at);
        if (!buf_add(out, bytes + at, run) || !buf_reserve(out, 4)) return false;
        at += run;
        if (at == size) break;
        length = utf8_decode(bytes + at, size - at, &cp);
        out->len +=
            utf8_encode(length == 0 || cp == UTF8_INVALID ? UTF8_REPLACEMENT : cp, out->data + out->len);
        if (length == 0) length = size - at; /* half a character, at the end */
    }
    return true;
}

static bool decode_legacy(enum encoding encoding, const uint8_t *bytes, size_t size, struct buf *out) {
    enum charset_result result = charset_decode(encoding, bytes, size, out, NULL);
    return result == CHARSET_UNKNOWN ? decode_latin1(bytes, size, out) : result == CHARSET_DONE;
}

bool encoding_decode(enum encoding encoding, const uint8_t *bytes, size_t size, struct buf *out) {
    if (encoding == ENCODING_UTF8) return decode_utf8(bytes, size, out);
    if (encoding == ENCODING_LATIN1) return decode_latin1(bytes, size, out);
    if (encoding >= ENCODING_LEGACY) return decode_legacy(encoding, bytes, size, out);
    return decode_units(bytes, size, encoding == ENCODING_UTF16BE, out);
}
