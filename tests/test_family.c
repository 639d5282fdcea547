/* Family trees: each part against its definition, and whole families with a history that is known. */
#include "base/alloc.h"
#include "base/rng.h"
#include "effort.h"
#include "family/arrange.h"
#include "family/family.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- variants: against counting one by one ---- */

enum { SETS = 7, UNIVERSE = 300 };

struct sets {
    bool has[SETS][UNIVERSE];
};

static void draw_sets(struct sets *sets, uint64_t *seed) {
    for (size_t i = 0; i < SETS; i++)
        for (size_t k = 0; k < UNIVERSE; k++) sets->has[i][k] = rng_below(seed, 3) || k % 50 == 0;
}

static void add_sets(const struct sets *sets, struct variants_maker *maker, bool backwards) {
    for (size_t n = 0; n < SETS; n++)
        for (size_t m = 0; m < UNIVERSE; m++) {
            size_t i = backwards ? SETS - 1 - n : n, k = backwards ? UNIVERSE - 1 - m : m;
            uint64_t fp[2] = {k, k};
            if (sets->has[i][k])
                assert_int_equal(variants_add(maker, i, fp, 1 + (k % 3 == 0), NULL), STEMMA_OK);
        }
}

static struct variants variants_of(const struct sets *sets, bool backwards) {
    struct variants_maker maker;
    struct variants v;
    variants_maker_init(&maker, SETS);
    add_sets(sets, &maker, backwards);
    assert_int_equal(variants_finish(&maker, &v, NULL), STEMMA_OK);
    variants_maker_release(&maker);
    return v;
}

static uint64_t count(const struct sets *s, size_t a, size_t b, size_t c, unsigned pattern) {
    uint64_t found = 0;
    for (size_t k = 0; k < UNIVERSE; k++)
        found += (unsigned)(s->has[a][k] | s->has[b][k] << 1 | s->has[c][k] << 2) == pattern;
    return found;
}

static void variants_count_exactly(void **state) {
    (void)state;
    struct sets sets;
    uint64_t seed = 1;
    for (size_t trial = 0; trial < effort(20); trial++) {
        draw_sets(&sets, &seed);
        struct variants v = variants_of(&sets, trial % 2);
        assert_int_equal(v.inverse, 1);
        for (size_t a = 0; a < SETS; a++)
            for (size_t b = 0; b < SETS; b++)
                for (size_t c = 0; c < SETS; c++) {
                    if (a == b || b == c || a == c) continue;
                    struct trio t = variants_trio(&v, a, b, c);
                    assert_int_equal(t.a, count(&sets, a, b, c, 1));
                    assert_int_equal(t.b, count(&sets, a, b, c, 2));
                    assert_int_equal(t.ab, count(&sets, a, b, c, 3));
                    assert_int_equal(t.c, count(&sets, a, b, c, 4));
                    assert_int_equal(t.ac, count(&sets, a, b, c, 5));
                    assert_int_equal(t.bc, count(&sets, a, b, c, 6));
                    assert_int_equal(variants_lost(&v, a, b), t.a + t.ac);
                }
        variants_release(&v);
    }
}

/* More than fit are sampled: sizes are met within a few percent, whoever came first. */
static void variants_sample(void **state) {
    (void)state;
    enum { BLOCK = 1000 };
    const uint64_t each = 700 * BLOCK;
    struct variants found[2];
    for (size_t turn = 0; turn < 2; turn++) {
        struct variants_maker maker;
        variants_maker_init(&maker, 2);
        for (uint64_t i = 0; i < each; i += BLOCK)
            for (size_t k = 0; k < 2; k++) {
                size_t member = turn ? 1 - k : k;
                uint64_t fp[BLOCK];
                for (size_t n = 0; n < BLOCK; n++) fp[n] = i + n + member * each / 2;
                assert_int_equal(variants_add(&maker, member, fp, BLOCK, NULL), STEMMA_OK);
            }
        assert_int_equal(variants_finish(&maker, &found[turn], NULL), STEMMA_OK);
        variants_maker_release(&maker);
    }
    assert_true(found[0].inverse > 1);
    assert_int_equal(found[0].inverse, found[1].inverse);
    assert_int_equal(variants_lost(&found[0], 0, 1), variants_lost(&found[1], 0, 1));
    double lost = (double)variants_lost(&found[0], 0, 1);
    assert_true(fabs(lost / ((double)each / 2) - 1) < .03);
    variants_release(&found[0]);
    variants_release(&found[1]);
}

