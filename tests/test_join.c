/* Candidates: the recall floors on sets of known resemblance and containment, and what large buckets cost. */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "effort.h"
#include "join/join.h"
#include "kernels/kernels.h"
#include "sketch/keyer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- a pile of sets ---- */

struct pile {
    struct join_plan plan;
    struct keyer *keyer;
    uint32_t count, room;
    uint8_t *keys;
    uint32_t *rank, *sample_counts, *sizes;
    struct sorter *samples;
    struct sorter *pairs;
    struct join_counts counts;
};

static void pile_init(struct pile *pile, const struct join_options *options, uint32_t room) {
    *pile = (struct pile){.room = room};
    assert_int_equal(join_plan_make(options, &pile->plan, NULL), STEMMA_OK);
    assert_int_equal(keyer_new(join_plan_form(&pile->plan), &pile->keyer, NULL), STEMMA_OK);
    pile->keys = mem_alloc(room * pile->plan.key_bytes + KERNEL_SLACK);
    pile->rank = mem_alloc(room * sizeof *pile->rank);
    pile->sizes = mem_alloc(room * sizeof *pile->sizes);
    pile->sample_counts = mem_alloc(room * sizeof *pile->sample_counts);
    struct sorter_options sorting = {.memory = (size_t)64 << 20, .key_bits = KEY_SAMPLE_BITS};
    assert_int_equal(sorter_new(&sorting, &pile->samples, NULL), STEMMA_OK);
}

/* `set` has KERNEL_SLACK bytes behind it. */
static uint32_t pile_add(struct pile *pile, const uint64_t *set, size_t count, uint32_t rank) {
    struct vec64 samples = {0};
    uint32_t class = pile->count++;
    assert_true(class < pile->room);
    assert_int_equal(
        keyer_make(pile->keyer, set, count, pile->keys + class * pile->plan.key_bytes, &samples, NULL),
        STEMMA_OK);
    pile->rank[class] = rank;
    pile->sizes[class] = keyer_size(pile->keyer);
    pile->sample_counts[class] = (uint32_t)samples.len;
    for (size_t i = 0; i < samples.len; i++) {
        struct record record = {samples.data[i], class};
        assert_int_equal(sorter_add(pile->samples, &record, 1, NULL), STEMMA_OK);
    }
    vec64_release(&samples);
    return class;
}

static void pile_join(struct pile *pile, unsigned threads) {
    struct sorter_options sorting = {.memory = (size_t)64 << 20, .unique = true};
    struct join_input input = {.count = pile->count,
                               .keys = pile->keys,
                               .rank = pile->rank,
                               .sample_counts = pile->sample_counts,
                               .sizes = pile->sizes,
                               .samples = pile->samples,
                               .threads = threads};
    assert_int_equal(sorter_new(&sorting, &pile->pairs, NULL), STEMMA_OK);
    assert_int_equal(sorter_finish(pile->samples, NULL), STEMMA_OK);
    assert_int_equal(join_candidates(&pile->plan, &input, pile->pairs, &pile->counts, NULL), STEMMA_OK);
    assert_int_equal(sorter_finish(pile->pairs, NULL), STEMMA_OK);
}

/* All records of the result, in order. */
static struct record *pile_pairs(struct pile *pile, size_t *count) {
    size_t room = (size_t)sorter_count(pile->pairs), got = 0;
    struct record *records = mem_alloc((room + 1) * sizeof *records);
    struct sorter_cursor *cursor = NULL;
    assert_int_equal(sorter_read(pile->pairs, &cursor, NULL), STEMMA_OK);
    *count = 0;
    do {
        assert_int_equal(sorter_next(cursor, records + *count, room + 1 - *count, &got, NULL), STEMMA_OK);
        *count += got;
    } while (got > 0);
    sorter_cursor_free(cursor);
    return records;
}

