/* The edit distance from signatures: the papers' experiments on generated text within their bounds, the range
 * that no answer may leave, intervals, chance, places, and what it costs at worst. */
#include "align/signature/edit_regions.h"
#include "align/signature/estimated.h"
#include "align/signature/unrelated.h"
#include "edit_trials.h"
#include "effort.h"
#include "english.h"
#include "sketch_support.h"

#include <math.h>
#include <time.h>

enum { TEXTS = 24, SEEDS = 3 };

static uint8_t *generated_text(uint64_t seed) {
    size_t size = TRIAL_TEXT * 3 / 2;
    uint8_t *text = malloc(size);
    english(text, size, seed);
    assert_true(fold_plain(text, size) >= TRIAL_TEXT);
    return text;
}

static void test_experiments_of_the_papers(void **state) {
    double squares[64] = {0};
    size_t texts = effort(TEXTS), covered = 0;
    (void)state;
    assert_true(trial_count <= 64);
    for (size_t i = 0; i < texts; i++) {
        uint8_t *text = generated_text(i + 1);
        for (size_t k = 0; k < SEEDS * trial_count; k++) {
            size_t trial = k / SEEDS;
            struct trial_result result = run_trial(&trials[trial], text, i * SEEDS + k % SEEDS + 1);
            const stemma_quantity *distance = &result.estimate.distance;
            squares[trial] += pow((distance->value - result.truth) / result.estimate.unrelated.value, 2);
            covered += distance->low <= result.truth && result.truth <= distance->high;
        }
        free(text);
    }
    if (!effort_is_full()) return;
    for (size_t k = 0; k < trial_count; k++)
        if (sqrt(squares[k] / (double)(SEEDS * texts)) > trials[k].most)
            fail_msg("%s at C = %u: %.4f", trials[k].name, trials[k].c,
                     sqrt(squares[k] / (double)(SEEDS * texts)));
    assert_true((double)covered / (double)(SEEDS * texts * trial_count) >= .9);
}

/* ---- signatures of random symbols ---- */

struct random_signature {
    uint16_t symbols[4000];
    uint64_t positions[4000];
    struct signature signature;
};

static void draw(struct random_signature *out, size_t count, uint32_t alphabet, uint64_t *rng) {
    for (size_t i = 0; i < count; i++) {
        out->symbols[i] = (uint16_t)rng_below(rng, alphabet);
        out->positions[i] = 64 * i + 10;
    }
    out->signature = (struct signature){.symbols = out->symbols,
                                        .count = count,
                                        .positions = out->positions,
                                        .length = 64 * count + 30,
                                        .agree = .07,
                                        .n = 8,
                                        .c = 64,
                                        .alphabet = alphabet};
}

static struct edit_estimate estimate(const struct random_signature *a, const struct random_signature *b) {
    struct edit_estimate out;
    assert_int_equal(estimate_edit(&a->signature, &b->signature, &out, NULL), STEMMA_OK);
    return out;
}

static void assert_possible(const struct edit_estimate *e, const struct signature *a,
                            const struct signature *b) {
    double longer = (double)(a->length > b->length ? a->length : b->length);
    double difference = fabs((double)a->length - (double)b->length);
    assert_true(e->distance.known && !e->distance.exact);
    assert_true(difference <= e->distance.low && e->distance.low <= e->distance.value);
    assert_true(e->distance.value <= e->distance.high && e->distance.high <= longer);
    assert_true(e->p_unrelated >= 0 && e->p_unrelated <= 1);
    assert_true(difference <= e->unrelated.low && e->unrelated.high <= longer);
    assert_true(e->scattered_edits >= 0 && e->block_edits >= 0);
    assert_true(fabs(e->scattered_edits + e->block_edits - e->distance.value) < 1e-6 * (1 + longer));
}

/* Any signatures, also ones that no text has: lengths that do not fit, few symbols, runs, copies with
 * changes. */
static void test_never_outside_the_possible(void **state) {
    static struct random_signature a, b;
    uint64_t rng = 1;
    (void)state;
    for (size_t i = 0; i < effort(3000); i++) {
        uint32_t alphabet = (uint32_t)1 << (1 + rng_below(&rng, 16));
        draw(&a, 1 + rng_below(&rng, i % 10 ? 60 : 3000), alphabet, &rng);
        draw(&b, 1 + rng_below(&rng, i % 10 ? 60 : 3000), alphabet, &rng);
        size_t common = a.signature.count < b.signature.count ? a.signature.count : b.signature.count;
        if (i % 3) memcpy(b.symbols, a.symbols, rng_below(&rng, common + 1) * sizeof *a.symbols);
        if (i % 5 == 0) b.signature.length = 1 + rng_below(&rng, 1000000);
        if (i % 7 == 0) a.signature.length = b.signature.length;
        struct edit_estimate e = estimate(&a, &b), back = estimate(&b, &a);
        assert_possible(&e, &a.signature, &b.signature);
        assert_possible(&back, &a.signature, &b.signature);
    }
}

