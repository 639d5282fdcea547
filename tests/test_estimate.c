/* Estimators: the papers' examples, bias and coverage by simulation, verdicts, refusals. */
#include "base/rng.h"
#include "base/sort.h"
#include "effort.h"
#include "estimate/estimate.h"
#include "estimate/hamming.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- the papers' own numbers ---- */

static double resemblance_of_texts(const char *a, const char *b, const char *recipe_text) {
    stemma_recipe *recipe;
    stemma_comparison c;
    assert_int_equal(stemma_recipe_parse(recipe_text, &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_compare_bytes(a, strlen(a), b, strlen(b), recipe, NULL, NULL, &c, NULL),
                     STEMMA_OK);
    assert_true(c.resemblance.exact);
    stemma_recipe_free(recipe);
    return c.resemblance.value;
}

static void broders_roses(void **unused) {
    (void)unused;
    const char *a = "a rose is a rose is a rose", *b = "a rose is a flower which is a rose";
    const double labelled[] = {7 / 10., 5 / 10., 3 / 10.}, plain[] = {3 / 5., 3 / 6., 3 / 7.};
    const char *const hashes[] = {"mix", "rabin", "padded"};
    for (int w = 1; w <= 3; w++)
        for (int h = 0; h < 3; h++) {
            char recipe[100];
            snprintf(recipe, sizeof recipe, "window=%d hash=%s", w, hashes[h]);
            assert_true(resemblance_of_texts(a, b, recipe) == plain[w - 1]);
            snprintf(recipe, sizeof recipe, "window=%d hash=%s labelled=yes; mod n=1", w, hashes[h]);
            assert_true(resemblance_of_texts(a, b, recipe) == labelled[w - 1]);
        }
    /* "(a, c, a, b, a) resembles (a, b, a, c, a) 100% for size 2" */
    assert_true(resemblance_of_texts("a c a b a", "a b a c a", "window=2 labelled=yes; mod n=1") == 1);
}

static struct part part_of_values(const uint64_t *values, size_t count) {
    struct part part = {.distinct = count};
    for (size_t i = 0; i < count; i++) assert_true(vec64_add(&part.values, values[i]));
    return part;
}

static void part_release(struct part *part) {
    vec64_release(&part->values);
    buf_release(&part->bits);
    vec64_release(&part->smallest);
}

static void yuans_examples(void **unused) {
    (void)unused;
    /* Example 1: the minima of {1,2,4} and {2,3,4,5} under five permutations;
     * example 2: their lowest bits. */
    const int permutations[5][6] = {
        {6, 3, 5, 4, 2, 1}, {4, 1, 2, 6, 5, 3}, {5, 6, 3, 1, 2, 4}, {2, 5, 3, 4, 1, 6}, {5, 2, 6, 4, 3, 1}};
    const int s1[] = {1, 2, 4}, s2[] = {2, 3, 4, 5};
    uint64_t m1[5], m2[5];
    uint8_t bits1 = 0, bits2 = 0;
    for (int p = 0; p < 5; p++) {
        m1[p] = m2[p] = 99;
        for (int i = 0; i < 3; i++)
            if ((uint64_t)permutations[p][s1[i] - 1] < m1[p]) m1[p] = (uint64_t)permutations[p][s1[i] - 1];
        for (int i = 0; i < 4; i++)
            if ((uint64_t)permutations[p][s2[i] - 1] < m2[p]) m2[p] = (uint64_t)permutations[p][s2[i] - 1];
        bits1 |= (uint8_t)((m1[p] & 1) << p);
        bits2 |= (uint8_t)((m2[p] & 1) << p);
    }
    const uint64_t expected1[] = {3, 1, 1, 2, 2}, expected2[] = {2, 1, 1, 1, 2};
    assert_memory_equal(m1, expected1, sizeof m1);
    assert_memory_equal(m2, expected2, sizeof m2);
    struct spec whole = {.scheme = SCHEME_MINHASH, .n = 5, .bits = 64},
                one_bit = {.scheme = SCHEME_MINHASH, .n = 5, .bits = 1};
    struct part a = part_of_values(m1, 5), b = part_of_values(m2, 5);
    struct estimates e;
    assert_int_equal(estimate_parts(&whole, &a, &whole, &b, 64, &e, NULL), STEMMA_OK);
    assert_true(e.resemblance.value == 3 / 5.);
    assert_true(buf_reserve(&a.bits, 64) && buf_reserve(&b.bits, 64));
    memset(a.bits.data, 0, 64);
    memset(b.bits.data, 0, 64);
    a.bits.data[0] = bits1;
    b.bits.data[0] = bits2;
    a.bits.len = b.bits.len = 1;
    assert_int_equal(estimate_parts(&one_bit, &a, &one_bit, &b, 64, &e, NULL), STEMMA_OK);
    assert_true(fabs(e.resemblance.value - (2 * 3 / 5. - 1)) < 1e-15);
    part_release(&a);
    part_release(&b);
}

static void yuans_radii(void **unused) {
    (void)unused;
    assert_int_equal(hamming_radius(100, .8), 10);
    assert_int_equal(hamming_radius(64, .9), 3);
    assert_int_equal(hamming_radius(64, .7), 9);
    assert_int_equal(hamming_radius(400, .7), 60);
    assert_int_equal(hamming_radius(64, 1), 0);
    assert_true(fabs(hamming_variance(64, .7) - .0080) < .00005);
    assert_true(fabs(hamming_variance(64, .9) - .0030) < .00005);
}

/* ---- simulation: sets of known resemblance ---- */

struct sets {
    struct vec64 a, b;
    double j, a_in_b, b_in_a;
};

/* `common` shingles in both, the rest in one; random fingerprints. */
static struct sets make_sets(size_t common, size_t only_a, size_t only_b, uint64_t *state) {
    struct sets s = {.j = (double)common / (double)(common + only_a + only_b),
                     .a_in_b = (double)common / (double)(common + only_a),
                     .b_in_a = (double)common / (double)(common + only_b)};
    assert_true(vec64_reserve(&s.a, common + only_a + 64) && vec64_reserve(&s.b, common + only_b + 64));
    for (size_t i = 0; i < common; i++) s.a.data[s.a.len++] = s.b.data[s.b.len++] = rng_next(state);
    for (size_t i = 0; i < only_a; i++) s.a.data[s.a.len++] = rng_next(state);
    for (size_t i = 0; i < only_b; i++) s.b.data[s.b.len++] = rng_next(state);
    return s;
}

static struct stemma_sketch *sketch_of(const struct stemma_recipe *recipe, const struct vec64 *set) {
    struct sketcher *sketcher;
    struct stemma_sketch *sketch;
    assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, NULL), STEMMA_OK);
    /* bsw-chunk hashes tokens: here one per fingerprint */
    assert_int_equal(sketcher_take(sketcher, set->data, set->len, set->data, set->len, NULL), STEMMA_OK);
    assert_int_equal(sketcher_finish(sketcher, set->len, &sketch, NULL), STEMMA_OK);
    sketcher_free(sketcher);
    return sketch;
}