/* ---- clues ---- */

static struct clues clues_of(const char *text) {
    struct clues clues = {0};
    assert_int_equal(clues_find(&clues, (const uint8_t *)text, strlen(text), NULL), STEMMA_OK);
    return clues;
}

static struct evidence weigh(const char *older, const char *younger) {
    struct clues a = clues_of(older), b = clues_of(younger);
    struct evidence e = clues_weigh(&a, &b), back = clues_weigh(&b, &a);
    assert_int_equal(e.years, -back.years);
    assert_int_equal(e.numbers, -back.numbers);
    assert_int_equal(e.dates, -back.dates);
    assert_int_equal(e.replaced, back.replaced);
    clues_release(&a);
    clues_release(&b);
    return e;
}

static void clues_tell_age(void **state) {
    (void)state;
    struct evidence e = weigh("all rights reserved 1999 by us", "all rights reserved 2003 by us");
    assert_int_equal(e.years, 1);
    assert_int_equal(e.dates, 1);
    e = weigh("this is version 9 of it", "this is version 10 of it");
    assert_int_equal(e.numbers, 1);
    assert_int_equal(e.replaced, 1);
    assert_int_equal(e.years, 0);
    e = weigh("see the page 3 or see the page 4", "see the page 5 or see the page 6");
    assert_int_equal(e.replaced,
                     0); /* of two numbers behind the same words, nobody knows which became which */
    assert_int_equal(weigh("a line of the page 1", "a line of the page 12 and on").numbers, 0); /* cut off */
    static const char *const dated[][2] = {{"on 2019 05 30 x", "on 2019 06 01 x"},
                                           {"at 30 May 2019 x", "x 1 june 2019"},
                                           {"may 30 2019", "june 1 2019"},
                                           {"30 de mayo de 2019", "1 de junio de 2019"},
                                           {"2019 年 5 月 30 日", "2019 年 6 月 1 日"},
                                           {"nothing here", "in 1984"}};
    for (size_t i = 0; i < sizeof dated / sizeof *dated; i++)
        assert_int_equal(weigh(dated[i][0], dated[i][1]).dates, 1);
    assert_int_equal(weigh("", "").dates, 0);
    assert_int_equal(weigh("same 2019", "same 2019").dates, 0);
    assert_int_equal(weigh("the year 12345 and 1234567890", "the year 12346 and 1234567899").years, 0);
}

/* A document of numbers costs no more memory than another. */
static void clues_are_bounded(void **state) {
    (void)state;
    size_t size = 0, room = 4 << 20;
    char *text = malloc(room);
    for (unsigned i = 0; size < room - 64; i++)
        size += (size_t)sprintf(text + size, "w%u x%u y%u %u 20%02u ", i, i, i, i, i % 100);
    struct clues clues = {0};
    assert_int_equal(clues_find(&clues, (uint8_t *)text, size, NULL), STEMMA_OK);
    assert_true(clues.sites.len <= 4096 && clues.dates.len <= 256);
    clues_release(&clues);
    free(text);
}

/* ---- scores ---- */

static void logarithms_are_right(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (uint64_t x = 1; x < 100000; x++) {
        double exact = 1024 * log2((double)x);
        assert_true(log2_fixed(x) <= exact + 1e-6 && log2_fixed(x) > exact - 1.5);
    }
    for (int i = 0; i < 1000; i++) {
        uint64_t x = rng_next(&seed) >> rng_below(&seed, 60) | 1;
        assert_true(fabs(log2_fixed(x) - 1024 * log2((double)x)) < 1.5);
    }
}

