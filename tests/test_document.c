/* The text of documents: encodings, HTML, Markdown, and whatever pretends to be one of them. */
#include "base/rng.h"
#include "effort.h"
#include "read/charset.h"
#include "read/document.h"
#include "read/late_text.h"
#include "text/canon.h"
#include "text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct document_options automatic = {.format = FORMAT_AUTO};

struct given {
    const char *name;
    const void *bytes;
    size_t size;
};
#define GIVEN(literal)       ((struct given){NULL, literal, sizeof literal - 1})
#define NAMED(file, literal) ((struct given){file, literal, sizeof literal - 1})

static struct document_text text_as(struct extractor *x, struct given given, enum encoding encoding) {
    struct document_text text;
    struct document_options options = {.encoding = encoding, .format = FORMAT_AUTO};
    assert_int_equal(document_extract(x, given.name, given.bytes, given.size, &options, &text, NULL),
                     STEMMA_OK);
    return text;
}

static void check_text(struct document_text text, const char *expected, size_t size) {
    if (text.size != size || (size && memcmp(text.bytes, expected, size)))
        fail_msg("'%.*s' instead of '%s'", (int)text.size, (const char *)text.bytes, expected);
}

static void expect(struct given given, enum text_format format, enum encoding encoding,
                   const char *expected) {
    struct extractor x = {0};
    struct document_text text = text_as(&x, given, ENCODING_AUTO);
    assert_int_equal(text.format, format);
    assert_int_equal(text.encoding, encoding);
    check_text(text, expected, strlen(expected));
    extractor_release(&x);
}

/* ---- encodings ---- */

static void passes_utf8_through(void **state) {
    (void)state;
    static const char text[] = "stra\xC3\x9F"
                               "e \xE4\xB8\xAD \xF0\x9F\x98\x80, and one bad byte \xFF here";
    struct extractor x = {0};
    struct document_text out = text_as(&x, GIVEN(text), ENCODING_AUTO);
    assert_ptr_equal(out.bytes, text);
    assert_int_equal(out.size, sizeof text - 1);
    assert_int_equal(out.encoding, ENCODING_UTF8);
    assert_false(out.extracted);
    assert_null(x.decoded.data);
    out = text_as(&x, GIVEN("\xEF\xBB\xBFmarked"), ENCODING_AUTO);
    assert_false(out.extracted);
    check_text(out, "marked", 6);
    out = text_as(&x, (struct given){0}, ENCODING_AUTO);
    assert_int_equal(out.size, 0);
    assert_int_equal(out.format, TEXT_PLAIN);
    extractor_release(&x);
}

static void reads_utf16(void **state) {
    (void)state;
    expect(GIVEN("\xFF\xFEh\0\xE9\0=\xD8\0\xDE"), TEXT_PLAIN, ENCODING_UTF16LE, "h\xC3\xA9\xF0\x9F\x98\x80");
    expect(GIVEN("\xFE\xFF\0h\0\xE9\xD8=\xDE\0"), TEXT_PLAIN, ENCODING_UTF16BE, "h\xC3\xA9\xF0\x9F\x98\x80");
    expect(GIVEN("n\0o\0 \0m\0a\0r\0k\0"), TEXT_PLAIN, ENCODING_UTF16LE, "no mark");
    expect(GIVEN("\0n\0o\0 \0m\0a\0r\0k"), TEXT_PLAIN, ENCODING_UTF16BE, "no mark");
    expect(GIVEN("-N\x87"
                 "e\x0A\0-N\x87"
                 "e\x0A\0"),
           TEXT_PLAIN, ENCODING_UTF16LE, "\xE4\xB8\xAD\xE6\x96\x87\n\xE4\xB8\xAD\xE6\x96\x87\n");
}

#define BAD "\xEF\xBF\xBD"

