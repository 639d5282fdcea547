/*
 * Where two texts agree and differ, against obvious twins: applying the differences gives the other text, a
 * quadratic table says how few tokens need change, passages are equal runs that cannot be longer, places lead
 * back to the original, and hostile texts cost steps in proportion to their size.
 */
#include "align/tokens/gap.h"
#include "align/tokens/passages.h"
#include "align/tokens/readable.h"
#include "base/rng.h"
#include "effort.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- texts as numbers ---- */

/* Numbers below `kinds`, so few of them that they repeat. */
static struct id_text random_ids(uint64_t *state, size_t count, uint32_t kinds) {
    struct id_text text = {malloc((count + 1) * sizeof *text.ids), count};
    for (size_t i = 0; i < count; i++) text.ids[i] = (uint32_t)rng_below(state, kinds);
    return text;
}

/* The same text with some stretches deleted, inserted, replaced or moved. */
static struct id_text edited_ids(uint64_t *state, struct id_text from, unsigned edits, uint32_t kinds) {
    size_t room = from.count + edits * 40, count = from.count;
    uint32_t *ids = malloc((room + 1) * sizeof *ids), *cut = malloc((room + 1) * sizeof *ids);
    memcpy(ids, from.ids, count * sizeof *ids);
    for (unsigned e = 0; e < edits; e++) {
        size_t at = rng_below(state, count + 1), length = rng_below(state, 20), left = count - at;
        if (length > left) length = left;
        uint64_t kind = rng_below(state, 3);
        if (kind == 0) { /* delete */
            memmove(ids + at, ids + at + length, (left - length) * sizeof *ids);
            count -= length;
        } else if (kind == 1) { /* insert */
            memmove(ids + at + 5, ids + at, left * sizeof *ids);
            for (size_t i = 0; i < 5; i++) ids[at + i] = (uint32_t)rng_below(state, kinds);
            count += 5;
        } else { /* move to the front */
            memcpy(cut, ids + at, length * sizeof *ids);
            memmove(ids + length, ids, at * sizeof *ids);
            memcpy(ids, cut, length * sizeof *ids);
        }
    }
    free(cut);
    return (struct id_text){ids, count};
}

/* ---- twins ---- */

/* Tokens that have to change, by the table of longest common subsequences. */
static size_t twin_changes(struct id_text a, struct id_text b) {
    size_t *row = calloc(b.count + 1, sizeof *row);
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0, diagonal = 0; j < b.count; j++) {
            size_t above = row[j + 1];
            row[j + 1] = a.ids[i] == b.ids[j] ? diagonal + 1 : above > row[j] ? above : row[j];
            diagonal = above;
        }
    size_t changes = a.count + b.count - 2 * row[b.count];
    free(row);
    return changes;
}

static size_t count_changes(const struct hunk_list *list) {
    size_t changes = 0;
    for (size_t i = 0; i < list->count; i++)
        changes +=
            list->hunks[i].a_end - list->hunks[i].a_begin + list->hunks[i].b_end - list->hunks[i].b_begin;
    return changes;
}

/* Hunks are in order and apart, and a with its hunks replaced is b. */
static void check_hunks(const struct id_pair *pair, const struct hunk_list *list) {
    size_t a = 0, b = 0;
    for (size_t i = 0; i <= list->count; i++) {
        struct hunk end = {pair->a.count, pair->a.count, pair->b.count, pair->b.count};
        struct hunk hunk = i < list->count ? list->hunks[i] : end;
        assert_true(hunk.a_begin >= a && hunk.a_end >= hunk.a_begin && hunk.a_end <= pair->a.count);
        assert_true(hunk.b_begin >= b && hunk.b_end >= hunk.b_begin && hunk.b_end <= pair->b.count);
        assert_int_equal(hunk.a_begin - a, hunk.b_begin - b);
        if (i > 0 && i < list->count) assert_true(hunk.a_begin > a);
        if (i < list->count) assert_true(hunk.a_end > hunk.a_begin || hunk.b_end > hunk.b_begin);
        for (; a < hunk.a_begin; a++, b++) assert_int_equal(pair->a.ids[a], pair->b.ids[b]);
        a = hunk.a_end;
        b = hunk.b_end;
    }
}

/* Seams that sliding can be tested with: every seventh token begins a sentence. */
static unsigned seventh(const void *text, size_t token) {
    (void)text;
    return token % 7 == 0;
}
static bool is_even(const void *ids, size_t token) {
    return ((const uint32_t *)ids)[token] % 2 == 0;
}

static size_t length_of(const void *text, size_t token) {
    return ((const uint32_t *)text)[token] % 6 + 1;
}

