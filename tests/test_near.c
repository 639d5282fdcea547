/* Searching many signatures: the answer is that of comparing each by the obvious table, for all bounds; and
 * the public calls around it. */
#include "align/signature/near.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "effort.h"
#include "symbols_twin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the store ---- */

#define STORED 1500 /* more than a block */
#define MOST   130

static uint16_t stored[STORED][MOST], query[MOST];
static size_t lengths[STORED];

static void fill(uint16_t *out, size_t count, unsigned alphabet, uint64_t *random) {
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)rng_below(random, alphabet);
}

/* A third near the query, with ties and copies of it among them; the rest anything, the empty string
 * included. */
static void make_stored(size_t query_count, unsigned alphabet, uint64_t *random) {
    for (size_t i = 0; i < STORED; i++) {
        if (i % 3 == 0) {
            memcpy(stored[i], query, sizeof query);
            lengths[i] = query_count;
            for (size_t edits = rng_below(random, 1 + i % 40); edits > 0 && lengths[i] > 1; edits--)
                stored[i][rng_below(random, lengths[i])] = (uint16_t)rng_below(random, alphabet);
            if (i % 2 && lengths[i]) lengths[i] -= rng_below(random, lengths[i] < 9 ? lengths[i] : 9);
        } else {
            lengths[i] = i % 50 == 1 ? 0 : rng_below(random, MOST);
            fill(stored[i], lengths[i], alphabet, random);
        }
    }
}

static void check_search(const struct store *store, struct symbols asked, const uint64_t *distances,
                         uint64_t at_most) {
    stemma_near *found = NULL;
    size_t count = 0, compared = 0, at = 0;
    assert_int_equal(store_search(store, asked, at_most, NULL, &found, &count, &compared, NULL), STEMMA_OK);
    for (size_t i = 0; i < STORED; i++) {
        if (distances[i] > at_most) continue;
        assert_true(at < count);
        assert_int_equal(found[at].index, i);
        assert_int_equal(found[at++].distance, distances[i]);
    }
    assert_int_equal(at, count);
    assert_true(compared >= count && compared <= STORED);
    mem_free(found);
}

static void test_linear_scan(void **state) {
    (void)state;
    static const unsigned alphabets[] = {65536, 65536, 256, 2, 1};
    static const uint64_t bounds[] = {0,         1, 2, 5, 10, 30, 60, 100, 129, 130, 1000, UINT64_MAX / 2,
                                      UINT64_MAX};
    uint64_t random = 11;
    for (size_t round = 0; round < effort(6); round++) {
        unsigned alphabet = alphabets[round % 5];
        size_t query_count = round == 3 ? 0 : 60 + rng_below(&random, MOST - 60);
        struct symbols asked = {query, query_count};
        struct store *store;
        static uint64_t distances[STORED];
        fill(query, query_count, alphabet, &random);
        make_stored(query_count, alphabet, &random);
        assert_int_equal(store_new(&store, NULL), STEMMA_OK);
        for (size_t i = 0; i < STORED; i++) {
            assert_int_equal(store_add(store, (struct symbols){stored[i], lengths[i]}, NULL), STEMMA_OK);
            distances[i] = twin_distance(query, query_count, stored[i], lengths[i]);
        }
        assert_int_equal(store_count(store), STORED);
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
            check_search(store, asked, distances, bounds[k]);
        store_free(store);
    }
}

/* Counters that are full must not reject: 300 equal symbols against 600. */
static void test_full_counters(void **state) {
    (void)state;
    static uint16_t same[600];
    struct store *store;
    stemma_near *found = NULL;
    size_t count = 0;
    assert_int_equal(store_new(&store, NULL), STEMMA_OK);
    assert_int_equal(store_add(store, (struct symbols){same, 600}, NULL), STEMMA_OK);
    assert_int_equal(store_search(store, (struct symbols){same, 300}, 300, NULL, &found, &count, NULL, NULL),
                     STEMMA_OK);
    assert_int_equal(count, 1);
    assert_int_equal(found[0].distance, 300);
    mem_free(found);
    assert_int_equal(store_search(store, (struct symbols){same, 300}, 299, NULL, &found, &count, NULL, NULL),
                     STEMMA_OK);
    assert_int_equal(count, 0);
    store_free(store);
}