struct trial {
    double error, squares, covered, count;
};

static void record(struct trial *t, stemma_quantity q, double truth) {
    if (!q.known) return;
    assert_true(q.low <= q.value && q.value <= q.high && q.low >= 0 && q.high <= 1);
    t->error += q.value - truth;
    t->squares += (q.value - truth) * (q.value - truth);
    t->covered += q.low <= truth + 1e-12 && truth <= q.high + 1e-12;
    t->count++;
}

/* Unbiased within 4 standard errors (plus a little where a scheme rounds), and intervals that cover about 95
 * %. */
static void check_trial(const char *what, const char *spec, double truth, double slack,
                        const struct trial *t) {
    double mean = t->error / t->count, deviation = sqrt(t->squares / t->count);
    double covered = t->covered / t->count;
    if (!effort_is_full()) return;
    if (fabs(mean) > 4 * deviation / sqrt(t->count) + slack || covered < .925)
        print_message("%s from %s at %.2f: bias %+.4f, rmse %.4f, covered %.3f\n", what, spec, truth, mean,
                      deviation, covered);
    assert_true(fabs(mean) <= 4 * deviation / sqrt(t->count) + slack);
    assert_true(covered >= .925);
}

static void simulate(const char *spec, size_t size, double share, bool containment) {
    const int trials = (int)effort(400);
    struct trial j = {0}, ab = {0}, ba = {0};
    double truth = 0;
    uint64_t state = (uint64_t)(1000 * share) + size;
    for (int i = 0; i < trials; i++) {
        struct stemma_recipe *recipe;
        struct estimates e;
        char text[100];
        snprintf(text, sizeof text, "seed=%d; %s", i, spec);
        assert_int_equal(recipe_parse(text, strlen(text), &recipe, NULL), STEMMA_OK);
        size_t common = (size_t)(share * (double)size);
        struct sets sets =
            make_sets(common, (size - common) / 2, size - common - (size - common) / 2, &state);
        struct stemma_sketch *a = sketch_of(recipe, &sets.a), *b = sketch_of(recipe, &sets.b);
        assert_int_equal(estimate_sketches(a, b, &e, NULL), STEMMA_OK);
        truth = sets.j;
        record(&j, e.resemblance, sets.j);
        record(&ab, e.a_in_b, sets.a_in_b);
        record(&ba, e.b_in_a, sets.b_in_a);
        sketch_free(a);
        sketch_free(b);
        recipe_release(recipe);
        vec64_release(&sets.a);
        vec64_release(&sets.b);
    }
    check_trial("resemblance", spec, truth, .0015, &j);
    assert_int_equal(ab.count > 0, containment);
    if (containment) {
        double slack = strchr(spec, ';') ? .005 : .0015; /* two witnesses, and shares that end at 1 */
        check_trial("containment", spec, truth, slack, &ab);
        check_trial("containment", spec, truth, slack, &ba);
    }
}

