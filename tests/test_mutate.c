/*
 * Mutations say truly what they did: applying the operations gives the result, and the counts agree with the
 * exact edit distance.
 */
#include "base/rng.h"
#include "effort.h"
#include "mutate/units.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char english[] =
    "It was the best of times, it was the worst of times; it was the age of wisdom.\n"
    "It was the age of foolishness, it was the epoch of belief -- it was the epoch\n"
    "of incredulity, it was the season of Light.\n"
    "\n"
    "There were a king with a large jaw and a queen with a plain face, on the\n"
    "throne of England;\n"
    "\n"
    "  in both countries it was clearer than crystal to the lords of the State\n"
    "preserves of loaves and fishes, that things in general were settled for ever.\n";
static const char chinese[] = "第一条 为了规范行政许可的设定和实施，保护公民的合法权益。\n"
                              "维护公共利益和社会秩序，保障和监督行政机关有效实施行政管理。\n"
                              "根据宪法，制定本法。第二条 本法所称行政许可，是指行政机关。\n";
static const char russian[] = "Все счастливые семьи похожи друг на друга, каждая Несчастливая семья\n"
                              "несчастлива по-своему. Всё смешалось в доме Облонских.\n";
static const char broken[] =
    "caf\xe9 na\xc3\xafve \xff\xfe bytes \xe4\xb8 cut, and more words behind them \xe4";

static const struct text {
    const char *data;
    size_t size;
} texts[] = {{english, sizeof english - 1},
             {chinese, sizeof chinese - 1},
             {russian, sizeof russian - 1},
             {broken, sizeof broken - 1},
             {"", 0},
             {"one", 3},
             {"\n\n\n", 3},
             {"...", 3},
             {"a\nb\nc", 5}};
enum { TEXTS = sizeof texts / sizeof *texts, VALID_TEXTS = 3 };

static stemma_mutated *mutated_of(struct text text, stemma_mutation mutation) {
    stemma_mutated *mutated;
    stemma_error error;
    mutation.other = russian;
    mutation.other_size = sizeof russian - 1;
    assert_int_equal(stemma_mutate(text.data, text.size, &mutation, &mutated, &error), STEMMA_OK);
    return mutated;
}

static uint64_t distance(struct text a, const stemma_mutated *mutated) {
    size_t size;
    uint64_t out;
    const char *b = stemma_mutated_text(mutated, &size);
    assert_int_equal(
        stemma_distance(a.data, a.size, b, size, STEMMA_EDIT_CHARACTERS, UINT64_MAX, NULL, &out, NULL),
        STEMMA_OK);
    return out;
}

static bool is_utf8(const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        struct sign sign = sign_at((const uint8_t *)text, size, at);
        if (sign.cp == UTF8_INVALID) return false;
        at += sign.size;
    }
    return true;
}

/* What stands between operations is the same in both, as long as nothing moved. */
static void check_operations(struct text a, const stemma_mutated *mutated) {
    size_t count, b_size, a_at = 0, b_at = 0;
    const char *b = stemma_mutated_text(mutated, &b_size);
    const stemma_operation *operations = stemma_mutated_operations(mutated, &count);
    for (size_t i = 0; i <= count; i++) {
        stemma_operation end = {.a_begin = a.size, .b_begin = b_size};
        stemma_operation o = i < count ? operations[i] : end;
        if (o.kind == STEMMA_OPERATION_MOVE) {
            assert_int_equal(o.a_end - o.a_begin, o.b_end - o.b_begin);
            assert_memory_equal(a.data + o.a_begin, b + o.b_begin, o.a_end - o.a_begin);
            continue;
        }
        if (stemma_mutated_get_info(mutated).moved) continue;
        assert_int_equal(o.a_begin - a_at, o.b_begin - b_at);
        if (o.a_begin > a_at) assert_memory_equal(a.data + a_at, b + b_at, o.a_begin - a_at);
        assert_true(o.kind != STEMMA_OPERATION_INSERT || i == count || o.a_begin == o.a_end);
        assert_true(o.kind != STEMMA_OPERATION_DELETE || o.b_begin == o.b_end);
        a_at = o.a_end;
        b_at = o.b_end;
    }
}