/* Chinese has zeros in both halves of its units: U+4E00 is its "one". */
static void tells_utf16_by_its_characters(void **state) {
    (void)state;
    static const uint16_t words[] = {0x7B2C, 0x4E00, 0x6761, 0x3000, 0x5F00, 0x4E00, 0x4E2A, 0x3002, 0x000A};
    for (int big = 0; big < 2; big++) {
        uint8_t bytes[40 * sizeof words];
        for (size_t i = 0; i < sizeof bytes / 2; i++) {
            uint16_t unit = words[i % (sizeof words / 2)];
            bytes[2 * i + !big] = (uint8_t)(unit >> 8);
            bytes[2 * i + big] = (uint8_t)unit;
        }
        struct encoding_guess guess = encoding_guess(bytes, sizeof bytes);
        assert_false(guess.binary);
        assert_int_equal(guess.encoding, big ? ENCODING_UTF16BE : ENCODING_UTF16LE);
        bytes[21] = bytes[20] = 0; /* a character that no text has */
        assert_true(encoding_guess(bytes, sizeof bytes).binary);
    }
}

static void repairs_utf16(void **state) {
    (void)state;
    expect(GIVEN("\xFF\xFEh\0i"), TEXT_PLAIN, ENCODING_UTF16LE, "h" BAD);
    expect(GIVEN("\xFF\xFE"), TEXT_PLAIN, ENCODING_UTF16LE, "");
    expect(GIVEN("\xFF\xFEx"), TEXT_PLAIN, ENCODING_UTF16LE, BAD);
    expect(GIVEN("\xFF\xFE=\xD8"), TEXT_PLAIN, ENCODING_UTF16LE, BAD);
    expect(GIVEN("\xFF\xFE=\xD8x\0"), TEXT_PLAIN, ENCODING_UTF16LE, BAD "x");
    expect(GIVEN("\xFF\xFE\0\xDEx\0=\xD8=\xD8\0\xDE"), TEXT_PLAIN, ENCODING_UTF16LE,
           BAD "x" BAD "\xF0\x9F\x98\x80");
}

static void reads_latin1(void **state) {
    (void)state;
    expect(GIVEN("caf\xE9"), TEXT_PLAIN, ENCODING_LATIN1, "caf\xC3\xA9");
    expect(GIVEN("\x93quoted\x94 for \x80 5"), TEXT_PLAIN, ENCODING_LATIN1,
           "\xE2\x80\x9Cquoted\xE2\x80\x9D for \xE2\x82\xAC 5");
    expect(GIVEN("\x81 undefined, na\xEFve, d\xE9j\xE0 vu, fa\xE7on, \xC9\xBB"), TEXT_PLAIN, ENCODING_LATIN1,
           "\xC2\x81 undefined, na\xC3\xAFve, d\xC3\xA9j\xC3\xA0 vu, fa\xC3\xA7on, \xC3\x89\xC2\xBB");
}

/* Stretches of ASCII and of other bytes, also longer than what is decoded at a time. */
static void decodes_latin1_as_byte_by_byte(void **state) {
    (void)state;
    static uint8_t bytes[10000], expected[30000];
    struct buf out = {0};
    uint64_t rng = 11;
    for (size_t round = 0; round < effort(300); round++) {
        size_t size = rng_below(&rng, rng_below(&rng, 4) ? 300 : sizeof bytes), length = 0;
        for (size_t at = 0; at < size;) {
            bool ascii = rng_below(&rng, 2);
            for (size_t n = rng_below(&rng, 40); n && at < size; n--)
                bytes[at++] = (uint8_t)(rng_below(&rng, 128) | (ascii ? 0 : 128));
        }
        for (size_t at = 0; at < size; at++)
            length += utf8_encode(windows_1252_character(bytes[at]), expected + length);
        out.len = 0;
        assert_true(encoding_decode(ENCODING_LATIN1, bytes, size, &out));
        assert_int_equal(out.len, length);
        if (length) assert_memory_equal(out.data, expected, length);
    }
    buf_release(&out);
}

/* One character beyond ASCII, wherever it is: it decides. */
static void finds_what_is_beyond_ascii(void **state) {
    (void)state;
    uint8_t bytes[600];
    memset(bytes, 'a', sizeof bytes);
    for (size_t size = 1; size <= sizeof bytes; size += 1 + size / 50)
        for (size_t at = 0; at < size; at++) {
            bytes[at] = 0xE9;
            assert_int_equal(encoding_guess(bytes, size).encoding, ENCODING_LATIN1);
            bytes[at] = 'a';
            assert_int_equal(encoding_guess(bytes, size).encoding, ENCODING_UTF8);
        }
}

