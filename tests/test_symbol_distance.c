/* Distances of strings of symbols against the obvious table, under every set of kernels: random strings of
 * all kinds of relatedness, and those that are hard on each shortcut. */
#include "align/signature/symbol_blocks.h"
#include "align/signature/symbols.h"
#include "base/rng.h"
#include "effort.h"
#include "emulate/emulated.h"
#include "kernels/generic.h"
#include "symbols_twin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 700

static uint16_t a[MOST], b[MOST];

static void fill(uint16_t *out, size_t count, unsigned alphabet, uint64_t *random) {
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)rng_below(random, alphabet);
}

/* A copy with `edits` insertions, deletions, replacements and moved pieces. */
static size_t edit(const uint16_t *from, size_t count, uint16_t *to, size_t edits, unsigned alphabet,
                   uint64_t *random) {
    memcpy(to, from, count * sizeof *to);
    for (; edits > 0 && count > 0; edits--) {
        size_t at = rng_below(random, count), kind = rng_below(random, 3);
        if (kind == 0) {
            memmove(to + at, to + at + 1, (--count - at) * sizeof *to);
        } else if (kind == 1 && count < MOST) {
            memmove(to + at + 1, to + at, (count++ - at) * sizeof *to);
            to[at] = (uint16_t)rng_below(random, alphabet);
        } else {
            to[at] = (uint16_t)rng_below(random, alphabet);
        }
    }
    return count;
}

/* Every bound around the true distance, and none. */
static void check(struct comparer *comparer, size_t n, size_t m) {
    struct symbols other = {b, m};
    uint64_t expected = twin_distance(a, n, b, m), got = 0;
    const uint64_t bounds[] = {
        UINT64_MAX, UINT64_MAX - 1, expected, expected + 1, expected ? expected - 1 : 0, expected / 2, 0};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        assert_int_equal(comparer_distances(comparer, &other, 1, bounds[i], &got, NULL), STEMMA_OK);
        assert_int_equal(got, expected <= bounds[i] ? expected : bounds[i] + 1);
    }
}

static void check_pair(struct comparer *comparer, size_t n, size_t m) {
    assert_int_equal(comparer_prepare(comparer, (struct symbols){a, n}, NULL), STEMMA_OK);
    check(comparer, n, m);
}

static void test_random(void **state) {
    (void)state;
    static const unsigned alphabets[] = {1, 2, 3, 16, 256, 1000, 65536};
    struct comparer *comparer;
    uint64_t random = 1;
    assert_int_equal(comparer_new(&comparer, NULL), STEMMA_OK);
    for (size_t round = 0; round < effort(1500); round++) {
        unsigned alphabet = alphabets[rng_below(&random, 7)];
        size_t n = rng_below(&random, round % 8 ? 150 : MOST), m = rng_below(&random, round % 8 ? 150 : MOST);
        fill(a, n, alphabet, &random);
        if (round % 3)
            m = edit(a, n, b, rng_below(&random, 1 + n / (1 + rng_below(&random, 8))), alphabet, &random);
        else
            fill(b, m, alphabet, &random);
        check_pair(comparer, n, m);
    }
    comparer_free(comparer);
}

/* Pieces of one string in another order: chains of long runs far from the diagonal. */
static void test_moved(void **state) {
    (void)state;
    struct comparer *comparer;
    uint64_t random = 2;
    assert_int_equal(comparer_new(&comparer, NULL), STEMMA_OK);
    for (size_t round = 0; round < effort(300); round++) {
        size_t n = 1 + rng_below(&random, 300), m = 0;
        fill(a, n, round % 2 ? 65536 : 200, &random);
        while (m < 300) {
            size_t from = rng_below(&random, n), length = 1 + rng_below(&random, 60);
            for (; length > 0 && from < n; length--) b[m++] = a[from++];
        }
        check_pair(comparer, n, m);
    }
    comparer_free(comparer);
}

static void test_extremes(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 300};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct comparer *comparer;
    assert_int_equal(comparer_new(&comparer, NULL), STEMMA_OK);
    for (size_t k = 0; k < SIZES * SIZES * 5; k++) {
        size_t n = sizes[k / 5 % SIZES], m = sizes[k / 5 / SIZES], kind = k % 5;
        for (size_t i = 0; i < MOST; i++) {
            a[i] = (uint16_t)(kind == 0 ? 7 : kind == 1 ? i : kind == 2 ? i % 3 : kind == 3 ? i / 20 : i);
            b[i] = (uint16_t)(kind == 0   ? 7
                              : kind == 1 ? i + 1
                              : kind == 2 ? i % 4
                              : kind == 3 ? i / 21
                                          : 65535 - i);
        }
        check_pair(comparer, n, m);
    }
    comparer_free(comparer);
}