static void pile_release(struct pile *pile) {
    keyer_free(pile->keyer);
    mem_free(pile->keys);
    mem_free(pile->rank);
    mem_free(pile->sample_counts);
    mem_free(pile->sizes);
    sorter_free(pile->samples);
    sorter_free(pile->pairs);
}

/* ---- the plan ---- */

static void test_plan_floors(void **state) {
    (void)state;
    for (int percent = 30; percent <= 100; percent++) {
        struct join_options options = {.threshold = percent / 100., .contained = .9};
        struct join_plan plan;
        assert_int_equal(join_plan_make(&options, &plan, NULL), STEMMA_OK);
        assert_true(join_plan_found(&plan, options.threshold) >= .99);
        assert_true(join_plan_found(&plan, fmin(options.threshold + .05, 1)) >= .999);
        assert_true(join_plan_found(&plan, options.threshold / 2) < .06);
        assert_true(plan.minima <= KEY_MINIMA && plan.rows * plan.bands == plan.minima);
        assert_true(plan.minima + plan.checks >= 3 * plan.bands); /* 24 bits each */
        assert_true(plan.key_bytes == plan.minima + plan.checks && plan.key_bytes <= 192);
    }
}

static void test_plan_refused(void **state) {
    (void)state;
    const struct join_options wrong[] = {{.threshold = .29},
                                         {.threshold = 1.01},
                                         {.threshold = NAN},
                                         {.threshold = .5, .contained = .4},
                                         {.threshold = .5, .contained = 1.1},
                                         {.threshold = .5, .contained = NAN},
                                         {.threshold = .5, .modulus = 20, .coarse = 16}};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct join_plan plan = {.rows = 77};
        stemma_error err;
        assert_int_equal(join_plan_make(&wrong[i], &plan, &err), STEMMA_INVALID);
        assert_int_equal(plan.rows, 77);
    }
}

/* ---- keys ---- */

#define SET_MOST 6000
#define SLACK    (KERNEL_SLACK / 8)

/* Two sets with `common` elements in common, and `a`, `b` of their own. */
struct couple {
    uint64_t a[SET_MOST + SLACK], b[SET_MOST + SLACK];
    size_t a_count, b_count;
};

static void couple_make(struct couple *c, size_t common, size_t a, size_t b, uint64_t *random) {
    assert_true(common + a <= SET_MOST && common + b <= SET_MOST);
    for (size_t i = 0; i < common; i++) c->a[i] = c->b[i] = rng_next(random);
    for (size_t i = 0; i < a; i++) c->a[common + i] = rng_next(random);
    for (size_t i = 0; i < b; i++) c->b[common + i] = rng_next(random);
    c->a_count = common + a;
    c->b_count = common + b;
}

/* The share of minima that agree, over many pairs of sets, is the resemblance: within five standard
 * deviations (and what the cut to 8 or 16 bits adds). */