/* ---- the public calls ---- */

#define TEXT 8000

static char text[TEXT];

static stemma_recipe *recipe_of(const char *words) {
    stemma_recipe *recipe;
    assert_int_equal(stemma_recipe_parse(words, &recipe, NULL), STEMMA_OK);
    return recipe;
}

/* The text with one letter in `every` replaced. */
static stemma_sketch *sketch_of(const char *words, size_t every) {
    static char changed[TEXT];
    stemma_recipe *recipe = recipe_of(words);
    stemma_sketch *sketch;
    memcpy(changed, text, TEXT);
    for (size_t i = every / 2; every && i < TEXT; i += every) changed[i] = changed[i] == 'x' ? 'y' : 'x';
    assert_int_equal(stemma_sketch_bytes(changed, TEXT, "changed", recipe, NULL, &sketch, NULL), STEMMA_OK);
    stemma_recipe_free(recipe);
    return sketch;
}

static int make_text(void **state) {
    (void)state;
    uint64_t random = 12;
    for (size_t i = 0; i < TEXT; i++)
        text[i] = rng_below(&random, 6) ? (char)('a' + rng_below(&random, 24)) : ' ';
    return 0;
}

static const char fine[] = "mod n=64; signature n=8 c=16 alphabet=65536";
static const char coarse[] = "signature n=8 c=64 alphabet=16384";