/* ---- arranging: against all trees that there are ---- */

enum { FEW = 5 };

struct full {
    struct kinship kinship;
    struct kin kin[FEW * (FEW - 1)];
    size_t first[FEW + 1];
};

static void draw_full(struct full *full, size_t members, uint64_t *seed) {
    full->kinship = (struct kinship){members, full->kin, full->first};
    full->first[0] = 0;
    for (size_t i = 0; i < members; i++) {
        size_t at = full->first[i];
        for (size_t k = 0; k < members; k++)
            if (k != i) full->kin[at++] = (struct kin){.member = (uint32_t)k};
        full->first[i + 1] = at;
    }
    for (size_t i = 0; i < members; i++)
        for (size_t k = 0; k < i; k++) {
            struct kin *there = (struct kin *)kin_find(&full->kinship, i, k),
                       *back = (struct kin *)kin_find(&full->kinship, k, i);
            there->bond = back->bond = rng_below(seed, 3) ? -(int32_t)rng_below(seed, 5 * BIT) : 0;
            there->direction = (int32_t)rng_below(seed, 4 * BIT) - 2 * BIT;
            back->direction = -there->direction;
        }
}

static bool is_tree(const uint32_t *parent, size_t members) {
    size_t roots = 0;
    for (size_t i = 0; i < members; i++) {
        size_t at = i, steps = 0;
        roots += parent[i] == NO_MEMBER;
        while (parent[at] != NO_MEMBER && steps <= members) at = parent[at], steps++;
        if (steps > members) return false;
    }
    return roots == 1;
}

static int64_t best_score(const struct kinship *kinship) {
    size_t members = kinship->members, ways = 1;
    int64_t best = INT64_MIN;
    for (size_t i = 0; i < members; i++) ways *= members; /* its own number: the root */
    for (size_t way = 0; way < ways; way++) {
        uint32_t parent[FEW];
        for (size_t i = 0, rest = way; i < members; i++, rest /= members)
            parent[i] = rest % members == i ? NO_MEMBER : (uint32_t)(rest % members);
        if (!is_tree(parent, members)) continue;
        int64_t score = arrangement_score(kinship, parent);
        if (score > best) best = score;
    }
    return best;
}

static int64_t score_from(const struct kinship *kinship, const uint32_t *parent, uint32_t root,
                          uint32_t *turned) {
    memcpy(turned, parent, kinship->members * sizeof *turned);
    for (uint32_t at = root, above = NO_MEMBER; at != NO_MEMBER;) {
        uint32_t next = parent[at];
        turned[at] = above;
        above = at;
        at = next;
    }
    return arrangement_score(kinship, turned);
}

/* By their definition: every root by its score. */
static void facings_are_right(const struct kinship *kinship, const struct arrangement *found) {
    double all = 0, same[FEW] = {0};
    for (uint32_t root = 0; root < found->members; root++) {
        uint32_t turned[FEW];
        double chance = exp2(CHANCE * (double)score_from(kinship, found->parent, root, turned) / BIT);
        all += chance;
        for (size_t i = 0; i < found->members; i++) same[i] += turned[i] == found->parent[i] ? chance : 0;
    }
    for (size_t i = 0; i < found->members; i++)
        if (i != found->root) assert_true(fabs(found->facing[i] - same[i] / all) < 1e-6);
}

static void arrangements_are_nearly_best(void **state) {
    (void)state;
    uint64_t seed = 3;
    size_t trials = effort(400), missed = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        struct full full;
        struct arrangement found;
        draw_full(&full, 1 + rng_below(&seed, FEW), &seed);
        assert_int_equal(arrange(&found, &full.kinship, NULL, NULL), STEMMA_OK);
        assert_true(is_tree(found.parent, found.members));
        assert_int_equal(found.parent[found.root], NO_MEMBER);
        int64_t score = arrangement_score(&full.kinship, found.parent), best = best_score(&full.kinship);
        assert_true(score <= best);
        missed += score < best;
        for (size_t i = 0; i < found.members; i++) /* nothing better was left lying next to it */
            if (i != found.root) assert_true(found.margin[i] >= 0);
        facings_are_right(&full.kinship, &found);
        arrangement_release(&found);
    }
    assert_true(missed * 20 <= trials + 20); /* of scores that nothing but chance made */
}