/* Insertions alone, or deletions alone: no shorter way than the one that was taken. */
static bool is_shortest(const stemma_mutated *mutated) {
    size_t count, of_kind[4] = {0};
    const stemma_operation *operations = stemma_mutated_operations(mutated, &count);
    for (size_t i = 0; i < count; i++) of_kind[operations[i].kind]++;
    return of_kind[STEMMA_OPERATION_INSERT] == count || of_kind[STEMMA_OPERATION_DELETE] == count;
}

static void check_one(struct text text, bool valid, stemma_mutation mutation) {
    stemma_mutated *mutated = mutated_of(text, mutation);
    stemma_mutated_info info = stemma_mutated_get_info(mutated);
    size_t size;
    const char *result = stemma_mutated_text(mutated, &size);
    check_operations(text, mutated);
    if (valid) assert_true(is_utf8(result, size));
    uint64_t edits = distance(text, mutated);
    if (info.moved)
        assert_true(edits <= info.edits + 2 * info.moved);
    else if (is_shortest(mutated))
        assert_int_equal(edits, info.edits);
    else
        assert_true(edits <= info.edits);
    stemma_mutated_free(mutated);
}

/* ---- operations that are told and not kept ---- */

struct told {
    const stemma_operation *kept;
    size_t count, most;
};

static stemma_status compare_told(void *context, const stemma_operation *operation, stemma_error *error) {
    struct told *told = context;
    if (told->count == told->most) {
        snprintf(error->message, sizeof error->message, "enough");
        return error->status = STEMMA_INTERRUPTED;
    }
    const stemma_operation *kept = &told->kept[told->count++];
    assert_int_equal(operation->kind, kept->kind);
    assert_int_equal(operation->a_begin, kept->a_begin);
    assert_int_equal(operation->a_end, kept->a_end);
    assert_int_equal(operation->b_begin, kept->b_begin);
    assert_int_equal(operation->b_end, kept->b_end);
    return STEMMA_OK;
}

static void test_operations_are_told(void **state) {
    (void)state;
    for (int kind = 0; kind < STEMMA_MUTATION_KINDS; kind++) {
        stemma_mutation mutation = stemma_mutation_default();
        stemma_error error;
        size_t count, none;
        mutation.kind = (stemma_mutation_kind)kind;
        mutation.share = .5;
        stemma_mutated *kept = mutated_of(texts[0], mutation), *told_of;
        struct told told = {.kept = stemma_mutated_operations(kept, &count), .most = SIZE_MAX};
        mutation.take = compare_told;
        mutation.context = &told;
        told_of = mutated_of(texts[0], mutation);
        assert_int_equal(told.count, count);
        stemma_mutated_operations(told_of, &none);
        assert_int_equal(none, 0);
        told = (struct told){.kept = told.kept, .most = count - 1};
        mutation.other = russian;
        mutation.other_size = sizeof russian - 1;
        stemma_mutated *untouched = told_of;
        assert_int_equal(stemma_mutate(texts[0].data, texts[0].size, &mutation, &untouched, &error),
                         STEMMA_INTERRUPTED);
        assert_string_equal(error.message, "enough");
        assert_ptr_equal(untouched, told_of);
        stemma_mutated_free(kept);
        stemma_mutated_free(told_of);
    }
}

static void test_every_kind_says_the_truth(void **state) {
    (void)state;
    static const double shares[] = {0, .02, .1, .5, 1};
    uint64_t rounds = (uint64_t)effort(20), chance = 1;
    for (int kind = 0; kind < STEMMA_MUTATION_KINDS; kind++)
        for (size_t i = 0; i < TEXTS; i++)
            for (uint64_t round = 0; round < rounds; round++) {
                stemma_mutation mutation = stemma_mutation_default();
                mutation.kind = (stemma_mutation_kind)kind;
                mutation.share = shares[round % 5];
                mutation.count = round % 3 ? 0 : 1 + rng_below(&chance, 40);
                mutation.blocks = 1 + (uint32_t)rng_below(&chance, 4);
                mutation.columns = 1 + (uint32_t)rng_below(&chance, 60);
                mutation.seed = round;
                check_one(texts[i], i < VALID_TEXTS, mutation);
            }
}

