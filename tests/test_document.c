/* The text of documents: encodings, HTML, Markdown, and whatever pretends to be one of them. */
#include "base/rng.h"
#include "effort.h"
#include "read/document.h"
#include "text/canon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct document_options automatic = {ENCODING_AUTO, FORMAT_AUTO};

struct given {
    const char *name;
    const void *bytes;
    size_t size;
};
#define GIVEN(literal)       ((struct given){NULL, literal, sizeof literal - 1})
#define NAMED(file, literal) ((struct given){file, literal, sizeof literal - 1})

static struct document_text text_as(struct extractor *x, struct given given, enum encoding encoding) {
    struct document_text text;
    struct document_options options = {encoding, FORMAT_AUTO};
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

/* The answer is the one that the beginning gives. */
static void decides_by_the_head(void **state) {
    (void)state;
    size_t size = DOCUMENT_HEAD + 1000;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'a', size);
    bytes[DOCUMENT_HEAD] = 0xE9;
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_UTF8);
    bytes[DOCUMENT_HEAD - 1] = 0xE9; /* might be the first of three */
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_UTF8);
    assert_int_equal(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).encoding, ENCODING_UTF8);
    bytes[DOCUMENT_HEAD - 2] = 0xE9;
    assert_int_equal(document_look(NULL, bytes, size, &automatic).encoding, ENCODING_LATIN1);
    assert_int_equal(document_look(NULL, bytes, DOCUMENT_HEAD, &automatic).encoding, ENCODING_LATIN1);
    free(bytes);
}

static void leaves_bytes_to_views_that_take_them(void **state) {
    (void)state;
    assert_int_equal(document_options_for(FOLD_RAW, ENCODING_AUTO).format, FORMAT_BYTES);
    assert_int_equal(document_options_for(FOLD_CODE, ENCODING_AUTO).format, FORMAT_BYTES);
    assert_int_equal(document_options_for(FOLD_TEXT, ENCODING_AUTO).format, FORMAT_AUTO);
    assert_int_equal(document_options_for(FOLD_CASE, ENCODING_AUTO).format, FORMAT_AUTO);
    struct document_options options = document_options_for(FOLD_CODE, ENCODING_AUTO);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_utf8_through), cmocka_unit_test(reads_utf16),
        cmocka_unit_test(repairs_utf16),       cmocka_unit_test(reads_latin1),
        cmocka_unit_test(knows_binaries),      cmocka_unit_test(obeys_an_encoding),
        cmocka_unit_test(decides_by_the_head), cmocka_unit_test(leaves_bytes_to_views_that_take_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
