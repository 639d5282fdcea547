/* Encodings of single languages: their names and numbers, and which of them are told by the bytes. */
#include "read/charset.h"
#include "read/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stemma.h>
#include <string.h>

#include <cmocka.h>

#define BAD "\xEF\xBF\xBD"

static struct document_text text_as(struct extractor *x, const char *given, enum encoding encoding) {
    const struct document_options options = {.encoding = encoding};
    struct document_text text;
    assert_int_equal(document_extract(x, NULL, (const uint8_t *)given, strlen(given), &options, &text, NULL),
                     STEMMA_OK);
    return text;
}

static void knows_names_of_encodings(void **state) {
    (void)state;
    static const char *const same[][2] = {{"GB-18030", "gb18030"},     {"Shift-JIS", "shift_jis"},
                                          {"cp1251", "windows-1251"},  {"X-CP1251", "windows-1251"},
                                          {"koi8r", "koi8-r"},         {"cp866", "ibm866"},
                                          {"iso8859-2", "iso-8859-2"}, {"Latin 2", "iso-8859-2"},
                                          {"EUC_KR", "euc-kr"},        {"UTF8", "utf-8"},
                                          {"iso-8859-1", "latin-1"},   {"UTF-16LE", "utf-16le"},
                                          {"windows-1252", "latin-1"}};
    stemma_encoding a, b;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(stemma_encoding_named(same[i][0], &a, NULL), STEMMA_OK);
        assert_int_equal(stemma_encoding_named(same[i][1], &b, NULL), STEMMA_OK);
        assert_int_equal(a, b);
        assert_string_equal(stemma_encoding_name(a), same[i][1]);
    }
    for (unsigned number = 0; number <= STEMMA_ENCODING_MOST; number++) {
        const char *name = stemma_encoding_name((stemma_encoding)number);
        if (!name) continue;
        assert_int_equal(stemma_encoding_named(name, &a, NULL), STEMMA_OK);
        assert_int_equal(a, number);
    }
    assert_int_equal(stemma_encoding_named("iso-2022-cn-ext", &a, NULL), STEMMA_NOT_FOUND);
    assert_int_equal(stemma_encoding_named("", &a, NULL), STEMMA_NOT_FOUND);
    assert_null(stemma_encoding_name(STEMMA_ENCODING_MOST));
}

/* They are stored: collections remember by them how a document was read. */
static void keeps_numbers_of_encodings(void **state) {
    (void)state;
    assert_int_equal(charset_named("big5"), 8);
    assert_int_equal(charset_named("gb18030"), 12);
    assert_int_equal(charset_named("windows-874"), 43);
    assert_int_equal(charset_named("hp-roman8"), 71);
}

static void obeys_encodings_of_languages(void **state) {
    (void)state;
    struct extractor x = {0};
    struct document_text text = text_as(&x, "\xCF\xF0\xE8\xE2\xE5\xF2", charset_named("cp1251"));
    assert_true(text.size == 12 &&
                !memcmp(text.bytes, "\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82", 12));
    assert_null(text.damage);
    text = text_as(&x, "\xD6\xD0\xFF\xFFx", charset_named("gbk"));
    assert_true(text.size == 10 && !memcmp(text.bytes, "\xE4\xB8\xAD" BAD BAD "x", 10));
    assert_string_equal(text.damage, "2 of its bytes are no text in gbk");
    extractor_release(&x);
}

/* "We read texts in whichever encoding they were written, and compare their words." */
#define CHINESE                                                                                              \
    "\xCE\xD2\xC3\xC7\xD4\xC4\xB6\xC1\xB8\xF7\xD6\xD6\xB1\xE0\xC2\xEB\xB5\xC4\xCE\xC4\xB1\xBE\xA3\xAC\xB2"   \
    "\xA2\xC7\xD2\xB1\xC8\xBD\xCF\xCB\xFC\xC3\xC7\xB5\xC4\xB4\xCA\xD3\xEF\xA1\xA3\xD5\xE2\xCA\xC7\xD2\xBB"   \
    "\xB8\xF6\xBA\xDC\xB3\xA4\xB5\xC4\xBE\xE4\xD7\xD3\xA1\xA3\n"