static void estimates_are_unbiased_and_intervals_cover(void **unused) {
    (void)unused;
    const double shares[] = {.3, .5, .7, .95};
    for (int s = 0; s < 4; s++) {
        simulate("oph n=256 bits=1", 1500, shares[s], false);
        simulate("oph n=256 bits=1", 150, shares[s], false); /* more bins than shingles */
        simulate("oph n=128 bits=2", 1500, shares[s], false);
        simulate("oph n=256 bits=64", 1500, shares[s], false);
        simulate("oph n=256 bits=64", 200, shares[s], false);
        simulate("minhash n=128 bits=64", 600, shares[s], false);
        simulate("minhash n=256 bits=1", 600, shares[s], false);
        simulate("min n=100", 1500, shares[s], false);
        simulate("min n=100", 160, shares[s], false);
        simulate("minmod n=60 mod=4", 1500, shares[s], false);
        simulate("mod n=16", 1500, shares[s], true);
        simulate("mod n=10", 1500, shares[s], true);
        simulate("level", 5000, shares[s], true);
        simulate("oph n=512 bits=1; mod n=16", 200, shares[s],
                 true); /* containment from resemblance and sizes */
        simulate("oph n=512 bits=1; mod n=16", 1500, shares[s], true);
    }
}

static void chunks_reach_down_to_the_resemblance(void **unused) {
    (void)unused;
    /* BSW is biased low when edits are scattered (its value is the papers'); equal and disjoint sets are
     * exact. */
    struct stemma_recipe *recipe;
    struct estimates e;
    uint64_t state = 3;
    assert_int_equal(recipe_parse("; bsw n=16", 10, &recipe, NULL), STEMMA_OK);
    struct sets same = make_sets(1000, 0, 0, &state), apart = make_sets(0, 1000, 1000, &state);
    struct stemma_sketch *a = sketch_of(recipe, &same.a), *b = sketch_of(recipe, &same.b);
    struct stemma_sketch *c = sketch_of(recipe, &apart.a);
    assert_int_equal(estimate_sketches(a, b, &e, NULL), STEMMA_OK);
    assert_true(e.resemblance.value == 1 && e.a_in_b.value == 1);
    assert_int_equal(estimate_sketches(a, c, &e, NULL), STEMMA_OK);
    assert_true(e.resemblance.value == 0 && e.a_in_b.value == 0);
    sketch_free(a);
    sketch_free(b);
    sketch_free(c);
    vec64_release(&same.a);
    vec64_release(&same.b);
    vec64_release(&apart.a);
    vec64_release(&apart.b);
    recipe_release(recipe);
}