static void knows_binaries(void **state) {
    (void)state;
    static const char elf[] = "\x7F"
                              "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0 \x10\0\0";
    static const char controls[] = "\1\2\3\4 and so on";
    static const char utf32[] = "\xFF\xFE\0\0h\0\0\0i\0\0\0";
    const struct given binaries[] = {GIVEN(elf), GIVEN(controls), GIVEN(utf32), NAMED("x.html", elf),
                                     NAMED("x.md", controls)};
    struct extractor x = {0};
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        struct document_text out = text_as(&x, binaries[i], ENCODING_AUTO);
        assert_int_equal(out.format, TEXT_BINARY);
        assert_ptr_equal(out.bytes, binaries[i].bytes);
        assert_int_equal(out.size, binaries[i].size);
    }
    extractor_release(&x);
    expect(GIVEN("\x1B[1mbold\x1B[0m and o\bo\n"), TEXT_PLAIN, ENCODING_UTF8,
           "\x1B[1mbold\x1B[0m and o\bo\n");
}

static void obeys_an_encoding(void **state) {
    (void)state;
    struct extractor x = {0};
    check_text(text_as(&x, GIVEN("caf\xC3\xA9"), ENCODING_LATIN1), "caf\xC3\x83\xC2\xA9", 7);
    check_text(text_as(&x, GIVEN("caf\xE9"), ENCODING_UTF8), "caf\xE9", 4);
    check_text(text_as(&x, GIVEN("\xFE\xFF\0h"), ENCODING_UTF16), "h", 1);
    check_text(text_as(&x, GIVEN("\xFF\xFEh\0"), ENCODING_UTF16), "h", 1);
    check_text(text_as(&x, GIVEN("h\0"), ENCODING_UTF16), "h", 1);
    check_text(text_as(&x, GIVEN("\0h"), ENCODING_UTF16BE), "h", 1);
    extractor_release(&x);
}

/* The answer is the one that the beginning gives, but for what begins with nothing but ASCII. */
static void decides_by_the_head(void **state) {
    (void)state;
    size_t size = DOCUMENT_HEAD + 1000;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'a', size);
    bytes[DOCUMENT_HEAD] = 0xE9;
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_LATIN1);
    assert_true(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).open);
    memcpy(bytes + 10, "\xC3\xA9", 2);
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_UTF8);
    assert_false(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).open);
    memcpy(bytes + 10, "aa", 2);
    bytes[DOCUMENT_HEAD - 1] = 0xE9; /* might be the first of three */
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_LATIN1);
    assert_int_equal(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).encoding, ENCODING_UTF8);
    assert_true(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).open);
    bytes[DOCUMENT_HEAD - 2] = 0xE9;
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_LATIN1);
    assert_int_equal(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).encoding, ENCODING_LATIN1);
    free(bytes);
}

static void append(struct buf *out, const uint8_t *bytes, size_t size) {
    if (size) assert_true(buf_add(out, bytes, size));
}

/* Given in pieces of random sizes, up to `most`. */
static void take_in_pieces(const uint8_t *bytes, size_t size, size_t most, uint64_t *rng, struct buf *out) {
    struct late_text late = {0};
    const uint8_t *text;
    size_t length;
    out->len = 0;
    for (size_t at = 0, piece; at < size; at += piece) {
        piece = 1 + rng_below(rng, most);
        if (piece > size - at) piece = size - at;
        text = bytes + at;
        length = piece;
        assert_int_equal(late_text_take(&late, &text, &length, NULL), STEMMA_OK);
        append(out, text, length);
    }
    assert_int_equal(late_text_finish(&late, &text, &length, NULL), STEMMA_OK);
    append(out, text, length);
    late_text_release(&late);
}

/* However it is cut, text that is ASCII for long is read as the whole is: also where what decides ends. */
static void reads_late_text_in_pieces(void **state) {
    (void)state;
    static const char *const tails[] = {"", "caf\xE9 ", "caf\xC3\xA9 ", "\xE9\xC3\xA9",
                                        "\xC3\xA9\xE9\xE9\xE9\xE9\xE9"};
    const size_t size = 3 * DOCUMENT_HEAD;
    uint8_t *bytes = malloc(size);
    struct extractor x = {0};
    struct buf out = {0};
    uint64_t rng = 5;
    assert_non_null(bytes);
    for (size_t round = 0; round < 40; round++) {
        const char *tail = tails[round % 5];
        memset(bytes, 'a', size);
        for (size_t times = 1 + rng_below(&rng, 3), length = strlen(tail); times; times--)
            memcpy(bytes + DOCUMENT_HEAD - 3 + rng_below(&rng, size - DOCUMENT_HEAD - 8), tail, length);
        if (round % 3 == 0) bytes[size - 1] = 0xC3; /* half a character */
        const struct given given = {.bytes = (const char *)bytes, .size = size};
        struct document_text whole = text_as(&x, given, ENCODING_AUTO);
        take_in_pieces(bytes, size, round % 2 ? 5000 : size, &rng, &out);
        check_text(whole, (const char *)out.data, out.len);
    }
    free(bytes);
    buf_release(&out);
    extractor_release(&x);
}