static void test_agreement(void **state) {
    (void)state;
    static const struct {
        size_t common, a, b;
    } shapes[] = {{1, 0, 0},     {1, 1, 0},       {1, 1, 1},       {2, 0, 1},
                  {3, 1, 1},     {7, 3, 0},       {20, 5, 15},     {50, 50, 0},
                  {100, 20, 30}, {300, 100, 100}, {1000, 2000, 0}, {2000, 500, 500}};
    static struct couple couple;
    uint64_t random = 11;
    for (size_t i = 0; i < 2 * LENGTH(shapes); i++) {
        const size_t s = i / 2;
        struct join_options options = {.threshold = .7, .coarse = i % 2 ? 4 : 1, .seed = s};
        struct join_plan plan;
        struct keyer *keyer = NULL;
        assert_int_equal(join_plan_make(&options, &plan, NULL), STEMMA_OK);
        assert_int_equal(keyer_new(join_plan_form(&plan), &keyer, NULL), STEMMA_OK);
        const double j = (double)shapes[s].common / (double)(shapes[s].common + shapes[s].a + shapes[s].b);
        const size_t rounds = effort(1000);
        uint64_t agree = 0;
        for (size_t round = 0; round < rounds; round++) {
            uint8_t keys[2][2 * KEY_MINIMA + KERNEL_SLACK];
            struct vec64 none = {0};
            couple_make(&couple, shapes[s].common, shapes[s].a, shapes[s].b, &random);
            assert_int_equal(keyer_make(keyer, couple.a, couple.a_count, keys[0], &none, NULL), STEMMA_OK);
            assert_int_equal(keyer_make(keyer, couple.b, couple.b_count, keys[1], &none, NULL), STEMMA_OK);
            agree += kernels_get()->equal_fields(keys[0], keys[1], plan.minima, KEY_BITS);
        }
        keyer_free(keyer);
        const double n = (double)rounds * plan.minima, p = j + (1 - j) / 256;
        print_message("J %.3f of %zu elements: %.4f agree\n", j, couple.a_count, (double)agree / n);
        assert_true(fabs((double)agree - n * p) <= 5 * sqrt(n * p * (1 - p)));
    }
}

/* By the fingerprints that come first alone, when they are enough: whether they are. */
static bool same_by_few(struct keyer *keyer, const struct join_plan *plan, const uint64_t *fp, size_t count,
                        const uint8_t *wanted_keys, const struct vec64 *wanted, uint32_t wanted_size) {
    static uint64_t few[3 * SET_MOST + SLACK];
    uint8_t keys[2 * KEY_MINIMA];
    struct vec64 got = {0};
    size_t kept = 0;
    bool done = false;
    for (size_t i = 0; i < count; i++)
        if (fp[i] % plan->coarse == 0) few[kept++] = fp[i];
    assert_int_equal(keyer_make_coarse(keyer, few, kept, keys, &got, &done, NULL), STEMMA_OK);
    if (done) {
        assert_memory_equal(keys, wanted_keys, plan->key_bytes);
        assert_int_equal(keyer_size(keyer), wanted_size);
        assert_int_equal(got.len, wanted->len);
        if (got.len > 0) assert_memory_equal(got.data, wanted->data, got.len * sizeof *got.data);
    }
    vec64_release(&got);
    return done;
}

/* However it is cut, ordered and repeated. */
static void test_pieces(void **state) {
    (void)state;
    static uint64_t set[SET_MOST + SLACK], mixed[3 * SET_MOST + SLACK];
    uint64_t random = 12;
    size_t by_few = 0;
    for (size_t round = 0; round < effort(300); round++) {
        size_t most = round % 3 == 0   ? 8
                      : round % 3 == 1 ? 300
                                       : SET_MOST,
               count = 1 + rng_below(&random, most);
        struct join_options options = {.threshold = .3 + .1 * (double)(round % 7),
                                       .contained = .9,
                                       .coarse = round % 2 ? 4 : 1,
                                       .seed = round};
        struct join_plan plan;
        struct keyer *keyer = NULL;
        struct vec64 wanted = {0}, got = {0};
        uint8_t wanted_keys[2 * KEY_MINIMA], keys[2 * KEY_MINIMA];
        for (size_t i = 0; i < count; i++) set[i] = rng_next(&random);
        size_t size = count + rng_below(&random, 2 * SET_MOST);
        for (size_t i = 0; i < size; i++) mixed[i] = i < count ? set[i] : set[rng_below(&random, count)];
        for (size_t i = size; i-- > 1;) {
            size_t other = rng_below(&random, i + 1);
            uint64_t swapped = mixed[i];
            mixed[i] = mixed[other];
            mixed[other] = swapped;
        }
        assert_int_equal(join_plan_make(&options, &plan, NULL), STEMMA_OK);
        assert_int_equal(keyer_new(join_plan_form(&plan), &keyer, NULL), STEMMA_OK);
        assert_int_equal(keyer_make(keyer, set, count, wanted_keys, &wanted, NULL), STEMMA_OK);
        const uint32_t wanted_size = keyer_size(keyer);
        assert_int_equal(keyer_make(keyer, mixed, size, keys, &got, NULL), STEMMA_OK);
        assert_memory_equal(keys, wanted_keys, plan.key_bytes);
        assert_int_equal(got.len, wanted.len);
        memset(keys, 0, sizeof keys);
        keyer_begin(keyer);
        for (size_t at = 0, piece; at < size; at += piece) {
            piece = 1 + rng_below(&random, size - at < 3000 ? size - at : 3000);
            assert_int_equal(keyer_add(keyer, mixed + at, piece, NULL), STEMMA_OK);
        }
        assert_int_equal(keyer_end(keyer, keys, &got, NULL), STEMMA_OK);
        assert_int_equal(keyer_size(keyer), wanted_size);
        assert_true(fabs(wanted_size / (double)count - 1) <= (count <= 1000 ? .05 : .6));
        assert_memory_equal(keys, wanted_keys, plan.key_bytes);
        assert_int_equal(got.len, wanted.len);
        if (got.len > 0) assert_memory_equal(got.data, wanted.data, got.len * sizeof *got.data);
        if (plan.coarse > 1)
            by_few += same_by_few(keyer, &plan, mixed, size, wanted_keys, &wanted, wanted_size);
        vec64_release(&wanted);
        vec64_release(&got);
        keyer_free(keyer);
    }
    assert_true(by_few > 0 || !effort_is_full());
}