/* ---- the alignment ---- */

static bool can_grow(const struct id_pair *pair, const bool *taken, size_t a, size_t b) {
    return a < pair->a.count && b < pair->b.count && pair->a.ids[a] == pair->b.ids[b] && !taken[b];
}

/* Equal, apart in b, sorted, long enough; a moved one is as long as it can be. */
static void check_runs(const struct id_pair *pair, const struct common_runs *runs, size_t least) {
    bool *taken = calloc(pair->b.count + 1, sizeof *taken);
    for (size_t i = 0; i < runs->count; i++) {
        struct common_run run = runs->runs[i];
        assert_true(run.length >= least && (i == 0 || run.length <= runs->runs[i - 1].length));
        for (size_t k = 0; k < run.length; k++) {
            assert_int_equal(pair->a.ids[run.a + k], pair->b.ids[run.b + k]);
            assert_false(taken[run.b + k]);
            taken[run.b + k] = true;
        }
    }
    for (size_t i = 0; i < runs->count; i++) {
        struct common_run run = runs->runs[i];
        if (!run.moved) continue;
        assert_false(can_grow(pair, taken, run.a + run.length, run.b + run.length));
        if (run.a && run.b) assert_false(can_grow(pair, taken, run.a - 1, run.b - 1));
    }
    free(taken);
}

/* Every run of `least` tokens of b that stands in a has a token in a passage, so long as it is not too
 * frequent. */
static void check_complete(const struct id_pair *pair, const struct common_runs *runs, size_t least) {
    bool *taken = calloc(pair->b.count + 1, sizeof *taken);
    for (size_t i = 0; i < runs->count; i++) memset(taken + runs->runs[i].b, true, runs->runs[i].length);
    for (size_t b = 0; b + least <= pair->b.count; b++) {
        bool is_free = true, stands_in_a = false;
        for (size_t k = 0; k < least; k++) is_free = is_free && !taken[b + k];
        for (size_t a = 0; a + least <= pair->a.count; a++)
            stands_in_a =
                stands_in_a || !memcmp(pair->a.ids + a, pair->b.ids + b, least * sizeof *pair->a.ids);
        assert_false(is_free && stands_in_a);
    }
    free(taken);
}

static void check_pair(struct id_pair *pair, size_t least) {
    struct hunk_list list;
    struct common_runs runs;
    pair->seed = 77;
    assert_int_equal(tokens_diff(pair, NULL, &list, NULL), STEMMA_OK);
    check_hunks(pair, &list);
    size_t changes = count_changes(&list), fewest = twin_changes(pair->a, pair->b);
    assert_true(changes >= fewest);
    if (pair->a.count + pair->b.count <= 128) assert_int_equal(changes, fewest); /* one small gap: exact */
    struct readable how = {pair->a.ids, pair->b.ids, seventh,
                           length_of,   is_even,     least - 1 < 3 ? least - 1 : 3};
    make_readable(pair, &how, &list);
    check_hunks(pair, &list);
    assert_true(count_changes(&list) <= 3 * changes);
    assert_int_equal(common_runs_find(pair, &list, least, NULL, &runs, NULL), STEMMA_OK);
    check_runs(pair, &runs, least);
    check_complete(pair, &runs, least);
    assert_int_equal(keep_moves_whole(&runs, &list, NULL), STEMMA_OK);
    check_hunks(pair, &list);
    common_runs_release(&runs);
    hunk_list_release(&list);
}

static void test_random_pairs(void **state) {
    (void)state;
    uint64_t rng = 5;
    for (size_t round = 0; round < effort(3000); round++) {
        uint32_t kinds = (uint32_t)(1 + rng_below(&rng, rng_below(&rng, 2) ? 4 : 300));
        struct id_pair pair = {.a = random_ids(&rng, rng_below(&rng, 64), kinds)};
        pair.b = rng_below(&rng, 2) ? random_ids(&rng, rng_below(&rng, 64), kinds)
                                    : edited_ids(&rng, pair.a, (unsigned)rng_below(&rng, 6), kinds);
        check_pair(&pair, 1 + rng_below(&rng, 8));
        free(pair.a.ids);
        free(pair.b.ids);
    }
}