static void leaves_bytes_to_views_that_take_them(void **state) {
    (void)state;
    const stemma_limits limits = stemma_limits_default();
    assert_int_equal(document_options_for(FOLD_RAW, &limits).format, FORMAT_BYTES);
    assert_int_equal(document_options_for(FOLD_CODE, &limits).format, FORMAT_BYTES);
    assert_int_equal(document_options_for(FOLD_TEXT, &limits).format, FORMAT_AUTO);
    assert_int_equal(document_options_for(FOLD_CASE, &limits).format, FORMAT_AUTO);
    struct document_options options = document_options_for(FOLD_CODE, &limits);
    struct document_text out;
    struct extractor x = {0};
    static const char page[] = "\xFF\xFE<html>caf\xE9";
    assert_int_equal(
        document_extract(&x, "x.html", (const uint8_t *)page, sizeof page - 1, &options, &out, NULL),
        STEMMA_OK);
    assert_ptr_equal(out.bytes, page);
    assert_int_equal(out.size, sizeof page - 1);
    extractor_release(&x);
}

/* ---- pages ---- */

#define PAGE(literal, expected) expect(NAMED("x.html", literal), TEXT_HTML, ENCODING_UTF8, expected)

static void tells_pages(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        enum text_format format;
    } cases[] = {
        {NULL, "<!DOCTYPE html><p>x", TEXT_HTML},
        {NULL, " \n<!-- a > b --><?xml version='1.0'?>\n<HTML lang=en>", TEXT_HTML},
        {"a.txt", "<body>x", TEXT_HTML},
        {"a.txt", "\xEF\xBB\xBF<head\n>x", TEXT_HTML},
        {NULL, "<header>x", TEXT_PLAIN},
        {NULL, "<p>x", TEXT_PLAIN},
        {NULL, "see <html>", TEXT_PLAIN},
        {NULL, "<html", TEXT_PLAIN},
        {NULL, "<!-- <html>", TEXT_PLAIN},
        {"a.htm", "x", TEXT_HTML},
        {"dir.html/a", "x", TEXT_PLAIN},
        {"a.XHTML", "x", TEXT_HTML},
        {"a.md", "<html>", TEXT_MARKDOWN},
        {"a.Markdown", "x", TEXT_MARKDOWN},
        {"md", "x", TEXT_PLAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct document_kind kind =
            document_look(cases[i].name, (const uint8_t *)cases[i].text, strlen(cases[i].text), &automatic);
        if (kind.format != cases[i].format) fail_msg("'%s' is taken for %d", cases[i].text, kind.format);
    }
    struct extractor x = {0};
    static const char wide[] = "\xFF\xFE<\0h\0t\0m\0l\0>\0h\0i\0";
    struct document_text text = text_as(&x, GIVEN(wide), ENCODING_AUTO);
    assert_int_equal(text.format, TEXT_HTML);
    check_text(text, "hi", 2);
    extractor_release(&x);
}