/* The way for long strings, asked directly with short ones. */
static void test_blocks(void **state) {
    (void)state;
    struct symbol_blocks blocks = {0};
    uint64_t random = 3;
    for (size_t round = 0; round < effort(600); round++) {
        unsigned alphabet = round % 2 ? 4 : 60000;
        size_t n = rng_below(&random, 400), got = 0;
        fill(a, n, alphabet, &random);
        size_t m = edit(a, n, b, rng_below(&random, 1 + n), alphabet, &random);
        size_t expected = twin_distance(a, n, b, m), least = n > m ? n - m : m - n;
        size_t bound = least + rng_below(&random, 2 * expected + 2);
        assert_int_equal(symbol_blocks_distance(&blocks, a, n, b, m, bound, &got, NULL), STEMMA_OK);
        assert_int_equal(got, expected <= bound ? expected : bound + 1);
    }
    symbol_blocks_release(&blocks);
}

static void test_once(void **state) {
    (void)state;
    const uint16_t kitten[] = {'k', 'i', 't', 't', 'e', 'n'}, sitting[] = {'s', 'i', 't', 't', 'i', 'n', 'g'};
    struct symbols x = {kitten, 6}, y = {sitting, 7}, none = {NULL, 0};
    uint64_t got = 99;
    assert_int_equal(symbols_distance(x, y, UINT64_MAX, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 3);
    assert_int_equal(symbols_distance(x, y, 1, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 2);
    assert_int_equal(symbols_distance(none, y, UINT64_MAX, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 7);
    assert_int_equal(symbols_distance(x, none, UINT64_MAX, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 6);
    assert_int_equal(symbols_distance(none, none, 0, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 0);
}

/* Strings above and below the length that gets rows of its own. */
static void test_long(void **state) {
    (void)state;
    enum { LONG = 4500 };
    static uint16_t x[LONG], y[LONG];
    uint64_t random = 6, got = 0;
    for (size_t round = 0; round < effort(8); round++) {
        size_t n = LONG - rng_below(&random, 600), m = LONG - rng_below(&random, 600);
        fill(x, n, 60000, &random);
        for (size_t j = 0, i = 0; j < m; j++, i++)
            y[j] = round % 2 && i < n && rng_below(&random, 30) ? x[i] : (uint16_t)rng_below(&random, 500);
        uint64_t expected = twin_distance(x, n, y, m),
                 at_most = round % 4 < 2 ? UINT64_MAX : expected - 1 + round % 2;
        assert_int_equal(
            symbols_distance((struct symbols){x, n}, (struct symbols){y, m}, at_most, &got, NULL), STEMMA_OK);
        assert_int_equal(got, expected <= at_most ? expected : at_most + 1);
    }
}

#define MANY 23

/* Many at once, of all lengths: whatever shares a group must not matter. */
static void check_many(uint64_t *random, unsigned alphabet) {
    static uint16_t others[MANY][MOST];
    struct symbols strings[MANY];
    struct comparer *comparer;
    uint64_t got[MANY], at_most = rng_below(random, 2) ? UINT64_MAX : rng_below(random, 200);
    size_t n = rng_below(random, 200);
    fill(a, n, alphabet, random);
    for (size_t i = 0; i < MANY; i++) {
        strings[i] = (struct symbols){others[i], rng_below(random, 300)};
        fill(others[i], strings[i].count, alphabet, random);
        if (i % 3) strings[i].count = edit(a, n, others[i], rng_below(random, 60), alphabet, random);
    }
    assert_int_equal(comparer_new(&comparer, NULL), STEMMA_OK);
    assert_int_equal(comparer_prepare(comparer, (struct symbols){a, n}, NULL), STEMMA_OK);
    assert_int_equal(comparer_distances(comparer, strings, MANY, at_most, got, NULL), STEMMA_OK);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t expected = twin_distance(a, n, others[i], strings[i].count);
        assert_int_equal(got[i], expected <= at_most ? expected : at_most + 1);
    }
    comparer_free(comparer);
}

static void test_many(void **state) {
    (void)state;
    uint64_t random = 7;
    for (size_t round = 0; round < effort(200); round++) check_many(&random, round % 3 ? 65536 : 20);
}

/* ---- kernels ---- */

static const struct kernels *tables[4];
static size_t table_count;

static int list_tables(void **state) {
    (void)state;
    static const char *const names[] = {"avx2-plain", "avx2", "avx512"};
    for (size_t i = 0; i < 3; i++)
        if (kernels_named(names[i])) tables[table_count++] = kernels_named(names[i]);
#if STEMMA_EMULATED
    if (kernels_named("avx2")) tables[table_count++] = &kernels_avx512_emulated;
#endif
    return 0;
}

#define COLUMNS 300
#define WORDS   6
#define ROWS    20

/* What comes out of a band that is too narrow may differ; a whole table may not. Rows of random bits need not
 * come from a string: the recurrence is the same. */
static void check_columns(const struct symbol_rows *rows, const struct symbol_lanes *lanes) {
    static uint64_t scratch[2 * SYMBOL_LANES * WORDS];
    uint64_t expected[SYMBOL_LANES], got[SYMBOL_LANES];
    struct symbol_band all = {1000, 1000};
    generic_symbol_columns(rows, lanes, all, scratch, expected);
    for (size_t k = 0; k < table_count; k++) {
        tables[k]->symbol_columns(rows, lanes, all, scratch, got);
        assert_memory_equal(got, expected, lanes->used * sizeof *got);
    }
}

static void test_column_kernels(void **state) {
    (void)state;
    static uint64_t bits[ROWS * WORDS];
    static uint32_t offsets[COLUMNS * SYMBOL_LANES];
    uint64_t random = 4;
    for (size_t round = 0; round < effort(500); round++) {
        struct symbol_rows rows = {bits, 1 + rng_below(&random, WORDS), 0};
        rows.count = 64 * rows.words - rng_below(&random, 64);
        for (size_t i = 0; i < ROWS * rows.words; i++) bits[i] = rng_next(&random) & rng_next(&random);
        for (size_t i = 0; i < ROWS; i++)
            bits[i * rows.words] &= ~UINT64_C(0) << (rows.words * 64 - rows.count);
        struct symbol_lanes lanes = {.offsets = offsets, .used = 1 + rng_below(&random, SYMBOL_LANES)};
        memset(offsets, 0, sizeof offsets);
        for (size_t lane = 0; lane < lanes.used; lane++) {
            lanes.lengths[lane] = rng_below(&random, COLUMNS + 1);
            for (size_t j = 0; j < lanes.lengths[lane]; j++)
                offsets[j * SYMBOL_LANES + lane] = (uint32_t)(rng_below(&random, ROWS) * rows.words);
        }
        check_columns(&rows, &lanes);
    }
}

#define STORED 103

/* Sizes at the ends of 32 bits, counters at the ends of 8. */
static void test_counter_kernels(void **state) {
    (void)state;
    uint64_t random = 5;
    static uint8_t counters[STORED * SYMBOL_COUNTERS], query[SYMBOL_COUNTERS];
    for (size_t round = 0; round < effort(2000); round++) {
        uint32_t sizes[STORED], expected[STORED + KERNEL_SLACK], got[STORED + KERNEL_SLACK];
        unsigned spread = 1 + (unsigned)rng_below(&random, round % 2 ? 255 : 6);
        size_t count = rng_below(&random, STORED + 1);
        for (size_t i = 0; i < sizeof counters; i++) counters[i] = (uint8_t)(rng_below(&random, spread + 1));
        for (size_t i = 0; i < sizeof query; i++) query[i] = (uint8_t)rng_below(&random, spread + 1);
        for (size_t i = 0; i < STORED; i++)
            sizes[i] = round % 5 ? (uint32_t)rng_below(&random, 300) : (uint32_t)rng_next(&random);
        uint32_t size = round % 5 ? 150 : (uint32_t)rng_next(&random);
        uint64_t most = round % 7 == 0 ? rng_next(&random) >> rng_below(&random, 64)
                                       : SYMBOL_COUNTERS / 3 * spread + rng_below(&random, 200);
        size_t kept = generic_filter_counters(counters, sizes, count, query, size, most, expected);
        for (size_t k = 0; k < table_count; k++) {
            assert_int_equal(tables[k]->filter_counters(counters, sizes, count, query, size, most, got),
                             kept);
            assert_memory_equal(got, expected, kept * sizeof *got);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_column_kernels),
        cmocka_unit_test(test_counter_kernels),
    };
    return cmocka_run_group_tests_name("symbol_distance", tests, list_tables, NULL);
}