/* Edited texts with many kinds of tokens: anchors do the work, and may cost a little. */
static void test_edited_pairs(void **state) {
    (void)state;
    uint64_t rng = 6;
    for (size_t round = 0; round < effort(60); round++) {
        struct id_pair pair = {.a = random_ids(&rng, 400 + rng_below(&rng, 600), 400), .seed = 3};
        pair.b = edited_ids(&rng, pair.a, (unsigned)rng_below(&rng, 20), 400);
        struct hunk_list list;
        assert_int_equal(tokens_diff(&pair, NULL, &list, NULL), STEMMA_OK);
        assert_true(count_changes(&list) * 10 <= twin_changes(pair.a, pair.b) * 12);
        hunk_list_release(&list);
        check_pair(&pair, 8);
        free(pair.a.ids);
        free(pair.b.ids);
    }
}

/* ---- cost ---- */

enum { HOSTILE = 200000 };

/* Tokens of a hostile text: place and which of the two texts, to a number. */
typedef uint32_t hostile_token(size_t at, bool second);

static uint32_t all_equal(size_t at, bool second) {
    return second && at == 77777;
}
static uint32_t periodic(size_t at, bool second) {
    return at % 5000 == 0 && second ? 9 : at % 2;
}
static uint32_t unrelated(size_t at, bool second) {
    return (uint32_t)(mix64(at * 2 + second) % 50000);
}
static uint32_t few_kinds(size_t at, bool second) {
    return (uint32_t)(mix64(at * 2 + second) % 3);
}
static uint32_t disjoint(size_t at, bool second) {
    return (uint32_t)(at % 1000 + (second ? 1000 : 0));
}
static uint32_t reversed(size_t at, bool second) {
    return (uint32_t)(second ? HOSTILE - at : at);
}
static uint32_t blocks_swapped(size_t at, bool second) {
    return (uint32_t)(mix64(second ? at ^ 1024 : at) % 100);
}
static uint32_t every_third(size_t at, bool second) {
    return (uint32_t)(at % 3 ? mix64(at) % 200 : mix64(at * 2 + second) % 200);
}

/* Steps for each token: those of a gap, of its anchors, and the places in a that are
 * tried for each run of b. */
enum { STEPS_PER_TOKEN = GAP_STEPS_FIRST + 64 };

static void check_cost(hostile_token *token) {
    size_t size = effort(HOSTILE);
    struct id_pair pair = {.seed = 99};
    struct hunk_list list;
    struct common_runs runs;
    pair.a = (struct id_text){malloc(size * sizeof(uint32_t)), size};
    pair.b = (struct id_text){malloc(size * sizeof(uint32_t)), size};
    for (size_t i = 0; i < size; i++) {
        pair.a.ids[i] = token(i, false);
        pair.b.ids[i] = token(i, true);
    }
    assert_int_equal(tokens_diff(&pair, NULL, &list, NULL), STEMMA_OK);
    check_hunks(&pair, &list);
    assert_int_equal(common_runs_find(&pair, &list, 8, NULL, &runs, NULL), STEMMA_OK);
    check_runs(&pair, &runs, 8);
    assert_true(list.steps + runs.steps < (uint64_t)STEPS_PER_TOKEN * 2 * size);
    common_runs_release(&runs);
    hunk_list_release(&list);
    free(pair.a.ids);
    free(pair.b.ids);
}

static void test_hostile_texts_cost_linear_work(void **state) {
    (void)state;
    hostile_token *const all[] = {all_equal, periodic, unrelated,      few_kinds,
                                  disjoint,  reversed, blocks_swapped, every_third};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_cost(all[i]);
}

/* ---- the public functions: places ---- */

struct texts {
    stemma_recipe *recipe;
    stemma_text *a, *b;
    stemma_alignment *alignment;
};

/* A part of a text, seen alone, must not be taken for another encoding. */
static stemma_limits as_utf8(void) {
    stemma_limits limits = stemma_limits_default();
    limits.encoding = STEMMA_ENCODING_UTF8;
    return limits;
}