static void shows_what_a_reader_sees(void **state) {
    (void)state;
    PAGE("<title>No</title><h1>A b</h1><p>one <b>bold</b>face\n  two<br>three",
         "A b\none boldface two\nthree");
    PAGE("<html><head><title>no &amp; <b>no</b></TITLE ></head>yes<title>again</title>, yes", "yes\n, yes");
    PAGE("a<title>goes on<p>b<title>c", "a\ngoes on\nb\nc");
    PAGE("<html><title/>no</title><script src=x />no</script>yes", "yes");
    PAGE("<?xml version='1.0'?><html><title/><script src='x' />yes<svg><title>no</title></svg>", "yes\n");
    PAGE("<?xml version='1.0'?><html>one<template/> two<pre/>  three<a role='doc-noteref'/> four",
         "one two\nthree four");
    PAGE("<ul><li>a<li>b</ul>c", "a\nb\nc");
    PAGE("<table><tr><td>a<td>b<tr><td>c</table>", "a\nb\nc\n");
    PAGE("a<script>if (x<y) '</div>'; </scr</SCRIPT >b<style>p{}</style>c", "abc");
    PAGE("a<template>b<template>c</template>d</template>e</template>f", "aef");
    PAGE("a<!-- x > -- --!>b<!-->c<!--->d<!---->e<!x>f<?y?>g</ z>h", "abcdefgh");
    PAGE("<pre>a\n  b</pre>  c  d", "a\n  b\nc d");
    PAGE("x<img src='a>b' alt=\"two &amp; words\">y<img alt=z><img alt>", "x two & words y z");
    PAGE("<p title='no' alt='no'>yes", "yes");
    PAGE("<a href=x>un<i/>broken</a>", "unbroken");
}

/* So few bytes, with a zero among them, would do for UTF-16. */
static void unpacks_a_few_words(void **state) {
    (void)state;
    static const char packed[] = "\x1f\x8b\x08\0\x77\x10\xfd\x6a\x02\xff\xf3\xcf\x4b\x55\x48\xcc\x4b\x51\x28"
                                 "\x29\xcf\x87\xd0\x19\x45\xa9\xa9\0\xa0\xd6\xcf\xff\x15\0\0";
    struct document_options options = {.format = FORMAT_AUTO};
    for (size_t size = 4; size < sizeof packed; size++) {
        const struct document_kind kind = document_look("x.gz", (const uint8_t *)packed, size, &options);
        assert_int_equal(kind.format, TEXT_PACKED);
    }
    options.encoding = ENCODING_LATIN1;
    assert_int_equal(document_look(NULL, (const uint8_t *)packed, 30, &options).format, TEXT_PACKED);
    options.format = FORMAT_BYTES;
    assert_int_equal(document_look(NULL, (const uint8_t *)packed, 30, &options).format, TEXT_PLAIN);
}

static void keeps_what_is_no_markup(void **state) {
    (void)state;
    PAGE("1 < 2 <3 <> </> a<", "1 < 2 <3 <> a<");
}

static void decodes_references(void **state) {
    (void)state;
    PAGE("&eacute;&#233;&#xE9;&Eacute;&eacute &notit; &lt;p&gt;",
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\x89\xC3\xA9 \xC2\xAC"
         "it; <p>");
    PAGE("&#150;&#0;&#xD800;&#x110000;&#99999999999;", "\xE2\x80\x93" BAD BAD BAD BAD);
    PAGE("&unknown; &; & &# &#x; AT&T &CounterClockwiseContourIntegral;",
         "&unknown; &; & &# &#x; AT&T \xE2\x88\xB3");
}

static void reads_declared_encodings(void **state) {
    (void)state;
    expect(GIVEN("<html><meta charset=koi8-r>\xF0\xD2\xC9\xD7\xC5\xD4"), TEXT_HTML, charset_named("koi8-r"),
           "\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82");
    expect(GIVEN("<html><meta http-equiv=x content='text/html; charset=\"Shift_JIS\"'>\x93\xFA\x96{"),
           TEXT_HTML, charset_named("shift_jis"), "\xE6\x97\xA5\xE6\x9C\xAC");
    expect(GIVEN("<html><meta charset=gb2312>\xD6\xD0\xFF\xFFx"), TEXT_HTML, charset_named("gb2312"),
           "\xE4\xB8\xAD" BAD BAD "x");
    expect(GIVEN("<html><meta charset=utf-8>caf\xE9"), TEXT_HTML, ENCODING_LATIN1, "caf\xC3\xA9");
    expect(GIVEN("<html><meta charset=iso-8859-1>caf\xC3\xA9"), TEXT_HTML, ENCODING_UTF8, "caf\xC3\xA9");
    expect(GIVEN("<html><meta charset=koi8-r>caf\xC3\xA9"), TEXT_HTML, ENCODING_UTF8, "caf\xC3\xA9");
    expect(GIVEN("<html><meta charset=ISO-2022-CN-EXT>caf\xE9"), TEXT_HTML, ENCODING_LATIN1, "caf\xC3\xA9");
    expect(GIVEN("<?xml version='1.0' encoding='koi8-r'?><html>\xF0"), TEXT_HTML, charset_named("koi8-r"),
           "\xD0\x9F");
    expect(GIVEN("<html><meta charset=windows-1255>\xF9\xEC\xE5\xED"), TEXT_HTML,
           charset_named("windows-1255"),
           "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D"); /* whose last letter waits for a point */
}