/* Samples are the distinct fingerprints that are 0 mod the modulus, whatever repeats. */
static void test_samples_distinct(void **state) {
    (void)state;
    static uint64_t values[100000 + SLACK];
    struct join_options options = {.threshold = .7, .contained = .9, .modulus = 32};
    struct join_plan plan;
    struct keyer *keyer = NULL;
    struct vec64 samples = {0};
    uint8_t keys[2 * KEY_MINIMA];
    for (size_t i = 0; i < 100000; i++) values[i] = i % 96; /* 0, 32, 64 */
    assert_int_equal(join_plan_make(&options, &plan, NULL), STEMMA_OK);
    assert_int_equal(keyer_new(join_plan_form(&plan), &keyer, NULL), STEMMA_OK);
    assert_int_equal(keyer_make(keyer, values, 100000, keys, &samples, NULL), STEMMA_OK);
    assert_int_equal(samples.len, 3);
    for (size_t i = 0; i < samples.len; i++) assert_true(samples.data[i] >> KEY_SAMPLE_BITS == 0);
    vec64_release(&samples);
    keyer_free(keyer);
}

/* ---- resemblance ---- */

/* How many of `couples` pairs with this resemblance are found, all in one pile. */
static size_t found_of(double threshold, size_t couples, size_t common, size_t a, size_t b, uint64_t seed,
                       struct join_counts *counts) {
    static struct couple couple;
    struct join_options options = {.threshold = threshold, .coarse = seed % 2 ? 2 : 1, .seed = seed};
    struct pile pile;
    uint64_t random = seed;
    pile_init(&pile, &options, (uint32_t)(2 * couples));
    for (uint32_t i = 0; i < couples; i++) {
        couple_make(&couple, common, a, b, &random);
        pile_add(&pile, couple.a, couple.a_count, 2 * i);
        pile_add(&pile, couple.b, couple.b_count, 2 * i + 1);
    }
    pile_join(&pile, 2);
    size_t count, found = 0;
    struct record *pairs = pile_pairs(&pile, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t first = (uint32_t)(pairs[i].key >> 32), second = (uint32_t)pairs[i].key;
        assert_true(first < second && second < 2 * couples);
        assert_int_equal(pairs[i].value, CANDIDATE_RESEMBLES);
        found += first / 2 == second / 2;
    }
    *counts = pile.counts;
    mem_free(pairs);
    pile_release(&pile);
    return found;
}

