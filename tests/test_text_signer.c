/* Signatures from canonical texts: letters that are words of their own lose the spaces beside them, against
 * an obvious twin, and what is left is signed as the document itself would be. */
#include "effort.h"
#include "sketch/text_signer.h"
#include "sketch_support.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* Words of several scripts, with and without spaces and signs between them, marks on both kinds. */
static struct buf random_text(uint64_t *rng, size_t size, bool singles) {
    static const char *const pieces[] = {"the ", "Quick, ", "brown\n", "  fox", "na\x69\xcc\x88ve ",
                                         "\xd0\x9c\xd0\xb8\xd1\x80 ", "12.5 ", "aaaaaaaaaaaa",
                                         " plain words, and more of them. ", "\xcc\x88", "\xe2\x82\xac",
                                         /* from here on with letters that are words */
                                         "\xe4\xb8\xad\xe6\x96\x87", "\xe4\xb8\xad\xe3\x80\x82\xe6\x96\x87",
                                         "\xe0\xb8\x81\xe0\xb8\xb2\xe0\xb9\x88", "\xe3\x81\x8b\xe3\x82\x99 ",
                                         " \xf0\xa0\x80\x80", "\xe4\xb8\xad 2024 \xe5\xb9\xb4"};
    const size_t all = sizeof pieces / sizeof *pieces, plain = 11;
    struct buf out = {0};
    while (out.len < size) assert_true(buf_add_string(&out, pieces[rng_below(rng, singles ? all : plain)]));
    return out;
}

/* Through the public way. */
static struct buf canonical(const struct stemma_recipe *recipe, const struct buf *text) {
    stemma_limits limits = stemma_limits_default();
    stemma_text *made;
    struct buf out = {0};
    size_t size;
    limits.encoding = STEMMA_ENCODING_UTF8;
    assert_int_equal(stemma_text_bytes(text->data, text->len, recipe, &limits, &made, NULL), STEMMA_OK);
    const char *data = stemma_text_data(made, &size);
    assert_true(buf_add(&out, data, size) && buf_reserve(&out, KERNEL_SLACK));
    stemma_text_free(made);
    return out;
}

/* ---- the twin ---- */

struct twin_char {
    uint32_t cp;
    size_t at, size;
};

static size_t twin_chars(const struct buf *text, struct twin_char *out) {
    size_t count = 0;
    for (size_t at = 0; at < text->len; count++) {
        out[count].at = at;
        out[count].size = utf8_decode(text->data + at, text->len - at, &out[count].cp);
        at += out[count].size;
    }
    return count;
}

static int class_at(const struct twin_char *chars, size_t i) {
    return unicode_record(chars[i].cp)->class;
}

/* Whether what stands before a character, marks aside, is a word of one letter. */
static bool follows_single(const struct twin_char *chars, size_t i) {
    while (i > 0 && class_at(chars, i - 1) == CHAR_MARK) i--;
    return i > 0 && class_at(chars, i - 1) == CHAR_SINGLE;
}

/* places[k]: where byte k of the result is in the text. */
static struct buf twin_joined(const struct buf *text, size_t *places) {
    struct twin_char *chars = calloc(text->len + 1, sizeof *chars);
    const size_t count = twin_chars(text, chars);
    struct buf out = {0};
    for (size_t i = 0; i < count; i++) {
        const bool last = i + 1 == count;
        if (chars[i].cp == ' ' &&
            (follows_single(chars, i) || (!last && class_at(chars, i + 1) == CHAR_SINGLE)))
            continue;
        for (size_t b = 0; b < chars[i].size; b++) places[out.len + b] = chars[i].at + b;
        assert_true(buf_add(&out, text->data + chars[i].at, chars[i].size));
    }
    free(chars);
    return out;
}

/* ---- signing ---- */

static const struct text_signer_form form = {.n = 8, .rate = 1, .most = 1 << 20};

/* Of the bytes themselves. */
static struct signature_data sign_source(const struct stemma_recipe *recipe, const struct buf *text,
                                         bool positions) {
    const struct spec spec = {
        .scheme = SCHEME_SIGNATURE, .n = 8, .c = 1, .alphabet = 4096, .positions = positions};
    struct signer *signer;
    struct signature_data out = {0};
    assert_int_equal(signer_new(&recipe->view, &spec, 1 << 30, &signer, NULL), STEMMA_OK);
    if (text->len) assert_int_equal(signer_feed(signer, text->data, text->len, NULL), STEMMA_OK);
    assert_int_equal(signer_finish(signer, &out, NULL), STEMMA_OK);
    signer_free(signer);
    return out;
}

static void assert_same(const struct kept_windows *kept, const struct signature_data *expected) {
    struct signature_data made = {0};
    assert_int_equal(kept_windows_at(kept, (struct signature_rate){1, 4096}, &made, NULL), STEMMA_OK);
    assert_int_equal(made.length, expected->length);
    assert_int_equal(made.agree, expected->agree);
    assert_int_equal(made.symbols.len, expected->symbols.len);
    for (size_t i = 0; i < made.symbols.len; i++)
        assert_int_equal(made.symbols.data[i], expected->symbols.data[i]);
    signature_data_release(&made);
}

static void feed_text(struct text_signer *signer, const struct buf *text, uint64_t *rng) {
    text_signer_begin(signer);
    for (size_t at = 0, step; at < text->len; at += step) {
        step = 1 + rng_below(rng, text->len - at);
        assert_int_equal(text_signer_feed(signer, text->data + at, step, NULL), STEMMA_OK);
    }
}