static void test_bundle(void **state) {
    (void)state;
    static const size_t every[] = {0, 1000, 200, 50, 9};
    char path[] = "/tmp/stemma-search-XXXXXX";
    stemma_writer *writer;
    stemma_reader *reader;
    stemma_signatures *signatures;
    stemma_near *found;
    size_t count;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(stemma_writer_open(path, &writer, NULL), STEMMA_OK);
    for (size_t i = 0; i < 5; i++) {
        stemma_sketch *sketch = sketch_of(fine, every[i]);
        assert_int_equal(stemma_writer_add(writer, sketch, NULL), STEMMA_OK);
        stemma_sketch_free(sketch);
    }
    assert_int_equal(stemma_writer_close(writer, NULL), STEMMA_OK);
    assert_int_equal(stemma_reader_open(path, &reader, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_new(stemma_reader_recipe(reader), 1, &signatures, NULL), STEMMA_OK);
    for (stemma_sketch *sketch; stemma_reader_next(reader, &sketch, NULL) == STEMMA_OK;
         stemma_sketch_free(sketch))
        assert_int_equal(stemma_signatures_add(signatures, sketch, NULL), STEMMA_OK);
    stemma_reader_free(reader);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(stemma_signatures_count(signatures), 5);

    stemma_sketch *asked = sketch_of(fine, 0);
    assert_int_equal(stemma_signatures_search(signatures, asked, 0, NULL, &found, &count, NULL), STEMMA_OK);
    assert_int_equal(count, 1);
    assert_int_equal(found[0].index, 0);
    stemma_near_free(found);
    assert_int_equal(stemma_signatures_search(signatures, asked, UINT64_MAX, NULL, &found, &count, NULL),
                     STEMMA_OK);
    assert_int_equal(count, 5);
    for (size_t i = 1; i < 5; i++) {
        assert_true(found[i].distance > found[i - 1].distance);
        assert_true(found[i].distance <= stemma_signatures_bound(signatures, TEXT / every[i] + 1));
    }
    stemma_near_free(found);
    stemma_sketch_free(asked);
    stemma_signatures_free(signatures);
}

/* A finer signature is made as coarse as the store's, whether added or asked with;
 * a coarser one is refused. */
static void test_nested(void **state) {
    (void)state;
    stemma_recipe *recipe = recipe_of(coarse);
    stemma_signatures *signatures, *finer;
    stemma_near *found;
    size_t count;
    stemma_error error;
    stemma_sketch *rough = sketch_of(coarse, 0), *detailed = sketch_of(fine, 0), *far = sketch_of(fine, 9);
    assert_int_equal(stemma_signatures_new(recipe, 0, &signatures, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_add(signatures, rough, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_add(signatures, detailed, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_add(signatures, far, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_search(signatures, detailed, 0, NULL, &found, &count, NULL),
                     STEMMA_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[1].index, 1);
    stemma_near_free(found);
    assert_int_equal(stemma_signatures_new(stemma_sketch_recipe(detailed), 1, &finer, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_add(finer, rough, &error), STEMMA_MISMATCH);
    assert_non_null(strstr(error.message, "c=16"));
    stemma_signatures_free(finer);
    stemma_signatures_free(signatures);
    stemma_sketch_free(rough);
    stemma_sketch_free(detailed);
    stemma_sketch_free(far);
    stemma_recipe_free(recipe);
}

/* Bits are of bytes: an edit of one character may change four of them, each with a window of its own. */
static void test_bound_of_characters(void **state) {
    (void)state;
    stemma_recipe *recipe = recipe_of("preset=text; signature2011 n=1 c=1");
    stemma_signatures *signatures;
    stemma_near *found;
    size_t count;
    uint64_t most = 0;
    assert_int_equal(stemma_signatures_new(recipe, 0, &signatures, NULL), STEMMA_OK);
    for (unsigned i = 0; i < 64; i++) {
        const char character[] = {(char)0xf0, (char)(0xa0 + i % 4), (char)(0x80 + i), (char)(0xbf - i)};
        stemma_sketch *sketch;
        assert_int_equal(stemma_sketch_bytes(character, 4, NULL, recipe, NULL, &sketch, NULL), STEMMA_OK);
        assert_int_equal(stemma_signatures_add(signatures, sketch, NULL), STEMMA_OK);
        assert_int_equal(stemma_signatures_search(signatures, sketch, UINT64_MAX, NULL, &found, &count, NULL),
                         STEMMA_OK);
        for (size_t k = 0; k < count; k++) most = found[k].distance > most ? found[k].distance : most;
        stemma_near_free(found);
        stemma_sketch_free(sketch);
    }
    assert_true(most > 1 && most <= stemma_signatures_bound(signatures, 1));
    stemma_signatures_free(signatures);
    stemma_recipe_free(recipe);
}

static void test_refusals(void **state) {
    (void)state;
    static char untouched;
    stemma_signatures *signatures = (void *)&untouched;
    stemma_near *found = (void *)&untouched;
    size_t count = 77;
    stemma_recipe *recipe = recipe_of(fine);
    stemma_sketch *other_view = sketch_of("preset=raw unit=byte; signature n=8 c=16", 0),
                  *asked = sketch_of(fine, 0);
    volatile int stop = 1;
    stemma_limits limits = stemma_limits_default();
    limits.stop = &stop;
    assert_int_equal(stemma_signatures_new(NULL, 0, &signatures, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_signatures_new(recipe, 2, &signatures, NULL), STEMMA_NOT_FOUND);
    assert_int_equal(stemma_signatures_new(recipe, 0, &signatures, NULL), STEMMA_UNSUPPORTED);
    assert_ptr_equal(signatures, &untouched);
    assert_int_equal(stemma_signatures_new(recipe, 1, &signatures, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_add(signatures, other_view, NULL), STEMMA_MISMATCH);
    assert_int_equal(stemma_signatures_search(signatures, other_view, 0, NULL, &found, &count, NULL),
                     STEMMA_MISMATCH);
    assert_int_equal(stemma_signatures_add(signatures, asked, NULL), STEMMA_OK);
    assert_int_equal(stemma_signatures_search(signatures, asked, 0, &limits, &found, &count, NULL),
                     STEMMA_INTERRUPTED);
    assert_ptr_equal(found, &untouched);
    assert_int_equal(count, 77);
    assert_int_equal(stemma_signatures_bound(signatures, UINT64_MAX), UINT64_MAX);
    assert_int_equal(stemma_signatures_bound(signatures, 3), 48);
    stemma_signatures_free(signatures);
    stemma_signatures_free(NULL);
    stemma_near_free(NULL);
    stemma_sketch_free(other_view);
    stemma_sketch_free(asked);
    stemma_recipe_free(recipe);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_scan),
        cmocka_unit_test(test_full_counters),
        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_bound_of_characters),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("near", tests, make_text, NULL);
}
