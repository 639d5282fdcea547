/* The edit distance of documents: exact, estimated and from sketches, and what is said of the differences. */
#include "base/rng.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 20000 };

/* Words of random letters: every window is its own. */
static void write_words(char *out, size_t size, uint64_t seed) {
    for (size_t i = 0; i < size; i++) out[i] = rng_below(&seed, 6) ? (char)('a' + rng_below(&seed, 26)) : ' ';
}

struct sides {
    stemma_text *a, *b;
    stemma_alignment *alignment;
};

static struct sides sides_of(const char *recipe_text, const void *a, size_t a_size, const void *b,
                             size_t b_size) {
    struct sides sides;
    stemma_recipe *recipe;
    assert_int_equal(stemma_recipe_parse(recipe_text, &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_text_bytes(a, a_size, recipe, NULL, &sides.a, NULL), STEMMA_OK);
    assert_int_equal(stemma_text_bytes(b, b_size, recipe, NULL, &sides.b, NULL), STEMMA_OK);
    assert_int_equal(stemma_align_texts(sides.a, sides.b, NULL, NULL, &sides.alignment, NULL), STEMMA_OK);
    stemma_recipe_free(recipe);
    return sides;
}

static void sides_free(struct sides *sides) {
    stemma_alignment_free(sides->alignment);
    stemma_text_free(sides->a);
    stemma_text_free(sides->b);
}

static stemma_edit edit_of(const void *a, size_t a_size, const void *b, size_t b_size, stemma_edit_mode mode,
                           bool aligned) {
    struct sides sides = sides_of("preset=text", a, a_size, b, b_size);
    stemma_edit_options options = stemma_edit_options_default();
    stemma_edit edit;
    options.mode = mode;
    assert_int_equal(
        stemma_edit_texts(sides.a, sides.b, aligned ? sides.alignment : NULL, &options, NULL, &edit, NULL),
        STEMMA_OK);
    sides_free(&sides);
    return edit;
}

static stemma_edit edit_of_words(const char *a, const char *b, stemma_edit_mode mode, bool aligned) {
    return edit_of(a, strlen(a), b, strlen(b), mode, aligned);
}

/* ---- texts ---- */

/* No symbol sees one changed letter in thousands; the exact distance does. */
static void test_one_letter(void **state) {
    static char a[SIZE], b[SIZE];
    (void)state;
    write_words(a, SIZE, 1);
    memcpy(b, a, SIZE);
    size_t at = SIZE / 2;
    stemma_edit seen;
    do { /* where no symbol is touched */
        b[at] = a[at];
        while (a[++at] == ' ');
        b[at] = a[at] == 'z' ? 'y' : 'z';
        seen = edit_of(a, SIZE, b, SIZE, STEMMA_EDIT_ESTIMATE, false);
    } while (seen.distance.value > 0);
    assert_int_equal(seen.kind, STEMMA_EDITS_UNKNOWN);
    assert_true(seen.distance.high >= 1);
    for (int aligned = 0; aligned < 2; aligned++) {
        stemma_edit edit = edit_of(a, SIZE, b, SIZE, STEMMA_EDIT_EXACT, aligned);
        assert_true(edit.distance.exact && edit.distance.value == 1);
        assert_int_equal(edit.kind, STEMMA_EDITS_SCATTERED);
    }
}

static void test_the_same(void **state) {
    static char a[SIZE];
    (void)state;
    write_words(a, SIZE, 2);
    for (int mode = STEMMA_EDIT_AUTO; mode <= STEMMA_EDIT_ESTIMATE; mode++) {
        stemma_edit edit = edit_of(a, SIZE, a, SIZE, (stemma_edit_mode)mode, true);
        assert_true(edit.distance.exact && edit.distance.value == 0);
        assert_int_equal(edit.kind, STEMMA_EDITS_NONE);
        edit = edit_of_words("", "", (stemma_edit_mode)mode, true);
        assert_true(edit.distance.exact && edit.distance.value == 0);
        assert_int_equal(edit.kind, STEMMA_EDITS_NONE);
    }
    stemma_edit folded = edit_of_words("Some  Words,", "some words", STEMMA_EDIT_EXACT, true);
    assert_true(folded.distance.value == 0 && folded.kind == STEMMA_EDITS_NONE);
}

/* Too short for a signature: what is said comes of the distance. */
static void test_short_texts(void **state) {
    (void)state;
    for (int aligned = 0; aligned < 2; aligned++) {
        assert_int_equal(edit_of_words("a short line", "a short lime", STEMMA_EDIT_AUTO, aligned).kind,
                         aligned ? STEMMA_EDITS_SCATTERED : STEMMA_EDITS_UNKNOWN);
        assert_int_equal(edit_of_words("cat", "bat", STEMMA_EDIT_AUTO, aligned).kind,
                         aligned ? STEMMA_EDITS_SCATTERED : STEMMA_EDITS_UNKNOWN);
        assert_int_equal(edit_of_words("quick", "jumpy dogs", STEMMA_EDIT_AUTO, aligned).kind,
                         STEMMA_EDITS_UNRELATED);
    }
    stemma_edit edit = edit_of_words("cat", "bat", STEMMA_EDIT_ESTIMATE, false);
    assert_false(edit.distance.known);
    assert_non_null(edit.distance.why);
}

static void test_unrelated_texts(void **state) {
    static char a[SIZE], b[SIZE];
    (void)state;
    write_words(a, SIZE, 3);
    write_words(b, SIZE, 4);
    for (int mode = STEMMA_EDIT_AUTO; mode <= STEMMA_EDIT_ESTIMATE; mode++) {
        stemma_edit edit = edit_of(a, SIZE, b, SIZE, (stemma_edit_mode)mode, mode == STEMMA_EDIT_EXACT);
        assert_int_equal(edit.kind, STEMMA_EDITS_UNRELATED);
        assert_int_equal(edit.distance.exact, mode != STEMMA_EDIT_ESTIMATE);
        assert_true(edit.p_unrelated > .01);
    }
}

/* Every sixth character is another: no window is left, so the signatures see nothing,
 * but the distance does. */
static void test_kind_follows_the_distance(void **state) {
    static char a[SIZE], b[SIZE];
    (void)state;
    write_words(a, SIZE, 5);
    memcpy(b, a, SIZE);
    for (size_t i = 0; i < SIZE; i += 6) b[i] = a[i] == 'z' ? 'y' : 'z';
    assert_int_equal(edit_of(a, SIZE, b, SIZE, STEMMA_EDIT_ESTIMATE, false).kind, STEMMA_EDITS_UNRELATED);
    stemma_edit edit = edit_of(a, SIZE, b, SIZE, STEMMA_EDIT_EXACT, false);
    assert_true(edit.distance.value < SIZE / 4);
    assert_int_equal(edit.kind, STEMMA_EDITS_UNKNOWN);
}

/* The distance is above what was looked for, and the estimate is not below that. */
static void test_more_than(void **state) {
    static char a[SIZE], b[SIZE];
    stemma_edit_options options = stemma_edit_options_default();
    stemma_edit edit;
    (void)state;
    write_words(a, SIZE, 6);
    memcpy(b, a, SIZE);
    for (size_t i = 0; i < SIZE; i += 200)
        if (a[i] != ' ') b[i] = a[i] == 'z' ? 'y' : 'z';
    struct sides sides = sides_of("preset=text", a, SIZE, b, SIZE);
    for (options.at_most = 0; options.at_most < 50; options.at_most += 7) {
        options.mode = STEMMA_EDIT_EXACT;
        assert_int_equal(stemma_edit_texts(sides.a, sides.b, NULL, &options, NULL, &edit, NULL), STEMMA_OK);
        assert_false(edit.distance.exact);
        assert_true(edit.more_than >= options.at_most && edit.more_than < 100);
        assert_true(edit.distance.low > (double)edit.more_than && edit.distance.value >= edit.distance.low);
        assert_true(edit.distance.high >= edit.distance.value);
    }
    sides_free(&sides);
}

/* Characters take four bytes each: where they are not allowed, an exact distance is refused if it was asked
 * for. */
static void test_memory_is_limited(void **state) {
    enum { LONG = 40000 };
    static char a[LONG], b[LONG];
    stemma_edit_options options = stemma_edit_options_default();
    stemma_limits limits = stemma_limits_default();
    stemma_edit edit = {.blocks = 77};
    (void)state;
    write_words(a, LONG, 9);
    memcpy(b, a, LONG);
    b[LONG / 2] = '!';
    struct sides sides = sides_of("preset=text", a, LONG, b, LONG);
    limits.memory = 256 << 10;
    options.mode = STEMMA_EDIT_EXACT;
    assert_int_equal(stemma_edit_texts(sides.a, sides.b, NULL, &options, &limits, &edit, NULL),
                     STEMMA_UNSUPPORTED);
    assert_int_equal(edit.blocks, 77);
    options.mode = STEMMA_EDIT_AUTO;
    assert_int_equal(stemma_edit_texts(sides.a, sides.b, NULL, &options, &limits, &edit, NULL), STEMMA_OK);
    assert_true(edit.distance.known && !edit.distance.exact);
    sides_free(&sides);
}

/* ---- sketches ---- */

static stemma_edit edit_of_sketches(const char *recipe_text, const char *a, size_t a_size, const char *b,
                                    size_t b_size) {
    stemma_recipe *recipe;
    stemma_sketch *sa, *sb;
    stemma_comparison found;
    assert_int_equal(stemma_recipe_parse(recipe_text, &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_bytes(a, a_size, NULL, recipe, NULL, &sa, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_bytes(b, b_size, NULL, recipe, NULL, &sb, NULL), STEMMA_OK);
    assert_int_equal(stemma_compare_sketches(sa, sb, NULL, &found, NULL), STEMMA_OK);
    stemma_sketch_free(sa);
    stemma_sketch_free(sb);
    stemma_recipe_free(recipe);
    return found.edit;
}

static void test_digests_know_more(void **state) {
    static char a[SIZE], b[SIZE];
    const char *recipe = "preset=text; mod; signature c=1024";
    (void)state;
    write_words(a, SIZE, 7);
    stemma_edit edit = edit_of_sketches(recipe, a, SIZE, a, SIZE);
    assert_true(edit.distance.exact && edit.distance.value == 0 && edit.kind == STEMMA_EDITS_NONE);
    memcpy(b, a, SIZE);
    size_t at = SIZE / 2;
    do {
        b[at] = a[at];
        while (a[++at] == ' ');
        b[at] = a[at] == 'z' ? 'y' : 'z';
        edit = edit_of_sketches(recipe, a, SIZE, b, SIZE);
    } while (edit.distance.value > 0);
    assert_false(edit.distance.exact);
    assert_int_equal(edit.kind, STEMMA_EDITS_SCATTERED);
}

/* Chinese letters are words: spaces between them are not in the canonical text's tokens,
 * but they are edits. */
static void test_equal_words_are_not_equal_characters(void **state) {
    static const char a[] = "中文字很好看啊今天天气不错", b[] = "中文 字很好看啊今天天 气不错";
    (void)state;
    stemma_edit edit = edit_of_sketches("preset=text; mod; signature c=1", a, sizeof a - 1, b, sizeof b - 1);
    assert_false(edit.distance.exact);
    assert_true(edit.distance.low >= 2);
    edit = edit_of_sketches("preset=text unit=char; mod; signature c=1", a, sizeof a - 1, a, sizeof a - 1);
    assert_true(edit.distance.exact && edit.distance.value == 0);
}

/* Bits of the sums of windows are there for comparison with their paper; no distance is claimed of them. */
static void test_other_signatures_tell_no_distance(void **state) {
    static char a[SIZE];
    (void)state;
    write_words(a, SIZE, 8);
    stemma_edit edit = edit_of_sketches("preset=text; mod; signature2011", a, SIZE, a, SIZE);
    assert_false(edit.distance.known);
    assert_non_null(edit.distance.why);
    assert_int_equal(edit.kind, STEMMA_EDITS_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_letter),
        cmocka_unit_test(test_the_same),
        cmocka_unit_test(test_short_texts),
        cmocka_unit_test(test_unrelated_texts),
        cmocka_unit_test(test_kind_follows_the_distance),
        cmocka_unit_test(test_more_than),
        cmocka_unit_test(test_memory_is_limited),
        cmocka_unit_test(test_digests_know_more),
        cmocka_unit_test(test_equal_words_are_not_equal_characters),
        cmocka_unit_test(test_other_signatures_tell_no_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