/* Of n independent trials no fewer succeed than a floor of p lets expect, but once in 3 million. */
static void assert_floor(size_t found, size_t n, double p) {
    assert_true((double)found >= (double)n * p - 5 * sqrt((double)n * p * (1 - p)) - 1);
}

static void test_recall(void **state) {
    (void)state;
    static const struct {
        double threshold;
        size_t common, a, b;
        double floor;
    } cases[] = {{.3, 3, 3, 4, .99},         {.3, 300, 350, 350, .99},  {.3, 35, 65, 0, .999},
                 {.5, 1, 1, 0, .99},         {.5, 10, 5, 5, .99},       {.5, 500, 250, 250, .99},
                 {.5, 550, 100, 350, .999},  {.6, 60, 0, 40, .99},      {.7, 7, 2, 1, .99},
                 {.7, 70, 15, 15, .99},      {.7, 1400, 300, 300, .99}, {.7, 75, 25, 0, .999},
                 {.7, 1500, 250, 250, .999}, {.8, 8, 1, 1, .99},        {.8, 850, 100, 50, .999},
                 {.9, 9, 1, 0, .99},         {.9, 900, 50, 50, .99},    {.9, 950, 25, 25, .999},
                 {.95, 95, 5, 0, .99},       {1, 1, 0, 0, 1},           {1, 400, 0, 0, 1}};
    const size_t couples = effort(2000);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct join_counts counts;
        size_t found =
            found_of(cases[i].threshold, couples, cases[i].common, cases[i].a, cases[i].b, i + 1, &counts);
        print_message("t %.2f, %zu + %zu + %zu: %zu of %zu found, %llu looked at\n", cases[i].threshold,
                      cases[i].common, cases[i].a, cases[i].b, found, couples,
                      (unsigned long long)counts.looked);
        assert_floor(found, couples, cases[i].floor);
    }
}

/* ---- containment ---- */

/* One large set of `large` elements after the other, each with a contained one of `small`, of which `common`
 * are in it. The contained one comes first in keep order when small_first. */
static size_t contained_found(double contained, size_t couples, size_t small, size_t common, size_t large,
                              bool small_first, uint64_t seed) {
    static uint64_t set[200000 + SLACK], part[SET_MOST + SLACK];
    struct join_options options = {.threshold = .7, .contained = contained, .seed = seed};
    struct pile pile;
    uint64_t random = seed;
    pile_init(&pile, &options, (uint32_t)(2 * couples));
    for (uint32_t i = 0; i < couples; i++) {
        for (size_t k = 0; k < large; k++) set[k] = rng_next(&random);
        for (size_t k = 0; k < small; k++) part[k] = k < common ? set[k] : rng_next(&random);
        pile_add(&pile, part, small, 2 * i + !small_first);
        pile_add(&pile, set, large, 2 * i + small_first);
    }
    pile_join(&pile, 2);
    const uint64_t kind = small_first ? CANDIDATE_FIRST_IN_SECOND : CANDIDATE_SECOND_IN_FIRST;
    size_t count, found = 0;
    struct record *pairs = pile_pairs(&pile, &count);
    for (size_t i = 0; i < count; i++)
        found += (pairs[i].value & kind) && (pairs[i].key >> 32) / 2 == (uint32_t)pairs[i].key / 2;
    mem_free(pairs);
    pile_release(&pile);
    return found;
}