/* ---- families with a known history ---- */

enum { FAMILY_TEST_MOST = 2000 };

struct history {
    size_t members;
    char *texts[FAMILY_TEST_MOST];
    size_t parents[FAMILY_TEST_MOST], second[FAMILY_TEST_MOST];
    uint64_t seed;
};

static char *fresh_words(struct history *h, size_t words) {
    char *text = malloc(words * 8 + 1);
    size_t size = 0;
    for (size_t i = 0; i < words; i++)
        size += (size_t)sprintf(text + size, "w%u ", (unsigned)rng_below(&h->seed, 100000));
    text[size] = 0;
    return text;
}

/* The place of the n-th word. */
static size_t word_at(const char *text, size_t n) {
    const char *at = text;
    for (; n && *at; n--) at += strcspn(at, " ") + 1;
    return (size_t)(at - text);
}

static size_t word_count(const char *text) {
    size_t words = 0;
    for (; *text; text++) words += *text == ' ';
    return words;
}

/* Words [first, first + words) replaced by `by`. */
static char *replaced(const char *text, size_t first, size_t words, const char *by) {
    size_t begin = word_at(text, first), end = begin + word_at(text + begin, words);
    char *made = malloc(strlen(text) + strlen(by) + 1);
    memcpy(made, text, begin);
    strcpy(made + begin, by);
    strcat(made, text + end);
    return made;
}

/* A few passages are replaced by longer ones: texts grow. */
static char *edited(struct history *h, const char *text) {
    char *made = strdup(text);
    for (size_t i = 0; i < 3; i++) {
        char *by = fresh_words(h, 10 + rng_below(&h->seed, 20));
        char *next = replaced(made, rng_below(&h->seed, word_count(made) - 10), rng_below(&h->seed, 8), by);
        free(by);
        free(made);
        made = next;
    }
    return made;
}

static void begin(struct history *h, uint64_t seed, size_t words) {
    *h = (struct history){.seed = seed, .members = 1};
    h->texts[0] = fresh_words(h, words);
    h->parents[0] = h->second[0] = NO_PARENT;
}

static void derive_from(struct history *h, size_t parent) {
    h->texts[h->members] = edited(h, h->texts[parent]);
    h->second[h->members] = NO_PARENT;
    h->parents[h->members++] = parent;
}

/* And with a long passage of another. */
static void derive_from_two(struct history *h, size_t parent, size_t second) {
    derive_from(h, parent);
    size_t last = h->members - 1, words = word_count(h->texts[second]);
    size_t from = word_at(h->texts[second], words - words / 3);
    char *combined = replaced(h->texts[last], 0, 0, h->texts[second] + from);
    free(h->texts[last]);
    h->texts[last] = combined;
    h->second[last] = second;
}

static void end(struct history *h) {
    for (size_t i = 0; i < h->members; i++) free(h->texts[i]);
}

/* Members are numbered in another order than that of the history. */
struct shown {
    const struct history *history;
    size_t *places;
};

/* Windows of five words, hashed in some way. */
static stemma_status shingles_of(void *context, size_t member, struct variants_maker *to, stemma_error *err) {
    const struct shown *shown = context;
    const char *at = shown->history->texts[shown->places[member]];
    uint64_t window[5] = {0};
    for (size_t n = 0; *at; n++) {
        size_t size = strcspn(at, " ");
        uint64_t hash = 7;
        for (size_t i = 0; i < size; i++) hash = mix64(hash ^ (uint8_t)at[i]);
        at += size + (at[size] == ' ');
        memmove(window, window + 1, 4 * sizeof *window);
        window[4] = hash;
        if (n < 4) continue;
        uint64_t fp = 0;
        for (size_t i = 0; i < 5; i++) fp = mix64(fp ^ window[i]);
        TRY(variants_add(to, member, &fp, 1, err));
    }
    return STEMMA_OK;
}