/* What is canonical already stays as it is: the windows are those of the document. */
static void test_windows_of_the_document(void **state) {
    static const char *const recipes[] = {"",
                                          "unit=line window=2",
                                          "unit=char window=9",
                                          "preset=code unit=line window=2",
                                          "preset=raw unit=byte",
                                          "preset=raw unit=char window=9",
                                          "fold=nfc+case unit=word",
                                          "fold=space+punct unit=word",
                                          "seed=3"};
    uint64_t rng = 3;
    (void)state;
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++) {
        struct stemma_recipe *recipe = recipe_of(recipes[r]);
        struct text_signer *signer;
        assert_int_equal(text_signer_new(&recipe->view, &form, &signer, NULL), STEMMA_OK);
        const bool splits = recipe->view.unit == UNIT_WORD && recipe->view.folds & FOLD_PUNCT;
        for (size_t round = 0; round < effort(60); round++) {
            struct buf source = random_text(&rng, rng_below(&rng, 2000), !splits),
                       text = canonical(recipe, &source);
            const struct kept_windows *kept;
            struct signature_data expected = sign_source(recipe, &source, false);
            feed_text(signer, &text, &rng);
            assert_int_equal(text_signer_finish(signer, &kept, NULL), STEMMA_OK);
            assert_same(kept, &expected);
            signature_data_release(&expected);
            buf_release(&source);
            buf_release(&text);
        }
        text_signer_free(signer);
        recipe_release(recipe);
    }
}

/* Of texts with letters that are words: those of what is joined, at places of the canonical text. */
static void test_windows_of_what_is_joined(void **state) {
    struct stemma_recipe *recipe = recipe_of(""), *characters = recipe_of("preset=raw unit=char window=5");
    struct text_signer_form placed = form;
    struct text_signer *signer;
    uint64_t rng = 4;
    (void)state;
    placed.placed = true;
    assert_int_equal(text_signer_new(&recipe->view, &placed, &signer, NULL), STEMMA_OK);
    for (size_t round = 0; round < effort(300); round++) {
        struct buf source = random_text(&rng, rng_below(&rng, 500), round % 5),
                   text = canonical(recipe, &source);
        size_t *places = calloc(text.len + 1, sizeof *places);
        struct buf plain = twin_joined(&text, places);
        struct signature_data expected = sign_source(characters, &plain, true);
        const struct kept_windows *kept;
        feed_text(signer, &text, &rng);
        assert_int_equal(text_signer_finish(signer, &kept, NULL), STEMMA_OK);
        if (round % 5 == 0) assert_int_equal(plain.len, text.len);
        assert_same(kept, &expected);
        assert_int_equal(kept->positions.len, kept->hashes.len);
        for (size_t i = 0; i < kept->positions.len; i++)
            assert_int_equal(kept->positions.data[i], places[expected.positions.data[i]]);
        signature_data_release(&expected);
        buf_release(&source);
        buf_release(&text);
        buf_release(&plain);
        free(places);
    }
    text_signer_free(signer);
    recipe_release(recipe);
    recipe_release(characters);
}

/* Without signs and spaces between them nothing is lost. */
static void test_what_was_set_off_is_joined(void **state) {
    static const char source[] = "abc\xe4\xb8\xad\xe6\x96\x87"
                                 "12\xe0\xb8\x81\xe0\xb8\xb2xyz";
    struct stemma_recipe *words = recipe_of("");
    struct buf text = {(uint8_t *)source, sizeof source - 1, 0}, by_words = canonical(words, &text);
    struct signature_data expected = sign_source(words, &text, false); /* by characters */
    struct text_signer *signer;
    const struct kept_windows *kept;
    (void)state;
    assert_true(by_words.len > text.len);
    assert_int_equal(text_signer_new(&words->view, &form, &signer, NULL), STEMMA_OK);
    assert_int_equal(text_signer_text(signer, by_words.data, by_words.len, &kept, NULL), STEMMA_OK);
    assert_same(kept, &expected);
    text_signer_free(signer);
    signature_data_release(&expected);
    buf_release(&by_words);
    recipe_release(words);
}

/* Longer than a piece of its own. */
static void test_long(void **state) {
    struct stemma_recipe *recipe = recipe_of("");
    struct text_signer *signer;
    const struct kept_windows *kept;
    uint64_t rng = 5;
    (void)state;
    assert_int_equal(text_signer_new(&recipe->view, &form, &signer, NULL), STEMMA_OK);
    struct buf source = random_text(&rng, 200000, true), text = canonical(recipe, &source);
    assert_int_equal(text_signer_text(signer, text.data, text.len, &kept, NULL), STEMMA_OK);
    struct signature_data whole = {0};
    assert_int_equal(kept_windows_at(kept, (struct signature_rate){1, 4096}, &whole, NULL), STEMMA_OK);
    whole.length = kept->length;
    whole.agree = kept->agree;
    feed_text(signer, &text, &rng);
    assert_int_equal(text_signer_finish(signer, &kept, NULL), STEMMA_OK);
    assert_same(kept, &whole);
    signature_data_release(&whole);
    buf_release(&source);
    buf_release(&text);
    text_signer_free(signer);
    recipe_release(recipe);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_of_the_document),
        cmocka_unit_test(test_windows_of_what_is_joined),
        cmocka_unit_test(test_what_was_set_off_is_joined),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