/* A kilobyte of text has about 166 shingles. */
static void test_containment_recall(void **state) {
    (void)state;
    static const struct {
        double contained;
        size_t couples, small, common, large;
    } cases[] = {{.9, 2000, 166, 150, 500},  {.9, 2000, 170, 153, 171},   {.9, 100, 170, 153, 200000},
                 {.9, 1000, 600, 540, 3000}, {.9, 300, 5000, 4500, 9000}, {.9, 300, 5000, 4500, 5500},
                 {.5, 1000, 400, 200, 1000}, {1, 1000, 300, 300, 400}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (int first = 0; first < 2; first++) {
            const size_t couples = effort(cases[i].couples);
            size_t found = contained_found(cases[i].contained, couples, cases[i].small, cases[i].common,
                                           cases[i].large, first, i + 1);
            print_message("%zu of %zu elements in %zu: %zu of %zu found\n", cases[i].common, cases[i].small,
                          cases[i].large, found, couples);
            assert_floor(found, couples, .99);
        }
}

/* A class of which most samples are everybody's is still linked to the first that contain it. */
static void test_containment_in_boilerplate(void **state) {
    (void)state;
    enum { SETS = 600, TEMPLATE = 2000, OWN = 60 };
    static uint64_t set[TEMPLATE + 2 * OWN + SLACK];
    struct join_options options = {.threshold = .95, .contained = .9, .cap = 100};
    struct pile pile;
    uint64_t random = 5;
    pile_init(&pile, &options, SETS);
    for (size_t k = 0; k < TEMPLATE; k++) set[k] = rng_next(&random);
    for (uint32_t i = 0; i < SETS; i++) {
        for (size_t k = 0; k < OWN; k++) set[TEMPLATE + k] = rng_next(&random);
        pile_add(&pile, set, TEMPLATE + OWN, i);
    }
    pile_join(&pile, 1);
    size_t count, linked = 0;
    struct record *pairs = pile_pairs(&pile, &count);
    for (size_t i = 0; i < count; i++)
        linked += pairs[i].key >> 32 == 0 && (pairs[i].value & CANDIDATE_SECOND_IN_FIRST);
    assert_int_equal(linked, SETS - 1);
    assert_true(pile.counts.full_samples > 0 && pile.counts.containing <= SETS * 3 * JOIN_FEW);
    mem_free(pairs);
    pile_release(&pile);
}

/* ---- small universes ---- */

static bool has_pair(const struct record *pairs, size_t count, uint64_t key, uint64_t kind) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pairs[middle].key < key || (pairs[middle].key == key && pairs[middle].value < kind))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && pairs[low].key == key && pairs[low].value == kind;
}

/* Many small sets out of few elements: of all pairs that brute force finds, as many are candidates as
 * promised. */
static void test_small_universe(void **state) {
    (void)state;
    enum { SETS = 400, ELEMENTS = 24 };
    uint64_t element[ELEMENTS], random = 3;
    uint32_t members[SETS];
    for (size_t i = 0; i < ELEMENTS; i++) element[i] = rng_next(&random);
    size_t wanted = 0, found = 0;
    for (uint64_t round = 0; round < effort(10); round++) {
        struct join_options options = {.threshold = .5, .cap = 1000, .seed = round};
        struct pile pile;
        pile_init(&pile, &options, SETS);
        for (uint32_t i = 0; i < SETS; i++) {
            uint64_t set[ELEMENTS + SLACK];
            size_t count = 0;
            members[i] = (uint32_t)(rng_next(&random) & rng_next(&random) & 0xffffff) | 1u << i % ELEMENTS;
            for (size_t k = 0; k < ELEMENTS; k++)
                if (members[i] >> k & 1) set[count++] = element[k];
            pile_add(&pile, set, count, i);
        }
        pile_join(&pile, 2);
        size_t count;
        struct record *pairs = pile_pairs(&pile, &count);
        for (uint32_t i = 0; i < SETS; i++)
            for (uint32_t k = i + 1; k < SETS; k++) {
                int common = __builtin_popcount(members[i] & members[k]);
                if (2 * common < __builtin_popcount(members[i] | members[k])) continue;
                wanted++;
                found += has_pair(pairs, count, (uint64_t)i << 32 | k, CANDIDATE_RESEMBLES);
            }
        mem_free(pairs);
        pile_release(&pile);
    }
    print_message("%zu of %zu pairs found\n", found, wanted);
    assert_true(wanted > effort(1000) && (double)found >= .99 * (double)wanted);
}