static stemma_status text_of(void *context, size_t member, const uint8_t **text, size_t *size, bool *known,
                             stemma_error *err) {
    const struct shown *shown = context;
    (void)err;
    *text = (const uint8_t *)shown->history->texts[shown->places[member]];
    *size = strlen((const char *)*text);
    *known = true;
    return STEMMA_OK;
}

static struct family_node *family_of(const struct history *h, size_t *places, const int64_t *modified) {
    struct shown shown = {h, places};
    struct family_node *nodes = calloc(h->members, sizeof *nodes);
    struct family_options options = {.members = h->members, .unit = UNIT_WORD, .modified = modified};
    struct family_source source = {&shown, shingles_of, text_of};
    assert_int_equal(family_make(&options, &source, nodes, NULL), STEMMA_OK);
    uint32_t *parents = malloc(h->members * sizeof *parents);
    for (size_t i = 0; i < h->members; i++) {
        parents[i] = nodes[i].parent == NO_PARENT ? NO_MEMBER : (uint32_t)nodes[i].parent;
        assert_true(nodes[i].confidence >= 0 && nodes[i].confidence <= 1);
        assert_true(nodes[i].direction >= 0 && nodes[i].direction <= 1);
    }
    if (h->members < 100) assert_true(is_tree(parents, h->members));
    free(parents);
    return nodes;
}

static size_t *shuffled(struct history *h) {
    size_t *places = malloc(h->members * sizeof *places);
    for (size_t i = 0; i < h->members; i++) {
        size_t k = rng_below(&h->seed, i + 1);
        places[i] = places[k];
        places[k] = i;
    }
    return places;
}

struct success {
    size_t edges, neighbours, forward, seconds, seconds_found;
};

static void judge(struct history *h, bool dated, struct success *s) {
    size_t *places = shuffled(h);
    int64_t *modified = malloc(h->members * sizeof *modified);
    for (size_t i = 0; i < h->members; i++) modified[i] = (int64_t)places[i];
    struct family_node *nodes = family_of(h, places, dated ? modified : NULL);
    for (size_t i = 0; i < h->members; i++) {
        size_t own = places[i], true_second = h->second[own];
        s->seconds += true_second != NO_PARENT;
        s->seconds_found +=
            true_second != NO_PARENT && nodes[i].second != NO_PARENT &&
            (places[nodes[i].second] == true_second || places[nodes[i].second] == h->parents[own]);
        if (nodes[i].parent == NO_PARENT) continue;
        size_t parent = places[nodes[i].parent];
        bool forward = h->parents[own] == parent || h->second[own] == parent;
        s->edges++;
        s->forward += forward;
        s->neighbours += forward || h->parents[parent] == own;
    }
    free(nodes);
    free(modified);
    free(places);
}

static void lines_are_found(void **state) {
    (void)state;
    struct success alone = {0}, dated = {0};
    for (size_t trial = 0; trial < effort(12); trial++) {
        struct history h;
        begin(&h, trial, 300);
        while (h.members < 12) derive_from(&h, h.members - 1);
        judge(&h, false, &alone);
        judge(&h, true, &dated);
        end(&h);
    }
    assert_int_equal(alone.neighbours, alone.edges);
    assert_int_equal(alone.forward, alone.edges); /* they grow */
    assert_int_equal(dated.forward, dated.edges);
}

static void branches_are_found(void **state) {
    (void)state;
    struct success s = {0};
    for (size_t trial = 0; trial < effort(12); trial++) {
        struct history h;
        begin(&h, 100 + trial, 300);
        while (h.members < 14) derive_from(&h, h.members < 5 ? 0 : rng_below(&h.seed, h.members));
        judge(&h, false, &s);
        end(&h);
    }
    if (effort_is_full()) assert_true(s.neighbours * 100 >= s.edges * 97);
    if (effort_is_full()) assert_true(s.forward * 100 >= s.edges * 90);
}