/* ---- Markdown ---- */

#define MARKDOWN(literal, expected) expect(NAMED("x.md", literal), TEXT_MARKDOWN, ENCODING_UTF8, expected)

static void drops_the_marks(void **state) {
    (void)state;
    MARKDOWN("# Head\n\nSome *em* and **str**ong, `co<de`.\nNext  \nline\n",
             "Head\nSome em and strong, co<de.\nNext\nline\n");
    MARKDOWN("- a\n- [x] b\n\n1. c\n\n> quoted\n", "a\nb\nc\nquoted\n");
    MARKDOWN("[text](http://target 'title') ![alt *x*](pic.png) <http://auto>\n",
             "text  alt x  http://auto\n");
    MARKDOWN("[ref][r]\n\n[r]: http://target\n", "ref\n");
    MARKDOWN("| a | b |\n|---|---|\n| c | ~~d~~ |\n", "a\nb\nc\nd\n");
    MARKDOWN("```sh\nls *  \n```\n\n    indented\n", "ls *  \nindented\n");
    MARKDOWN("caf&eacute; &nix; \\*\n", "caf\xC3\xA9 &nix; *\n");
    MARKDOWN("A note[^1], `[^a-z]`, [^2].\n\n[^1]: Its text is here.\n",
             "A note, [^a-z], [^2].\nIts text is here.\n");
}

static void reads_html_inside(void **state) {
    (void)state;
    MARKDOWN("a<br>b <b>c</b>d\n\n<div>\n<script>\nno\n</script>\n<p>yes</p>\n</div>\n", "a\nb cd\nyes\n");
    MARKDOWN("<!-- no -->\n\ntext\n", "text\n");
}

static void keeps_front_matter(void **state) {
    (void)state;
    MARKDOWN("---\ntitle: A *b*\n---\n# C\n", "---\ntitle: A *b*\n---\nC\n");
    MARKDOWN("---\nno end\n", "no end\n");
    MARKDOWN("---", "");
}

/* ---- the same in every format ---- */

static double resemblance(struct given a, struct given b) {
    struct extractor x = {0}, y = {0};
    struct document_text ta = text_as(&x, a, ENCODING_AUTO), tb = text_as(&y, b, ENCODING_AUTO);
    stemma_comparison out;
    assert_int_equal(stemma_compare_bytes(ta.bytes, ta.size, tb.bytes, tb.size, NULL, NULL, NULL, &out, NULL),
                     STEMMA_OK);
    extractor_release(&x);
    extractor_release(&y);
    return out.resemblance.value;
}

struct versions {
    struct buf text, markdown, html, wide;
};

static const char *const words[] = {"caf\xC3\xA9", "and",          "the",  "river", "na\xC3\xAFve",
                                    "of",          "stone",        "is",   "a",     "early",
                                    "winter",      "\xE2\x82\xAC", "over", "we",    "crossed"};

static void add_word(struct versions *v, const char *word, uint64_t style) {
    const char *html = style == 0   ? "<b>%s</b> "
                       : style == 1 ? "<a href='http://x.org/%s'>"
                                    : "%s\n",
               *md = "%s ";
    if (style == 0) md = "**%s** ";
    if (style == 1) md = "[";
    assert_true(buf_add_format(&v->text, "%s ", word));
    assert_true(buf_add_format(&v->markdown, md, word));
    assert_true(buf_add_format(&v->html, html, word));
    if (style != 1) return;
    assert_true(buf_add_format(&v->markdown, "%s](http://x.org/y) ", word));
    assert_true(buf_add_format(&v->html, "%s</a>&#32;", word));
}

