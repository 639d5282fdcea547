/* Candidates of a question, of which the best are kept while they are found: against all of them, sorted. */
#include "base/rng.h"
#include "index/hamming/retrieval.h"
#include "index/retrieval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;
static const uint64_t SAMPLES = 40; /* of the question */

static struct candidate random_candidate(uint64_t number, bool resembles) {
    struct candidate c = {.number = number, .agree = (uint32_t)rng_below(&seed, 30)};
    c.reasons = resembles ? MAY_RESEMBLE : MAY_CONTAIN;
    if (resembles) return c;
    c.samples = (uint32_t)(1 + rng_below(&seed, 60));
    c.shared = (uint32_t)rng_below(&seed, (c.samples < SAMPLES ? c.samples : SAMPLES) + 1);
    return c;
}

static int best_first(const void *a, const void *b) {
    const struct candidate *p = a, *q = b;
    const double x = candidate_promise(p, SAMPLES), y = candidate_promise(q, SAMPLES);
    if (x != y) return x > y ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static void add(struct candidates *all, struct candidates *some, const struct candidate *c) {
    assert_int_equal(candidates_add(all, c, SAMPLES, NULL), STEMMA_OK);
    assert_int_equal(candidates_add(some, c, SAMPLES, NULL), STEMMA_OK);
}

/* Some numbers are found in both ways, first in the one and then in the other, as a question does. */
static void fill(struct candidates *all, struct candidates *some, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct candidate c = random_candidate(rng_below(&seed, 1 << 20) * 2, true);
        add(all, some, &c);
    }
    for (size_t i = 0; i < count; i++) {
        const bool again = rng_below(&seed, 2);
        const struct candidate c =
            random_candidate(again ? all->list[i].number : rng_below(&seed, 1 << 20) * 2 + 1, false);
        add(all, some, &c);
    }
}

static void check_kept(struct candidates *all, const struct candidates *some) {
    const size_t most = some->most < all->count ? some->most : all->count;
    qsort(all->list, all->count, sizeof *all->list, best_first);
    assert_int_equal(some->count, most);
    for (size_t i = 0; i < most; i++) {
        bool found = false;
        for (size_t k = 0; k < most && !found; k++) found = some->list[k].number == all->list[i].number;
        assert_true(found);
        assert_true(i == 0 || some->list[i - 1].number < some->list[i].number);
    }
}

static void test_best_stay(void **state) {
    (void)state;
    for (size_t most = 1; most < 300; most = most * 2 + 1) {
        struct candidates all = {0}, some = {.most = most};
        fill(&all, &some, 1000);
        assert_true(some.cap <= 4 * most + 64); /* whatever is found */
        candidates_finish(&all, SAMPLES);
        candidates_finish(&some, SAMPLES);
        assert_int_equal(all.left_out, 0);
        assert_true(some.count + some.left_out >= all.count);
        check_kept(&all, &some);
        candidates_release(&all);
        candidates_release(&some);
    }
}

/* ---- fingerprints ---- */

static stemma_status scan(void *context, const uint64_t *query, uint32_t radius,
                          struct hamming_matches *matches, struct hamming_work *work, stemma_error *err) {
    const uint32_t *distances = context;
    (void)query, (void)work;
    for (uint64_t i = 0; i < 1000; i++)
        if (distances[i] <= radius) assert_int_equal(hamming_matches_add(matches, i, distances[i], err), 0);
    return STEMMA_OK;
}

static void test_nearest_stay(void **state) {
    uint32_t distances[1000];
    const struct hamming_source source = {.context = distances, .bits = 64, .documents = 1000, .scan = scan};
    const uint64_t query = 0;
    (void)state;
    for (size_t i = 0; i < 1000; i++) distances[i] = (uint32_t)rng_below(&seed, 20);
    for (size_t most = 1; most < 900; most = 3 * most + 2) {
        struct hamming_matches all = {0}, some = {.most = most};
        assert_int_equal(hamming_query(&source, &query, 15, HAMMING_SCAN, &all, NULL, NULL), STEMMA_OK);
        assert_int_equal(hamming_query(&source, &query, 15, HAMMING_SCAN, &some, NULL, NULL), STEMMA_OK);
        assert_true(some.capacity <= 4 * most + 64);
        assert_int_equal(some.count + some.left_out, all.count);
        qsort(all.list, all.count, sizeof *all.list, hamming_nearest_first);
        qsort(some.list, some.count, sizeof *some.list, hamming_nearest_first);
        assert_int_equal(some.count, most < all.count ? most : all.count);
        for (size_t i = 0; i < some.count; i++) assert_int_equal(some.list[i].number, all.list[i].number);
        hamming_matches_release(&all);
        hamming_matches_release(&some);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best_stay), cmocka_unit_test(test_nearest_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