/* ---- large buckets ---- */

/* Near-copies of one set: each differs from it in 5 of 500 elements. All are linked to the first. */
static void test_crowd(void **state) {
    (void)state;
    enum { SIZE = 500, CHANGED = 5 };
    const uint32_t sets = (uint32_t)effort(10000);
    uint64_t original[SIZE], set[SIZE + SLACK], random = 4;
    struct join_options options = {.threshold = .7, .contained = .9};
    struct pile pile;
    pile_init(&pile, &options, sets);
    for (size_t k = 0; k < SIZE; k++) original[k] = rng_next(&random);
    for (uint32_t i = 0; i < sets; i++) {
        memcpy(set, original, sizeof original);
        for (size_t k = 0; k < CHANGED; k++) set[rng_below(&random, SIZE)] = rng_next(&random);
        pile_add(&pile, set, SIZE, sets - 1 - i);
    }
    pile_join(&pile, 2);
    size_t count, linked = 0;
    struct record *pairs = pile_pairs(&pile, &count);
    for (size_t i = 0; i < count; i++)
        linked += pairs[i].key >> 32 == 0 && pairs[i].value == CANDIDATE_RESEMBLES;
    print_message("%zu of %u linked to the first, %llu looked at, %llu met, %zu candidates\n", linked,
                  sets - 1, (unsigned long long)pile.counts.looked, (unsigned long long)pile.counts.shared,
                  count);
    assert_true((double)linked >= .999 * (sets - 1));
    assert_true(pile.counts.looked <= (uint64_t)sets * pile.plan.bands * pile.plan.cap / 2);
    mem_free(pairs);
    pile_release(&pile);
}

/* A template in front of different sets. */
static uint64_t template_work(uint32_t sets, size_t *candidates) {
    enum { SIZE = 500, TEMPLATE = 150 };
    uint64_t set[SIZE + SLACK], random = 6;
    struct join_options options = {.threshold = .7, .contained = .9};
    struct pile pile;
    pile_init(&pile, &options, sets);
    for (size_t k = 0; k < TEMPLATE; k++) set[k] = rng_next(&random);
    for (uint32_t i = 0; i < sets; i++) {
        for (size_t k = TEMPLATE; k < SIZE; k++) set[k] = rng_next(&random);
        pile_add(&pile, set, SIZE, i);
    }
    pile_join(&pile, 2);
    struct record *pairs = pile_pairs(&pile, candidates);
    uint64_t work = pile.counts.looked + pile.counts.shared;
    print_message("%u sets: %llu looked at, %llu met, %zu candidates\n", sets,
                  (unsigned long long)pile.counts.looked, (unsigned long long)pile.counts.shared,
                  *candidates);
    mem_free(pairs);
    pile_release(&pile);
    return work;
}

static void test_template(void **state) {
    (void)state;
    if (!effort_is_full()) skip();
    static const uint32_t sets[] = {2000, 20000, 40000};
    for (size_t i = 0; i < LENGTH(sets); i++) {
        size_t candidates;
        assert_true(template_work(sets[i], &candidates) <=
                    sets[i] * UINT64_C(60)); /* the cap is what bounds it */
        assert_true(candidates <= sets[i] / 50);
    }
}

/* ---- what changes nothing ---- */

