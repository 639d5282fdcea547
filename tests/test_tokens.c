/* Tokens of each unit, whole and as the text grows. */
#include "base/rng.h"
#include "text/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The tokens in brackets. */
static void expect(enum unit unit, const char *text, bool last, const char *wanted) {
    char got[200] = "";
    size_t at = 0, used = 0;
    struct token token;
    while (token_next(unit, (const uint8_t *)text, strlen(text), last, &at, &token)) {
        assert_true(token.begin < token.end && at == token.end);
        used += (size_t)snprintf(got + used, sizeof got - used, "[%.*s]", (int)(token.end - token.begin),
                                 text + token.begin);
    }
    assert_string_equal(got, wanted);
}

static void test_words(void **state) {
    (void)state;
    expect(UNIT_WORD, "one two", true, "[one][two]");
    expect(UNIT_WORD, "one two", false, "[one]");
    expect(UNIT_WORD, " \tone\r\ntwo\xC2\xA0three\xE3\x80\x80", false, "[one][two][three]");
    expect(UNIT_WORD, "a\xFF\xE3\x80 b", true, "[a\xFF\xE3\x80][b]");
    expect(UNIT_WORD, "one\xE3\x80", false, "");
    expect(UNIT_WORD, "  ", true, "");
    expect(UNIT_WORD, "", true, "");
}

static void test_lines(void **state) {
    (void)state;
    expect(UNIT_LINE, "a b\n\n c \nd", true, "[a b][ c ][d]");
    expect(UNIT_LINE, "a b\n\n c \nd", false, "[a b][ c ]");
    expect(UNIT_LINE, "a\r\nb\n", true, "[a\r][b]");
    expect(UNIT_LINE, "\n\n", true, "");
}

static void test_chars_and_bytes(void **state) {
    (void)state;
    expect(UNIT_CHAR, "a\xC3\xA9\xE6\xBC\xA2", true, "[a][\xC3\xA9][\xE6\xBC\xA2]");
    expect(UNIT_CHAR,
           "\xE6\xBC"
           "a\xFF",
           true, "[\xE6][\xBC][a][\xFF]");
    expect(UNIT_CHAR, "a\xE6\xBC", false, "[a]");
    expect(UNIT_CHAR, "a\xE6\xBC", true, "[a][\xE6][\xBC]");
    expect(UNIT_BYTE, "a b", false, "[a][ ][b]");
}

/* Tokens found while the text grows are those of the whole. */
static void test_growing(void **state) {
    (void)state;
    uint64_t rng = 5;
    static const char alphabet[] = "ab \n\xC3\xA9\xE3\x80\x80\xC2\xA0\xFF";
    for (int round = 0; round < 5000; round++) {
        uint8_t text[24];
        size_t size = rng_below(&rng, sizeof text);
        for (size_t i = 0; i < size; i++) text[i] = (uint8_t)alphabet[rng_below(&rng, sizeof alphabet - 1)];
        enum unit unit = (enum unit)rng_below(&rng, 4);
        size_t at = 0, whole_at = 0, known = 0;
        struct token token, whole;
        while (token_next(unit, text, size, true, &whole_at, &whole)) {
            while (!token_next(unit, text, known, known == size, &at, &token)) assert_true(known++ < size);
            assert_int_equal(token.begin, whole.begin);
            assert_int_equal(token.end, whole.end);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_chars_and_bytes),
        cmocka_unit_test(test_growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