static stemma_mutated *make(const char *text, stemma_mutation_kind kind, uint64_t count, double share) {
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = kind;
    mutation.count = count;
    mutation.share = share;
    mutation.seed = 3;
    return mutated_of((struct text){text, strlen(text)}, mutation);
}

static void expect_text(stemma_mutated *mutated, const char *expected) {
    size_t size;
    const char *text = stemma_mutated_text(mutated, &size);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(text, expected, size);
    stemma_mutated_free(mutated);
}

static void test_insertions_are_as_many_as_asked(void **state) {
    (void)state;
    for (uint64_t count = 1; count < 300; count += 37) {
        stemma_mutated *mutated = make(english, STEMMA_MUTATE_INSERT, count, 0);
        assert_int_equal(stemma_mutated_get_info(mutated).changed, count);
        assert_int_equal(distance(texts[0], mutated), 2 * count);
        stemma_mutated_free(mutated);
    }
    expect_text(make("one two three four", STEMMA_MUTATE_INSERT_EVENLY, 2, 0), "one a two three a four");
    expect_text(make("", STEMMA_MUTATE_INSERT, 2, 0), "a a ");
}

static void test_amounts_are_true(void **state) {
    (void)state;
    static const char hundred[] =
        "abcdefghij klmnopqrst uvwxyzabcd efghijklmn opqrstuvwx yzabcdefgh ijklmnopqr "
        "stuvwxyzab cdefghijkl";
    stemma_mutated *mutated = make(hundred, STEMMA_MUTATE_SUBSTITUTE, 0, .1);
    stemma_mutated_info info = stemma_mutated_get_info(mutated);
    assert_int_equal(info.available, 98);
    assert_int_equal(info.changed, 10);
    assert_int_equal(info.edits, 10);
    stemma_mutated_free(mutated);

    mutated = make(hundred, STEMMA_MUTATE_REMOVE_WORDS, 3, 0);
    info = stemma_mutated_get_info(mutated);
    assert_int_equal(info.available, 9);
    assert_int_equal(info.changed, 3);
    stemma_mutated_free(mutated);

    expect_text(make(hundred, STEMMA_MUTATE_REMOVE_WORDS, 100, 0), "");
    expect_text(make("1\n2\n3", STEMMA_MUTATE_DELETE_LINES, 3, 0), "");
    expect_text(make("1\n2\n3", STEMMA_MUTATE_DELETE_BLOCKS, 3, 0), "");
    expect_text(make("one two", STEMMA_MUTATE_CUT, 9, 0), "");
}

static void test_layout(void **state) {
    (void)state;
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = STEMMA_MUTATE_REWRAP;
    mutation.columns = 9;
    expect_text(mutated_of((struct text){"one two\nthree four\n\nfive six\n", 29}, mutation),
                "one two\nthree\nfour\n\nfive six\n");
    mutation.columns = 4;
    const char *wide = "规范行政许\n可的。设";
    expect_text(mutated_of((struct text){wide, strlen(wide)}, mutation), "规范行政\n许可的。\n设");
    expect_text(make("one\n\ntwo", STEMMA_MUTATE_SHUFFLE, 2, 0), "two\n\none");
    expect_text(make("one\ntwo\n", STEMMA_MUTATE_SHUFFLE, 2, 0), "two\none\n");
}

static void test_signs(void **state) {
    (void)state;
    expect_text(make("Tom sagt ÄRGER, и ёж 中", STEMMA_MUTATE_CASE, 0, 1), "tom SAGT ärger, И ЁЖ 中");
    stemma_mutated *mutated = make(chinese, STEMMA_MUTATE_PUNCTUATION, 0, 1);
    assert_int_equal(stemma_mutated_get_info(mutated).changed, 8);
    stemma_mutated_free(mutated);
}