static void second_parents_are_found(void **state) {
    (void)state;
    struct success s = {0};
    for (size_t trial = 0; trial < effort(12); trial++) {
        struct history h;
        begin(&h, 200 + trial, 300);
        derive_from(&h, 0);
        char *by = fresh_words(&h, 150); /* a branch that is all its own */
        char *rewritten = replaced(h.texts[1], 200, 120, by);
        free(by);
        free(h.texts[1]);
        h.texts[1] = rewritten;
        derive_from(&h, 0);
        derive_from(&h, 2);
        derive_from_two(&h, 3, 1);
        judge(&h, false, &s);
        end(&h);
    }
    if (effort_is_full()) assert_true(s.seconds_found * 10 >= s.seconds * 8);
}

/* ---- odd families ---- */

static void odd_families_are_trees(void **state) {
    (void)state;
    static const char *const texts[][4] = {
        {"", "", "", ""}, {"a ", "a ", "a ", "a "}, {"", "a ", "b c ", ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t members = 1; members <= 4; members++) {
            struct history h = {.members = members};
            size_t places[4] = {0, 1, 2, 3};
            for (size_t k = 0; k < members; k++) h.texts[k] = strdup(texts[i][k]);
            free(family_of(&h, places, NULL));
            end(&h);
        }
}

/* Each is derived from one of the last few: nothing costs a square in texts. */
static void large_families_are_done(void **state) {
    (void)state;
    struct success s = {0};
    struct history *h = calloc(1, sizeof *h);
    begin(h, 9, 100);
    size_t members = effort_is_full() ? 2000 : 200;
    while (h->members < members) {
        size_t back = 1 + rng_below(&h->seed, 4), parent = h->members > back ? h->members - back : 0;
        char *by = fresh_words(h, 8);
        h->texts[h->members] = replaced(h->texts[parent], rng_below(&h->seed, 90), 8, by);
        free(by);
        h->second[h->members] = NO_PARENT;
        h->parents[h->members++] = parent;
    }
    judge(h, true, &s);
    assert_int_equal(s.edges, h->members - 1);
    if (effort_is_full()) assert_true(s.neighbours * 10 >= s.edges * 8);
    end(h);
    free(h);
}

static void derivations_have_kinds(void **state) {
    (void)state;
    static const struct {
        struct derivation d;
        stemma_derivation kind;
    } cases[] = {{{100, 100, 0, 0, 0, 0, 0, 0}, STEMMA_DERIVATION_SAME},
                 {{100, 110, 12, 1, 0, 2, 0, 0}, STEMMA_DERIVATION_ADDED},
                 {{100, 250, 150, 0, 0, 1, 0, 0}, STEMMA_DERIVATION_EXTENDED},
                 {{100, 90, 1, 11, 0, 2, 0, 0}, STEMMA_DERIVATION_REMOVED},
                 {{100, 40, 0, 60, 0, 1, 0, 0}, STEMMA_DERIVATION_EXCERPT},
                 {{100, 105, 15, 10, 0, 5, 0, 0}, STEMMA_DERIVATION_REVISED},
                 {{100, 100, 20, 20, 18, 2, 0, 0}, STEMMA_DERIVATION_MOVED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(derivation_kind(&cases[i].d), cases[i].kind);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_count_exactly),   cmocka_unit_test(variants_sample),
        cmocka_unit_test(clues_tell_age),           cmocka_unit_test(clues_are_bounded),
        cmocka_unit_test(logarithms_are_right),     cmocka_unit_test(arrangements_are_nearly_best),
        cmocka_unit_test(lines_are_found),          cmocka_unit_test(branches_are_found),
        cmocka_unit_test(second_parents_are_found), cmocka_unit_test(odd_families_are_trees),
        cmocka_unit_test(large_families_are_done),  cmocka_unit_test(derivations_have_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