/* ---- what cannot be said ---- */

static struct estimates of_sets(const char *spec, struct sets *sets) {
    struct stemma_recipe *recipe;
    struct estimates e;
    assert_int_equal(recipe_parse(spec, strlen(spec), &recipe, NULL), STEMMA_OK);
    struct stemma_sketch *a = sketch_of(recipe, &sets->a), *b = sketch_of(recipe, &sets->b);
    assert_int_equal(estimate_sketches(a, b, &e, NULL), STEMMA_OK);
    sketch_free(a);
    sketch_free(b);
    vec64_release(&sets->a);
    vec64_release(&sets->b);
    recipe_release(recipe);
    return e;
}

static void refusals_have_reasons(void **unused) {
    (void)unused;
    uint64_t state = 1;
    struct sets sets = make_sets(500, 500, 500, &state);
    struct estimates e = of_sets("; simhash bits=64", &sets);
    assert_false(e.resemblance.known);
    assert_non_null(strstr(e.resemblance.why, "simhash"));
    assert_true(e.cosine.known);
    const char *const fixed[] = {"; oph n=64 bits=1", "; minhash n=64 bits=64", "; min n=64"};
    for (int i = 0; i < 3; i++) {
        sets = make_sets(500, 500, 500, &state);
        e = of_sets(fixed[i], &sets);
        assert_true(e.resemblance.known);
        assert_false(e.a_in_b.known);
        assert_non_null(e.a_in_b.why);
    }
}

static void simhash_gives_a_cosine(void **unused) {
    (void)unused;
    uint64_t state = 8;
    double mean = 0;
    for (int i = 0; i < 50; i++) {
        char spec[60];
        snprintf(spec, sizeof spec, "seed=%d; simhash bits=128", i);
        struct sets sets = make_sets(800, 200, 200, &state);
        mean += of_sets(spec, &sets).cosine.value / 50;
    }
    assert_true(fabs(mean - .8) < .03); /* common / sqrt(|A| |B|) */
}

static void a_few_shingles_are_known_exactly(void **unused) {
    (void)unused;
    uint64_t state = 2;
    struct sets sets = make_sets(2, 1, 1, &state); /* fewer than the floor of a sample that is likely empty */
    struct estimates e = of_sets("; mod n=100000", &sets);
    assert_true(e.resemblance.known && e.resemblance.exact && e.resemblance.value == .5);
    assert_true(e.a_in_b.exact && fabs(e.a_in_b.value - 2 / 3.) < 1e-12);
    sets = make_sets(20, 10, 10, &state);
    e = of_sets("; min n=64", &sets);
    assert_true(e.resemblance.exact && e.resemblance.value == .5);
    assert_true(e.b_in_a.exact && fabs(e.b_in_a.value - 2 / 3.) < 1e-12);
}

static void nothing_is_unknown_not_zero(void **unused) {
    (void)unused;
    const char *const specs[] = {"; mod n=8",
                                 "; min n=8",
                                 "; level",
                                 "; oph n=8 bits=1",
                                 "; oph n=8 bits=64",
                                 "; minhash n=8 bits=64",
                                 "; minhash n=8 bits=2",
                                 "; bsw n=8",
                                 "; simhash bits=64"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        uint64_t state = 1;
        struct sets sets = make_sets(0, 0, 0, &state);
        struct estimates e = of_sets(specs[i], &sets);
        assert_false(e.resemblance.known || e.a_in_b.known || e.b_in_a.known || e.cosine.known);
    }
}