static void add_paragraph(struct versions *v, uint64_t *rng) {
    assert_true(buf_add_string(&v->html, "<p class=\"x\">"));
    for (int i = 0; i < 60; i++)
        add_word(v, words[rng_below(rng, sizeof words / sizeof *words)], rng_below(rng, 10));
    assert_true(buf_add_string(&v->html, "</p><!-- end -->\n"));
    assert_true(buf_add_string(&v->text, "\n\n"));
    assert_true(buf_add_string(&v->markdown, "\n\n"));
}

static void widen(struct versions *v) {
    assert_true(buf_add(&v->wide, "\xFF\xFE", 2));
    for (size_t at = 0; at < v->text.len;) {
        uint32_t cp;
        at += utf8_decode(v->text.data + at, v->text.len - at, &cp);
        assert_true(buf_add_byte(&v->wide, (uint8_t)cp) && buf_add_byte(&v->wide, (uint8_t)(cp >> 8)));
    }
}

static void gives_one_text_in_every_format(void **state) {
    (void)state;
    struct versions v = {0};
    uint64_t rng = 7;
    assert_true(buf_add_string(&v.text, "Heading words\n\n"));
    assert_true(buf_add_string(&v.markdown, "# Heading words\n\n"));
    assert_true(buf_add_string(&v.html, "<!doctype html><html><body><h1>Heading words</h1>"));
    for (int i = 0; i < 40; i++) add_paragraph(&v, &rng);
    widen(&v);
    struct given text = {"a.txt", v.text.data, v.text.len}, wide = {"a.txt", v.wide.data, v.wide.len};
    struct given markdown = {"a.md", v.markdown.data, v.markdown.len}, html = {"a", v.html.data, v.html.len};
    assert_true(resemblance(text, markdown) > .999);
    assert_true(resemblance(text, html) > .999);
    assert_true(resemblance(markdown, html) > .999);
    assert_true(resemblance(text, wide) > .999);
    buf_release(&v.text);
    buf_release(&v.markdown);
    buf_release(&v.html);
    buf_release(&v.wide);
}

/* In memory as in a file: what has to be converted is held as a whole, or refused. */
static void refuses_to_convert_beyond_the_memory(void **state) {
    (void)state;
    enum { SIZE = 60000 };
    static char page[SIZE];
    stemma_limits limits = stemma_limits_default();
    stemma_document *document;
    limits.memory = 1 << 18;
    memset(page, 'a', SIZE);
    assert_int_equal(stemma_document_bytes(page, SIZE, NULL, &limits, &document, NULL), STEMMA_OK);
    stemma_document_free(document);
    memcpy(page, "<html>", 6);
    assert_int_equal(stemma_document_bytes(page, SIZE, NULL, &limits, &document, NULL), STEMMA_UNSUPPORTED);
    assert_int_equal(stemma_document_bytes(page, SIZE / 2, NULL, &limits, &document, NULL), STEMMA_OK);
    stemma_document_free(document);
}

/* ---- hostile documents: what counts is that they end, soon ---- */

static size_t text_size_of(const char *name, const char *piece, const char *end_piece, size_t size) {
    struct buf bytes = {0};
    struct extractor x = {0};
    while (bytes.len < size / 2) assert_true(buf_add_string(&bytes, piece));
    while (bytes.len < size) assert_true(buf_add_string(&bytes, end_piece));
    size_t text = text_as(&x, (struct given){name, bytes.data, bytes.len}, ENCODING_AUTO).size;
    extractor_release(&x);
    buf_release(&bytes);
    return text;
}

static void survives_hostile_pages(void **state) {
    (void)state;
    size_t large = 4 * effort(1 << 18);
    assert_int_equal(text_size_of("x.html", "<div>", "<div>", large), 0);
    assert_int_equal(text_size_of("x.html", "<div>", "</b>", large), 0);
    assert_int_equal(text_size_of("x.html", "&lt;", "&lt;", 10 * large), 10 * large / 4);
    assert_int_equal(text_size_of("x.html", "<template>", "x", large), 0);
    static const char *const pieces[] = {"<a b c=d ", "<",       "</",         "<!--", "<!",  "<script>",
                                         "<a '",      "<a =\"x", "&",          "&#",   "&#9", "&amp",
                                         "<pre>",     "\r",      "<img alt='", "<?",   "&#x", "<![CDATA["};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_in_range(text_size_of("x.html", pieces[i], pieces[i], large), 0, large + 16);
        assert_in_range(text_size_of("x.html", pieces[i], ">", large), 0, large + 16);
    }
}