#define RUSSIAN                                                                                              \
    "\xCC\xFB \xF7\xE8\xF2\xE0\xE5\xEC \xF2\xE5\xEA\xF1\xF2\xFB \xE2 \xEB\xFE\xE1\xFB\xF5 "                  \
    "\xEA\xEE\xE4\xE8\xF0\xEE\xE2\xEA\xE0\xF5 \xE8 \xF1\xF0\xE0\xE2\xED\xE8\xE2\xE0\xE5\xEC "                \
    "\xE8\xF5 \xF1\xEB\xEE\xE2\xE0.\n"

static enum encoding told(const char *text) {
    const struct document_options automatic = {0};
    return document_look(NULL, (const uint8_t *)text, strlen(text), &automatic).encoding;
}

static void tells_encodings_of_languages(void **state) {
    (void)state;
    assert_int_equal(told(CHINESE), charset_named("gb18030"));
    assert_int_equal(told(RUSSIAN), charset_named("windows-1251"));
    assert_int_equal(told("\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\n"
                          "\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\xC4\n"
                          "\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\xCD\n"),
                     ENCODING_LATIN1); /* lines that are drawn */
    assert_int_equal(
        told("\xC9t\xE9 d\xE9j\xE0 pass\xE9, cr\xE9\xE9 pr\xE8s d'une \xEEle o\xF9 l'on a \xE9t\xE9 "
             "\xE0 c\xF4t\xE9 d'une for\xEAt \xE0 No\xEBl: agr\xE9\xE9, suppl\xE9\xE9, f\xEAte, ma\xEEtre, "
             "h\xF4tel, \xE9l\xE8ve, pr\xE9t\xE9r\xE9, \xE9l\xE9phant, pi\xE8"
             "ce, d\xE9go\xFBt\xE9"),
        ENCODING_LATIN1);
}

static void converts_every_encoding(void **state) {
    (void)state;
    for (enum encoding e = ENCODING_LEGACY; e <= (enum encoding)STEMMA_ENCODING_MOST; e++) {
        struct buf out = {0};
        if (!encoding_name(e)) continue;
        if (charset_decode(e, (const uint8_t *)"word", 4, &out, NULL) != CHARSET_DONE)
            fail_msg("%s cannot be converted", encoding_name(e));
        assert_int_equal(out.len, 4);
        buf_release(&out);
    }
}

/* Pairs of GB 18030 are well-formed UTF-8 now and then: what is not would be lost. */
static void loses_nothing_of_short_texts(void **state) {
    (void)state;
    struct extractor x = {0};
    assert_int_equal(text_as(&x, "\xD2\xBB\xCD\xF2\xD4\xAA", ENCODING_AUTO).encoding, ENCODING_LATIN1);
    assert_int_equal(text_as(&x,
                             "M\xFCller Stra\xDF"
                             "e sch\xF6n \xC3\xBC"
                             "ber",
                             ENCODING_AUTO)
                         .encoding,
                     ENCODING_LATIN1);
    assert_int_equal(text_as(&x,
                             "\xC3\xBC"
                             "ber \xC3\xA4 \xC3\xB6 \xC3\x9F \xFC",
                             ENCODING_AUTO)
                         .encoding,
                     ENCODING_UTF8);
    extractor_release(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_names_of_encodings),     cmocka_unit_test(keeps_numbers_of_encodings),
        cmocka_unit_test(obeys_encodings_of_languages), cmocka_unit_test(tells_encodings_of_languages),
        cmocka_unit_test(converts_every_encoding),      cmocka_unit_test(loses_nothing_of_short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