static void coarser_compares_with_finer(void **unused) {
    (void)unused;
    uint64_t state = 4;
    struct sets sets = make_sets(3000, 1000, 1000, &state);
    struct stemma_recipe *fine, *coarse;
    struct estimates e, same;
    assert_int_equal(recipe_parse("; mod n=8", 9, &fine, NULL), STEMMA_OK);
    assert_int_equal(recipe_parse("; mod n=32", 10, &coarse, NULL), STEMMA_OK);
    struct stemma_sketch *a = sketch_of(fine, &sets.a), *b = sketch_of(coarse, &sets.b),
                         *c = sketch_of(coarse, &sets.a);
    assert_int_equal(estimate_sketches(a, b, &e, NULL), STEMMA_OK);
    assert_int_equal(estimate_sketches(c, b, &same, NULL), STEMMA_OK);
    assert_true(e.resemblance.value == same.resemblance.value && e.a_in_b.value == same.a_in_b.value);
    sketch_free(a);
    sketch_free(b);
    sketch_free(c);
    vec64_release(&sets.a);
    vec64_release(&sets.b);
    recipe_release(fine);
    recipe_release(coarse);
}

/* ---- a short document in a long one ---- */

static void add_words(struct buf *text, size_t size, uint64_t *state) {
    while (text->len < size) {
        for (uint64_t letters = 1 + rng_below(state, 9); letters; letters--)
            assert_true(buf_add_byte(text, (uint8_t)('a' + rng_below(state, 26))));
        assert_true(buf_add_byte(text, ' '));
    }
}

/* 1 KB of text that stands in 450 KB, but for one to six changed letters: containment from Mod_100 of 20-byte
 * windows is within .11 of the truth (root mean square), with about ten samples to go by. */
static void containment_of_a_short_document_in_a_long_one(void **unused) {
    (void)unused;
    enum { LONG = 450000, SHORT = 1024 };
    const int trials = (int)effort(150);
    struct trial trial = {0};
    struct buf text = {0};
    uint64_t state = 11;
    add_words(&text, LONG, &state);
    for (int i = 0; i < trials; i++) {
        char excerpt[SHORT], recipe_text[100];
        stemma_recipe *recipe;
        stemma_comparison exact, estimate;
        stemma_sketch *a, *b;
        memcpy(excerpt, text.data + rng_below(&state, LONG - SHORT), SHORT);
        for (uint64_t edits = 1 + rng_below(&state, 6); edits; edits--)
            excerpt[rng_below(&state, SHORT)] = '#';
        snprintf(recipe_text, sizeof recipe_text, "preset=raw unit=byte window=20 seed=%d; mod n=100", i);
        assert_int_equal(stemma_recipe_parse(recipe_text, &recipe, NULL), STEMMA_OK);
        assert_int_equal(
            stemma_compare_bytes(excerpt, SHORT, text.data, text.len, recipe, NULL, NULL, &exact, NULL),
            STEMMA_OK);
        assert_int_equal(stemma_sketch_bytes(excerpt, SHORT, "a", recipe, NULL, &a, NULL), STEMMA_OK);
        assert_int_equal(stemma_sketch_bytes(text.data, text.len, "b", recipe, NULL, &b, NULL), STEMMA_OK);
        assert_int_equal(stemma_compare_sketches(a, b, NULL, &estimate, NULL), STEMMA_OK);
        record(&trial, estimate.a_in_b, exact.a_in_b.value);
        stemma_sketch_free(a);
        stemma_sketch_free(b);
        stemma_recipe_free(recipe);
    }
    double rmse = sqrt(trial.squares / trial.count);
    print_message("1 KB in 450 KB by Mod_100: rmse %.3f, bias %+.3f, covered %.3f\n", rmse,
                  trial.error / trial.count, trial.covered / trial.count);
    assert_true(trial.count == trials);
    if (effort_is_full()) assert_true(rmse <= .11 && trial.covered / trial.count >= .92);
    buf_release(&text);
}

/* ---- how sure ---- */

/* A relation that is called certain is the true one, whatever the sample was: here A lies to 95 % in B. */
static void certain_is_never_wrong(const char *spec, size_t a_size, size_t b_size) {
    size_t common = a_size * 95 / 100;
    uint64_t state = a_size;
    int wrong = 0;
    for (int i = 0; i < (int)effort(300); i++) {
        char text[80];
        snprintf(text, sizeof text, "seed=%d; %s", i, spec);
        struct sets sets = make_sets(common, a_size - common, b_size - common, &state);
        stemma_thresholds lines = stemma_thresholds_default();
        stemma_relation truth = sets.j >= lines.resemblance ? STEMMA_NEAR_DUPLICATE : STEMMA_CONTAINED;
        struct estimates e = of_sets(text, &sets);
        bool certain;
        wrong += judge(&e, &lines, &certain) != truth && certain;
    }
    if (wrong > 15)
        print_message("%s, %zu in %zu: %d of 300 certain and wrong\n", spec, a_size, b_size, wrong);
    assert_true(wrong <= 15); /* intervals of 95 % */
}