static void expands_no_declared_entity(void **state) {
    (void)state;
    PAGE(
        "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol2 '&lol;&lol;'>]><html>&lol2;</html>",
        "]>\n&lol2;\n");
    static const char nuls[] = "<html><p>a\0b<scr\0ipt>c";
    struct extractor x = {0};
    struct document_text text = text_as(&x, GIVEN(nuls), ENCODING_AUTO);
    assert_int_equal(text.format, TEXT_HTML);
    check_text(text, "a\0bc", 4);
    extractor_release(&x);
}

static void survives_hostile_markdown(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "[",   "![", "[a](", "[a](\n", "[a](\r", "[a][\n", "*a ",      "_*",       "`a``",
        "`\n", "> ", "- ",   "1) ",    "|a|b\n", "<!--",   "<a b='\n", "[a]: b\n", "a\n---\n",
        "&",   "\\", "***",  "    \n", "[[",     "~~a",    "\n\n\n",   "#",        "<![CDATA["};
    static const char *const ends[] = {"](b)>\n", "\n", "\r", "\t\r\n", ">\n", "> \t>\n", "-\n"};
    size_t large = effort(1 << 19);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_in_range(text_size_of("x.md", pieces[i], pieces[i], large), 0, 2 * large);
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            assert_in_range(text_size_of("x.md", pieces[i], ends[k], large), 0, 2 * large);
    }
}

/* Any bytes under any name: an answer, the same when asked again with the same scratch. */
static void takes_anything(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "x.html", "x.md"};
    static const char *const bits[] = {"<",   ">", "&",  ";",   "\n",       "\xFF\xFE", "\0",
                                       "-->", "[", "](", "<p ", "charset=", "\xC3\xA9"};
    struct extractor x = {0}, fresh = {0};
    uint64_t rng = 3;
    for (size_t round = 0; round < effort(20000); round++) {
        uint8_t bytes[200];
        size_t size = 0;
        while (size < 180 && rng_below(&rng, 60)) {
            const char *bit = bits[rng_below(&rng, sizeof bits / sizeof *bits)];
            if (rng_below(&rng, 2)) bytes[size++] = (uint8_t)rng_below(&rng, 256);
            for (; *bit; bit++) bytes[size++] = (uint8_t)*bit;
        }
        struct given given = {names[rng_below(&rng, 3)], bytes, size};
        struct document_text a = text_as(&x, given, ENCODING_AUTO), b = text_as(&fresh, given, ENCODING_AUTO);
        assert_int_equal(a.format, b.format);
        assert_int_equal(a.size, b.size);
        if (a.size) assert_memory_equal(a.bytes, b.bytes, a.size);
        extractor_release(&fresh);
    }
    extractor_release(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_utf8_through),
        cmocka_unit_test(reads_utf16),
        cmocka_unit_test(tells_utf16_by_its_characters),
        cmocka_unit_test(repairs_utf16),
        cmocka_unit_test(reads_latin1),
        cmocka_unit_test(decodes_latin1_as_byte_by_byte),
        cmocka_unit_test(finds_what_is_beyond_ascii),
        cmocka_unit_test(knows_binaries),
        cmocka_unit_test(obeys_an_encoding),
        cmocka_unit_test(decides_by_the_head),
        cmocka_unit_test(reads_late_text_in_pieces),
        cmocka_unit_test(leaves_bytes_to_views_that_take_them),
        cmocka_unit_test(tells_pages),
        cmocka_unit_test(shows_what_a_reader_sees),
        cmocka_unit_test(unpacks_a_few_words),
        cmocka_unit_test(keeps_what_is_no_markup),
        cmocka_unit_test(decodes_references),
        cmocka_unit_test(reads_declared_encodings),
        cmocka_unit_test(drops_the_marks),
        cmocka_unit_test(reads_html_inside),
        cmocka_unit_test(keeps_front_matter),
        cmocka_unit_test(gives_one_text_in_every_format),
        cmocka_unit_test(refuses_to_convert_beyond_the_memory),
        cmocka_unit_test(survives_hostile_pages),
        cmocka_unit_test(expands_no_declared_entity),
        cmocka_unit_test(survives_hostile_markdown),
        cmocka_unit_test(takes_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