static struct texts align_strings(const char *recipe, const char *a, size_t a_size, const char *b,
                                  size_t b_size, size_t least) {
    struct texts t;
    stemma_align_options options = stemma_align_options_default();
    stemma_limits limits = as_utf8();
    options.least = least;
    assert_int_equal(stemma_recipe_parse(recipe, &t.recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_text_bytes(a, a_size, t.recipe, &limits, &t.a, NULL), STEMMA_OK);
    assert_int_equal(stemma_text_bytes(b, b_size, t.recipe, &limits, &t.b, NULL), STEMMA_OK);
    assert_int_equal(stemma_align_texts(t.a, t.b, &options, NULL, &t.alignment, NULL), STEMMA_OK);
    return t;
}

static void release(struct texts *t) {
    stemma_alignment_free(t->alignment);
    stemma_text_free(t->a);
    stemma_text_free(t->b);
    stemma_recipe_free(t->recipe);
}

/* The line of a byte, counted the obvious way. */
static uint64_t twin_line(const char *source, uint64_t at) {
    uint64_t line = 1;
    for (uint64_t i = 0; i < at; i++) line += source[i] == '\n';
    return line;
}

/* The stretch of the original, made canonical again, is the tokens it is said to hold. */
static void check_place(const struct texts *t, const stemma_text *text, const stemma_place *place) {
    size_t size, again_size, whole_size;
    const char *source = stemma_text_source(text, &size), *whole = stemma_text_data(text, &whole_size);
    stemma_token first, last;
    stemma_text *again;
    stemma_limits limits = as_utf8();
    assert_true(place->begin <= place->end && place->end <= size);
    assert_int_equal(place->first_line, twin_line(source, place->begin));
    if (place->first_token == place->end_token) {
        assert_int_equal(place->begin, place->end);
        return;
    }
    assert_int_equal(place->last_line, twin_line(source, place->end - 1));
    assert_int_equal(stemma_text_token(text, place->first_token, &first, NULL), STEMMA_OK);
    assert_int_equal(stemma_text_token(text, place->end_token - 1, &last, NULL), STEMMA_OK);
    assert_int_equal(
        stemma_text_bytes(source + place->begin, place->end - place->begin, t->recipe, &limits, &again, NULL),
        STEMMA_OK);
    const char *canonical = stemma_text_data(again, &again_size);
    assert_int_equal(again_size, last.end - first.begin);
    assert_memory_equal(canonical, whole + first.begin, again_size);
    stemma_text_free(again);
}

static void check_places(const struct texts *t) {
    size_t count;
    const stemma_difference *differences = stemma_alignment_differences(t->alignment, &count);
    for (size_t i = 0; i < count; i++) {
        check_place(t, t->a, &differences[i].a);
        check_place(t, t->b, &differences[i].b);
    }
    const stemma_passage *shared = stemma_alignment_shared(t->alignment, &count);
    for (size_t i = 0; i < count; i++) {
        check_place(t, t->a, &shared[i].a);
        check_place(t, t->b, &shared[i].b);
        assert_int_equal(shared[i].a.end_token - shared[i].a.first_token, shared[i].tokens);
        assert_int_equal(shared[i].b.end_token - shared[i].b.first_token, shared[i].tokens);
    }
}

/* Words and what may stand between them: line ends of both kinds, dropped punctuation, characters of several
 * bytes, letters that compose, capitals, bytes that are not UTF-8, scripts without spaces. */
static size_t random_text(uint64_t *rng, char *out, size_t words) {
    static const char *const kinds[] = {"alpha",
                                        "Beta",
                                        "e\xCC\x81t\xC3\xA9",
                                        "\xE6\xBC\xA2\xE5\xAD\x97",
                                        "STRASSE",
                                        "stra\xC3\x9F"
                                        "e",
                                        "x",
                                        "co\xC2\xADop"};
    static const char *const gaps[] = {" ",  "\r\n",   "\n",  ", ", ".\r\n\r\n", " \xE2\x80\x94 ",
                                       "\t", " \xFF ", "\n\n"};
    size_t used = 0;
    for (size_t i = 0; i < words; i++) {
        const char *word = kinds[rng_below(rng, 8)], *gap = gaps[rng_below(rng, 9)];
        used += (size_t)sprintf(out + used, "%s%s", word, gap);
    }
    return used;
}

static void test_places_lead_back(void **state) {
    (void)state;
    static const char *const recipes[] = {"unit=word",
                                          "unit=line",
                                          "preset=code unit=word",
                                          "preset=code unit=line",
                                          "preset=raw unit=byte",
                                          "preset=raw unit=char",
                                          "preset=raw unit=line"};
    uint64_t rng = 8;
    for (size_t round = 0; round < effort(700); round++) {
        char a[1200], b[1200];
        size_t a_size = random_text(&rng, a, rng_below(&rng, 40)),
               b_size = random_text(&rng, b, rng_below(&rng, 40));
        struct texts t = align_strings(recipes[round % 7], a, a_size, b, b_size, 2);
        check_places(&t);
        release(&t);
    }
}

static void check_difference(const stemma_difference *d, stemma_change kind, const char *a, const char *in_a,
                             const char *b, const char *in_b) {
    assert_int_equal(d->kind, kind);
    assert_int_equal(d->a.end - d->a.begin, strlen(in_a));
    assert_memory_equal(a + d->a.begin, in_a, strlen(in_a));
    assert_int_equal(d->b.end - d->b.begin, strlen(in_b));
    assert_memory_equal(b + d->b.begin, in_b, strlen(in_b));
}

static void test_an_example(void **state) {
    (void)state;
    const char a[] = "The ship left.\r\nIt rained. It was LATE,\r\nand cold.\n";
    const char b[] = "The ship left! It rained.\nThe wind rose. It was late and very warm.\n";
    size_t count;
    struct texts t = align_strings("", a, strlen(a), b, strlen(b), 3);
    const stemma_difference *d = stemma_alignment_differences(t.alignment, &count);
    assert_int_equal(count, 2);
    check_difference(&d[0], STEMMA_CHANGE_INSERT, a, "", b, "The wind rose");
    check_difference(&d[1], STEMMA_CHANGE_REPLACE, a, "cold", b, "very warm");
    assert_int_equal(d[0].a.first_line, 2);
    assert_int_equal(d[0].b.first_line, 2);
    assert_int_equal(d[1].a.first_line, 3);
    const stemma_passage *shared = stemma_alignment_shared(t.alignment, &count);
    assert_int_equal(count, 2);
    assert_int_equal(shared[0].tokens, 5);
    assert_false(shared[0].moved);
    release(&t);
}

/* "It rained." returns: the sentence is what was inserted, not a piece of two. */
static void test_changes_slide_to_sentences(void **state) {
    (void)state;
    const char a[] = "We sailed. The sea was calm. We slept.";
    const char b[] = "We sailed. The sea was calm. The sky was clear. We slept.";
    size_t count;
    struct texts t = align_strings("", a, strlen(a), b, strlen(b), 8);
    const stemma_difference *d = stemma_alignment_differences(t.alignment, &count);
    assert_int_equal(count, 1);
    check_difference(&d[0], STEMMA_CHANGE_INSERT, a, "", b, "The sky was clear");
    release(&t);
}

static void test_a_moved_paragraph(void **state) {
    (void)state;
    const char moved[] = "the quick brown fox jumps over the lazy dog again",
               rest[] = "one two three four five six seven eight nine ten "
                        "eleven twelve thirteen fourteen fifteen sixteen";
    char a[300], b[300];
    size_t count;
    sprintf(a, "%s. %s", moved, rest);
    sprintf(b, "%s. %s", rest, moved);
    struct texts t = align_strings("", a, strlen(a), b, strlen(b), 8);
    const stemma_passage *shared = stemma_alignment_shared(t.alignment, &count);
    assert_int_equal(count, 2);
    assert_false(shared[0].moved);
    assert_true(shared[1].moved);
    assert_int_equal(shared[1].a.begin, 0);
    assert_int_equal(shared[1].b.end, strlen(b));
    release(&t);
}

static void test_refusals(void **state) {
    (void)state;
    struct texts t = align_strings("", "a b", 3, "", 0, 8),
                 other = align_strings("preset=raw unit=byte", "a", 1, "", 0, 8);
    stemma_alignment *alignment = NULL;
    stemma_align_options unset = {0};
    stemma_error error;
    int stop = 1;
    stemma_limits limits = stemma_limits_default();
    assert_int_equal(stemma_align_texts(t.a, NULL, NULL, NULL, &alignment, &error), STEMMA_INVALID);
    assert_int_equal(stemma_align_texts(t.a, t.b, &unset, NULL, &alignment, &error), STEMMA_INVALID);
    assert_int_equal(stemma_align_texts(t.a, other.a, NULL, NULL, &alignment, &error), STEMMA_MISMATCH);
    limits.stop = &stop;
    assert_int_equal(stemma_align_texts(t.a, t.b, NULL, &limits, &alignment, &error), STEMMA_INTERRUPTED);
    assert_null(alignment);
    stemma_alignment_free(NULL);
    release(&t);
    release(&other);
}

static void test_too_many_tokens(void **state) {
    (void)state;
    size_t size = 1 << 14;
    char *bytes = calloc(size, 1);
    struct texts t = align_strings("preset=raw unit=byte", bytes, size, bytes, size, 8);
    stemma_alignment *alignment = NULL;
    stemma_limits little = stemma_limits_default();
    little.memory = 1 << 18;
    assert_int_equal(stemma_align_texts(t.a, t.b, NULL, &little, &alignment, NULL), STEMMA_UNSUPPORTED);
    release(&t);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_edited_pairs),
        cmocka_unit_test(test_hostile_texts_cost_linear_work),
        cmocka_unit_test(test_places_lead_back),
        cmocka_unit_test(test_an_example),
        cmocka_unit_test(test_changes_slide_to_sentences),
        cmocka_unit_test(test_a_moved_paragraph),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_many_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