static void certainty(void **unused) {
    (void)unused;
    const char *const specs[] = {"oph n=2048 bits=1; mod n=32", "oph n=1024 bits=2", "minhash n=256",
                                 "mod n=16", "min n=100"};
    for (int s = 0; s < 5; s++) {
        certain_is_never_wrong(specs[s], 40, 60);
        certain_is_never_wrong(specs[s], 100, 150);
        certain_is_never_wrong(specs[s], 160, 480);
        certain_is_never_wrong(specs[s], 1000, 9000);
    }
}

static void fields_below_chance_leave_room(void **unused) {
    (void)unused;
    uint64_t state = 5;
    for (int i = 0; i < 40; i++) {
        char text[60];
        snprintf(text, sizeof text, "seed=%d; minhash n=64 bits=2", i);
        struct sets sets = make_sets(0, 500, 500, &state);
        struct estimates e = of_sets(text, &sets);
        assert_true(e.resemblance.high > .02);
    }
}

/* ---- verdicts ---- */

static stemma_quantity about(double value, double half) {
    return (stemma_quantity){
        .value = value, .low = fmax(0, value - half), .high = fmin(1, value + half), .known = true};
}

static void check_verdict(double j, double ab, double ba, double half, stemma_relation expected,
                          bool certain) {
    stemma_thresholds lines = stemma_thresholds_default();
    struct estimates e = {
        .resemblance = about(j, half), .a_in_b = about(ab, half), .b_in_a = about(ba, half)};
    bool sure;
    assert_int_equal(judge(&e, &lines, &sure), expected);
    assert_int_equal(sure, certain);
}

static void verdicts(void **unused) {
    (void)unused;
    check_verdict(.7, .8, .8, 0, STEMMA_NEAR_DUPLICATE, true);
    check_verdict(.6999, .8, .8, 0, STEMMA_RELATED, true);
    check_verdict(.2, .9, .2, 0, STEMMA_CONTAINED, true);
    check_verdict(.2, .2, .95, 0, STEMMA_CONTAINS, true);
    check_verdict(.6, .95, .96, 0, STEMMA_RELATED, true); /* cannot be: the resemblance counts */
    check_verdict(.04, .05, .04, 0, STEMMA_UNRELATED, true);
    check_verdict(.04, .06, .04, 0, STEMMA_RELATED, true);
    check_verdict(.75, .8, .8, .04, STEMMA_NEAR_DUPLICATE, true);
    check_verdict(.72, .8, .8, .04, STEMMA_NEAR_DUPLICATE, false);
    check_verdict(.06, .06, .06, .08, STEMMA_UNRELATED, false); /* may as well be nothing */
    stemma_quantity unknown = quantity_unknown("x");
    struct estimates none = {.resemblance = unknown, .a_in_b = unknown, .b_in_a = unknown};
    stemma_thresholds lines = stemma_thresholds_default();
    bool sure;
    assert_int_equal(judge(&none, &lines, &sure), STEMMA_UNKNOWN);
    assert_false(sure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broders_roses),
        cmocka_unit_test(yuans_examples),
        cmocka_unit_test(yuans_radii),
        cmocka_unit_test(estimates_are_unbiased_and_intervals_cover),
        cmocka_unit_test(chunks_reach_down_to_the_resemblance),
        cmocka_unit_test(refusals_have_reasons),
        cmocka_unit_test(simhash_gives_a_cosine),
        cmocka_unit_test(a_few_shingles_are_known_exactly),
        cmocka_unit_test(nothing_is_unknown_not_zero),
        cmocka_unit_test(coarser_compares_with_finer),
        cmocka_unit_test(containment_of_a_short_document_in_a_long_one),
        cmocka_unit_test(certainty),
        cmocka_unit_test(fields_below_chance_leave_room),
        cmocka_unit_test(verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