/* Families of near-copies, with cap small enough that their buckets are full. */
static struct record *family_pairs(unsigned threads, uint64_t shuffle, size_t *count) {
    enum { FAMILIES = 20, MEMBERS = 40, SIZE = 300, MOST = FAMILIES * MEMBERS };
    static uint64_t sets[MOST][SIZE + SLACK];
    uint32_t order[MOST];
    uint64_t random = 8;
    for (uint32_t i = 0; i < MOST; i++) {
        order[i] = i;
        if (i % MEMBERS == 0)
            for (size_t k = 0; k < SIZE; k++) sets[i][k] = rng_next(&random);
        else
            memcpy(sets[i], sets[i - i % MEMBERS], sizeof sets[i]);
        for (size_t k = 0; k < i % MEMBERS; k++) sets[i][rng_below(&random, SIZE)] = rng_next(&random);
    }
    for (uint32_t i = MOST; shuffle && i-- > 1;) {
        uint32_t other = (uint32_t)rng_below(&shuffle, i + 1), swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    struct join_options options = {.threshold = .6, .contained = .8, .cap = 10};
    struct pile pile;
    pile_init(&pile, &options, MOST);
    for (uint32_t i = 0; i < MOST; i++) pile_add(&pile, sets[order[i]], SIZE, order[i]);
    pile_join(&pile, threads);
    assert_true(pile.counts.full_bands > 0 && pile.counts.full_samples > 0);
    struct record *pairs = pile_pairs(&pile, count);
    pile_release(&pile);
    return pairs;
}

static void test_independence(void **state) {
    (void)state;
    size_t wanted_count;
    struct record *wanted = family_pairs(1, 0, &wanted_count);
    assert_true(wanted_count > 800);
    for (unsigned threads = 1; threads <= 4; threads++) {
        size_t count;
        struct record *pairs = family_pairs(threads, threads, &count);
        assert_int_equal(count, wanted_count);
        assert_memory_equal(pairs, wanted, count * sizeof *pairs);
        mem_free(pairs);
    }
    mem_free(wanted);
}

/* A pair that shares a full band is found in one that is not: members of a family resemble each other
 * pairwise, and the cap only bounds what is shared by more. */
static void test_full_bands_lose_little(void **state) {
    (void)state;
    enum { SETS = 400, SIZE = 200, TEMPLATE = 120 };
    uint64_t set[SIZE + SLACK], random = 9;
    struct join_options options = {.threshold = .7, .cap = 20};
    struct pile pile;
    pile_init(&pile, &options, SETS);
    for (size_t k = 0; k < TEMPLATE; k++) set[k] = rng_next(&random);
    for (uint32_t i = 0; i < SETS; i += 2) {
        for (size_t k = TEMPLATE; k < SIZE; k++) set[k] = rng_next(&random);
        pile_add(&pile, set, SIZE, i);
        set[SIZE - 1] = rng_next(&random);
        pile_add(&pile, set, SIZE, i + 1);
    }
    pile_join(&pile, 2);
    size_t count, found = 0;
    struct record *pairs = pile_pairs(&pile, &count);
    for (uint32_t i = 0; i < SETS; i += 2)
        found += has_pair(pairs, count, (uint64_t)i << 32 | (i + 1), CANDIDATE_RESEMBLES);
    print_message("%zu of %d twins found, %llu full buckets\n", found, SETS / 2,
                  (unsigned long long)pile.counts.full_bands);
    assert_int_equal(found, SETS / 2);
    assert_true(pile.counts.full_bands > 0);
    mem_free(pairs);
    pile_release(&pile);
}

static void test_empty(void **state) {
    (void)state;
    struct join_options options = {.threshold = .7, .contained = .9};
    struct pile pile;
    pile_init(&pile, &options, 1);
    pile_join(&pile, 2);
    assert_int_equal(sorter_count(pile.pairs), 0);
    pile_release(&pile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_floors),
        cmocka_unit_test(test_plan_refused),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_samples_distinct),
        cmocka_unit_test(test_recall),
        cmocka_unit_test(test_containment_recall),
        cmocka_unit_test(test_containment_in_boilerplate),
        cmocka_unit_test(test_small_universe),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_independence),
        cmocka_unit_test(test_full_bands_lose_little),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