static void test_equal_signatures_prove_nothing(void **state) {
    static struct random_signature a;
    uint64_t rng = 2;
    double before = INFINITY;
    (void)state;
    for (size_t count = 2; count <= 2048; count *= 4) {
        draw(&a, count, 65536, &rng);
        struct edit_estimate e = estimate(&a, &a);
        assert_int_equal(e.kind, STEMMA_EDITS_UNKNOWN);
        assert_true(e.distance.value == 0 && e.distance.low == 0 && e.distance.high >= 8);
        double share = e.distance.high / (double)a.signature.length;
        assert_true(share < before); /* few symbols, wide interval */
        before = share;
    }
}

/* A passage of 100,000 characters is in one text alone, but for a few words in its place, and another one in
 * the other text: what is left there must not hide how long they are. */
static void test_long_passages(void **state) {
    enum { COMMON = 300, PASSAGE = 1500, WORDS = 1, ALL = 3 * COMMON + PASSAGE + WORDS };
    static struct random_signature a, b;
    uint64_t rng = 9;
    (void)state;
    draw(&a, ALL, 65536, &rng);
    draw(&b, ALL, 65536, &rng);
    memcpy(b.symbols, a.symbols, COMMON * sizeof *a.symbols);
    memcpy(b.symbols + COMMON + WORDS, a.symbols + COMMON + PASSAGE, COMMON * sizeof *a.symbols);
    memcpy(b.symbols + ALL - COMMON, a.symbols + ALL - COMMON, COMMON * sizeof *a.symbols);
    struct edit_estimate e = estimate(&a, &b);
    assert_possible(&e, &a.signature, &b.signature);
    assert_int_equal(e.kind, STEMMA_EDITS_BLOCKS);
    assert_int_equal(e.blocks, 2);
    assert_true(e.block_edits > .9 * e.unrelated.value);
}

static void test_too_short_is_unknown(void **state) {
    static struct random_signature a, empty;
    uint64_t rng = 3;
    (void)state;
    draw(&a, 20, 65536, &rng);
    draw(&empty, 0, 65536, &rng);
    struct edit_estimate e = estimate(&a, &empty);
    assert_false(e.distance.known);
    assert_non_null(e.distance.why);
    assert_int_equal(e.kind, STEMMA_EDITS_UNKNOWN);
}

static void test_other_windows_are_refused(void **state) {
    static struct random_signature a, b;
    uint64_t rng = 4;
    struct edit_estimate out = {.blocks = 77};
    stemma_error err = {0};
    (void)state;
    draw(&a, 20, 65536, &rng);
    draw(&b, 20, 65536, &rng);
    b.signature.n = 7;
    assert_int_equal(estimate_edit(&a.signature, &b.signature, &out, &err), STEMMA_MISMATCH);
    b.signature.n = 8, b.signature.c = 96;
    assert_int_equal(estimate_edit(&a.signature, &b.signature, &out, &err), STEMMA_MISMATCH);
    assert_int_equal(out.blocks, 77);
}

/* Made at C and compared with one at 4 C: as if both had been made at 4 C. */
static void test_rates_nest(void **state) {
    static struct random_signature a, b, coarse;
    uint64_t rng = 5;
    (void)state;
    draw(&a, 3000, 65536, &rng);
    b = a;
    b.signature.symbols = b.symbols;
    for (size_t i = 1000; i < 1400; i++) b.symbols[i] = (uint16_t)rng_next(&rng);
    coarse.signature = b.signature;
    coarse.signature.symbols = coarse.symbols;
    coarse.signature.positions = NULL;
    coarse.signature.count = 0, coarse.signature.c = 256, coarse.signature.alphabet = 16384;
    for (size_t i = 0; i < b.signature.count; i++)
        if (b.symbols[i] % 4 == 0) coarse.symbols[coarse.signature.count++] = b.symbols[i] / 4;
    struct edit_estimate e = estimate(&a, &coarse);
    assert_int_equal(e.blocks, 1);
    assert_true(e.distance.low <= 400 * 64 * .8 && 400 * 64 * .8 <= e.distance.high);
}

/* Shuffled symbols agree by chance only: small p must be as rare as it says. */
static void test_chance(void **state) {
    static struct random_signature a, b;
    uint64_t rng = 6;
    size_t rounds = effort(2000), small = 0;
    (void)state;
    for (size_t i = 0; i < rounds; i++) {
        uint32_t alphabet = i % 2 ? 256 : 65536;
        draw(&a, 20 + rng_below(&rng, 400), alphabet, &rng);
        b = a;
        b.signature.symbols = b.symbols;
        for (size_t k = b.signature.count; k > 1; k--) {
            size_t other = rng_below(&rng, k);
            uint16_t symbol = b.symbols[k - 1];
            b.symbols[k - 1] = b.symbols[other], b.symbols[other] = symbol;
        }
        small += estimate(&a, &b).p_unrelated < .01;
    }
    assert_true((double)small <= .01 * (double)rounds + 1);
    draw(&a, 8, 65536, &rng);
    assert_true(estimate(&a, &a).p_unrelated < .001);
    draw(&a, 3, 65536, &rng);
    assert_true(estimate(&a, &a).p_unrelated > .01); /* three in order are nothing */
}