/* Case, punctuation and line ends are nothing to the default view. */
static void test_what_the_default_view_folds(void **state) {
    (void)state;
    static const stemma_mutation_kind kinds[] = {STEMMA_MUTATE_REWRAP, STEMMA_MUTATE_CASE,
                                                 STEMMA_MUTATE_PUNCTUATION};
    for (size_t i = 0; i < VALID_TEXTS * 3; i++) {
        stemma_mutated *mutated = make(texts[i / 3].data, kinds[i % 3], 0, 1);
        stemma_comparison comparison;
        size_t size;
        const char *text = stemma_mutated_text(mutated, &size);
        assert_int_equal(stemma_compare_bytes(texts[i / 3].data, texts[i / 3].size, text, size, NULL, NULL,
                                              NULL, &comparison, NULL),
                         STEMMA_OK);
        assert_true(comparison.relation <= STEMMA_SAME_TEXT); /* or identical: the lines may fit already */
        stemma_mutated_free(mutated);
    }
}

static void test_the_same_for_ever(void **state) {
    (void)state;
    static const char fox[] = "The quick brown fox jumps over the lazy dog";
    expect_text(make(fox, STEMMA_MUTATE_OCR, 5, 0), "Tbe qnick brown fox jumps oer thc lay dog");
    expect_text(make(fox, STEMMA_MUTATE_SUBSTITUTE, 5, 0), "Thm quicu brdwn foo jumps over the fazy dog");
    expect_text(make(fox, STEMMA_MUTATE_INSERT, 5, 0),
                "a The quick a brown a a fox jumps over the lazy a dog");
    expect_text(make(fox, STEMMA_MUTATE_EXCERPT, 5, 0), "fox jumps over the lazy");
}

/* Words that are left out, and the 18 words of the other text that are put around. */
static void test_changed_words_of_a_passage(void **state) {
    (void)state;
    stemma_mutation mutation = stemma_mutation_default();
    static const struct {
        stemma_mutation_kind kind;
        uint64_t count, changed;
    } cases[] = {{STEMMA_MUTATE_EXCERPT, 4, 0},
                 {STEMMA_MUTATE_EXCERPT, 1, 3},
                 {STEMMA_MUTATE_EMBED, 4, 18},
                 {STEMMA_MUTATE_EMBED, 1, 21}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mutation.kind = cases[i].kind;
        mutation.count = cases[i].count;
        stemma_mutated *mutated = mutated_of((struct text){"one two three four", 18}, mutation);
        assert_int_equal(stemma_mutated_get_info(mutated).changed, cases[i].changed);
        stemma_mutated_free(mutated);
    }
}

static void test_wrong_use(void **state) {
    (void)state;
    stemma_mutated *mutated = NULL;
    stemma_error error;
    stemma_mutation mutation = stemma_mutation_default();
    mutation.share = 1.5;
    assert_int_equal(stemma_mutate("x", 1, &mutation, &mutated, &error), STEMMA_INVALID);
    mutation = stemma_mutation_default();
    mutation.kind = STEMMA_MUTATE_EMBED;
    assert_int_equal(stemma_mutate("x", 1, &mutation, &mutated, &error), STEMMA_INVALID);
    assert_string_equal(error.message, "embed needs another text");
    mutation.kind = (stemma_mutation_kind)STEMMA_MUTATION_KINDS;
    assert_int_equal(stemma_mutate("x", 1, &mutation, &mutated, &error), STEMMA_INVALID);
    mutation = stemma_mutation_default();
    mutation.count = UINT64_MAX;
    assert_int_equal(stemma_mutate("x", 1, &mutation, &mutated, &error), STEMMA_INVALID);
    assert_int_equal(stemma_mutate(NULL, 1, NULL, &mutated, &error), STEMMA_INVALID);
    assert_null(mutated);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_says_the_truth),
        cmocka_unit_test(test_operations_are_told),
        cmocka_unit_test(test_insertions_are_as_many_as_asked),
        cmocka_unit_test(test_amounts_are_true),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_what_the_default_view_folds),
        cmocka_unit_test(test_the_same_for_ever),
        cmocka_unit_test(test_changed_words_of_a_passage),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