static void test_where(void **state) {
    static struct random_signature a, b;
    uint64_t rng = 7;
    struct edit_regions regions;
    (void)state;
    draw(&a, 400, 65536, &rng);
    draw(&b, 370, 65536, &rng);
    memcpy(b.symbols, a.symbols, 100 * sizeof *a.symbols); /* 100 to 130 deleted, 250 to 260 replaced */
    memcpy(b.symbols + 100, a.symbols + 130, 120 * sizeof *a.symbols);
    memcpy(b.symbols + 230, a.symbols + 260, 140 * sizeof *a.symbols);
    assert_int_equal(find_edit_regions(&a.signature, &b.signature, &regions, NULL), STEMMA_OK);
    assert_int_equal(regions.count, 2);
    assert_true(regions.bytes_known);
    const struct edit_region *deleted = &regions.list[0], *replaced = &regions.list[1];
    assert_int_equal(deleted->kind, REGION_DELETE);
    assert_int_equal(deleted->symbols_a, 30);
    assert_int_equal(deleted->a.byte_begin, a.positions[99] + 8);
    assert_int_equal(deleted->a.byte_end, a.positions[130]);
    assert_true(deleted->a.begin > 98 * 64 && deleted->a.end < 132 * 64 &&
                deleted->b.begin == deleted->b.end);
    assert_int_equal(replaced->kind, REGION_REPLACE);
    assert_int_equal(replaced->b.byte_begin, b.positions[219] + 8);
    edit_regions_release(&regions);
    assert_int_equal(find_edit_regions(&a.signature, &a.signature, &regions, NULL), STEMMA_OK);
    assert_int_equal(regions.count, 0);
    edit_regions_release(&regions);
}

/* A million symbols of few kinds: the points are bounded, so is the time. */
static void test_repetition_is_not_quadratic(void **state) {
    size_t count = effort(300000);
    uint64_t rng = 8;
    (void)state;
    for (uint32_t alphabet = 2; alphabet <= 512; alphabet *= 16) {
        uint16_t *a = malloc(count * 2), *b = malloc(count * 2);
        for (size_t i = 0; i < count; i++) {
            a[i] = (uint16_t)rng_below(&rng, alphabet);
            b[i] = i % 1000 ? a[i] : (uint16_t)rng_below(&rng, alphabet);
        }
        struct signature sa = {
            .symbols = a, .count = count, .length = 64 * count, .agree = .07, .n = 8, .c = 64};
        sa.alphabet = alphabet;
        struct signature sb = sa;
        sb.symbols = b;
        struct edit_estimate e;
        clock_t begin = clock();
        assert_int_equal(estimate_edit(&sa, &sb, &e, NULL), STEMMA_OK);
        assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
        assert_possible(&e, &sa, &sb);
        assert_true(e.distance.value < .05 * (double)sa.length);
        free(a);
        free(b);
    }
}

static void test_unrelated_baseline(void **state) {
    (void)state;
    assert_true(unrelated_distance(1000, 0, .07) == 1000 && unrelated_distance(0, 0, .07) == 0);
    for (double agree = 0; agree <= 1; agree += .01) {
        for (double shorter = 1000; shorter > 0; shorter -= 50) {
            double distance = unrelated_distance(1000, shorter, agree);
            assert_true(distance >= 1000 - shorter && distance <= 1000);
            assert_true(distance == unrelated_distance(shorter, 1000, agree));
        }
    }
    assert_true(unrelated_distance(100000, 100, .07) < 99901); /* contained as a subsequence */
    assert_true(unrelated_distance(1000, 1000, .01) > unrelated_distance(1000, 1000, .08));
}

static void test_calibration(void **state) {
    enum { COUNT = 3, SIZE = 20000 };
    static uint32_t characters[COUNT][SIZE];
    struct text_span texts[COUNT];
    struct unrelated_sample sample, one;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *text = generated_text(100 + i);
        for (size_t k = 0; k < SIZE; k++) characters[i][k] = text[k];
        texts[i] = (struct text_span){characters[i], SIZE};
        free(text);
    }
    assert_int_equal(calibrate_unrelated(texts, COUNT, 2000, 8, &sample, NULL), STEMMA_OK);
    assert_int_equal(sample.pairs, 8);
    assert_true(fabs(sample.measured - sample.expected) < .1);
    assert_int_equal(calibrate_unrelated(texts, 1, 2000, 8, &one, NULL), STEMMA_OK);
    assert_true(fabs(one.measured - sample.measured) < .05);
    assert_int_equal(calibrate_unrelated(texts, COUNT, SIZE + 1, 8, &sample, NULL), STEMMA_NOT_FOUND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experiments_of_the_papers),
        cmocka_unit_test(test_never_outside_the_possible),
        cmocka_unit_test(test_equal_signatures_prove_nothing),
        cmocka_unit_test(test_long_passages),
        cmocka_unit_test(test_too_short_is_unknown),
        cmocka_unit_test(test_other_windows_are_refused),
        cmocka_unit_test(test_rates_nest),
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_repetition_is_not_quadratic),
        cmocka_unit_test(test_unrelated_baseline),
        cmocka_unit_test(test_calibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
