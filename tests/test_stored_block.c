/* Blocks of stored runs: against a twin that writes bit by bit, read whole, in pieces and from any key on;
 * and bytes that are none. */
#include "base/buf.h"
#include "base/rng.h"
#include "effort.h"
#include "runs/record_sort.h"
#include "runs/stored_block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLACE = 4711 };

static int compare_records(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

enum { KINDS = 9 };

/* Samples, lists, ids, numbers in a row, and what no lookup has. */
static struct record make_record(uint64_t *rng, int kind, size_t i) {
    switch (kind) {
    case 0:
        return (struct record){rng_next(rng) >> 34, rng_below(rng, 1 << 20)};
    case 1:
        return (struct record){rng_below(rng, 5), rng_below(rng, 1000)};
    case 2:
        return (struct record){rng_next(rng), rng_below(rng, 1000)};
    case 3:
        return (struct record){i, 0};
    case 4:
        return (struct record){7, i};
    case 5:
        return (struct record){rng_below(rng, 9) ? rng_below(rng, 1000) : rng_next(rng), rng_next(rng) >> 20};
    case 6:
        return (struct record){rng_below(rng, 2) ? UINT64_MAX : 0, UINT64_MAX - rng_below(rng, 2)};
    case 7:
        return (struct record){(uint64_t)1 << rng_below(rng, 64), (uint64_t)1 << rng_below(rng, 64)};
    default:
        return (struct record){rng_next(rng), rng_next(rng)};
    }
}

static void make_records(uint64_t *rng, int kind, size_t count, struct record *records) {
    for (size_t i = 0; i < count; i++) records[i] = make_record(rng, kind, i);
    qsort(records, count, sizeof *records, compare_records);
}

/* ---- the twin: docs/format.md, as it reads ---- */

struct bits {
    uint8_t *bytes;
    size_t count;
};

static void add_bits(struct bits *to, uint64_t number, unsigned width) {
    for (unsigned bit = 0; bit < width; bit++, to->count++)
        to->bytes[to->count / 8] |= (uint8_t)((number >> bit & 1) << to->count % 8);
}

static uint64_t twin_rest(const struct record *records, size_t i, uint64_t least) {
    if (i > 0 && records[i].key == records[i - 1].key) return records[i].value - records[i - 1].value;
    return records[i].value - least;
}

static size_t twin_encode(const struct record *records, size_t count, uint8_t *to) {
    uint64_t least = ((uint64_t)1 << 48) - 1, widest = 0, zeros = 0;
    unsigned lower = 0, width = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].value < least) least = records[i].value;
    for (size_t i = 0; i < count; i++)
        if (twin_rest(records, i, least) > widest) widest = twin_rest(records, i, least);
    while (width < 64 && widest >> width) width++;
    while ((records[count - 1].key - records[0].key) / count >> lower > 1) lower++;
    memset(to, 0, STORED_BLOCK_BYTES_MOST);
    struct bits bits = {to, 64};
    add_bits(&bits, lower, 8);
    add_bits(&bits, width, 8);
    add_bits(&bits, least, 48);
    for (size_t i = 0; i < count; i++) add_bits(&bits, records[i].key - records[0].key, lower);
    for (size_t i = 0; i < count; i++) add_bits(&bits, twin_rest(records, i, least), width);
    for (size_t i = 0; i < count; i++) {
        for (; zeros < (records[i].key - records[0].key) >> lower; zeros++) add_bits(&bits, 0, 1);
        add_bits(&bits, 1, 1);
    }
    const size_t size = (bits.count + 63) / 64 * 8;
    store_u64(to, words_checksum(to + 8, size - 8, PLACE));
    return size;
}

/* ---- what goes in comes out ---- */

/* With what may be read behind it, and no more. */
static uint8_t *exactly(const uint8_t *bytes, size_t size) {
    uint8_t *copy = calloc(1, size + BLOCK_SLACK);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

static void check_rest(struct stored_block *block, const struct record *expected, size_t count,
                       size_t piece) {
    static struct record records[BLOCK_RECORDS];
    assert_int_equal(block->count - block->next, count);
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < piece ? count - at : piece;
        assert_null(stored_block_read(block, some, records));
        assert_memory_equal(records, expected + at, some * sizeof *records);
    }
}

static void check_block(const struct record *sorted, size_t count, uint64_t *rng) {
    static uint8_t bytes[STORED_BLOCK_BYTES_MOST + BLOCK_SLACK], twin[STORED_BLOCK_BYTES_MOST];
    struct stored_block block;
    const size_t size = stored_block_encode(sorted, count, PLACE, bytes);
    assert_true(size <= STORED_BLOCK_BYTES_MOST);
    assert_int_equal(size, twin_encode(sorted, count, twin));
    assert_memory_equal(bytes, twin, size);
    uint8_t *exact = exactly(bytes, size);
    assert_null(stored_block_open(&block, exact, size, PLACE, sorted[0].key, count));
    check_rest(&block, sorted, count, count);
    for (int i = 0; i < 40; i++) {
        const uint64_t key = i < 30 ? sorted[rng_below(rng, count)].key + (uint64_t)(i % 3) - 1
                                    : rng_next(rng) >> rng_below(rng, 64);
        size_t below = 0;
        while (below < count && sorted[below].key < key) below++;
        assert_null(stored_block_open(&block, exact, size, PLACE, sorted[0].key, count));
        stored_block_seek(&block, key);
        check_rest(&block, sorted + below, count - below, 1 + rng_below(rng, count));
    }
    free(exact);
}

static void test_random(void **state) {
    static struct record records[BLOCK_RECORDS];
    uint64_t rng = 3;
    (void)state;
    for (size_t round = 0; round < effort(40); round++)
        for (int kind = 0; kind < KINDS; kind++) {
            const size_t count = round % 10 == 9 ? BLOCK_RECORDS : 1 + rng_below(&rng, 300);
            make_records(&rng, kind, count, records);
            check_block(records, count, &rng);
        }
}

/* ---- bytes that are none ---- */

static void test_damage(void **state) {
    static uint8_t bytes[STORED_BLOCK_BYTES_MOST + BLOCK_SLACK];
    struct record records[100];
    struct stored_block block;
    uint64_t rng = 4;
    (void)state;
    make_records(&rng, 0, 100, records);
    const size_t size = stored_block_encode(records, 100, PLACE, bytes);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_non_null(stored_block_open(&block, bytes, size, PLACE, records[0].key, 100));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t less = 0; less < size; less++)
        assert_non_null(stored_block_open(&block, bytes, less, PLACE, records[0].key, 100));
    assert_non_null(stored_block_open(&block, bytes, size, PLACE + 8, records[0].key, 100));
}

/* Refused, or records in order from the key on, whatever the bytes are. */
static void check_made_up(uint8_t *bytes, size_t size, size_t count, uint64_t first_key, uint64_t key) {
    static struct record records[BLOCK_RECORDS];
    struct stored_block block;
    store_u64(bytes, words_checksum(bytes + 8, size - 8, PLACE));
    if (stored_block_open(&block, bytes, size, PLACE, first_key, count)) return;
    stored_block_seek(&block, key);
    assert_true(block.next <= count);
    const size_t left = count - block.next;
    if (left == 0 || stored_block_read(&block, left, records)) return;
    assert_true(records[0].key >= key && records[0].key >= first_key);
    for (size_t i = 1; i < left; i++) assert_true(record_number(records[i - 1]) <= record_number(records[i]));
}

static void test_made_up(void **state) {
    uint64_t rng = 5;
    (void)state;
    for (size_t round = 0; round < effort(20000); round++) {
        const size_t size = 16 + 8 * rng_below(&rng, 40), count = 1 + rng_below(&rng, 200);
        uint8_t *bytes = calloc(1, size + BLOCK_SLACK);
        for (size_t i = 8; i < size; i++)
            bytes[i] = (uint8_t)(rng_below(&rng, 4) ? rng_next(&rng) : 0); /* zeros count in upper bits */
        bytes[8] = (uint8_t)rng_below(&rng, rng_below(&rng, 2) ? 4 : 70);
        bytes[9] = (uint8_t)rng_below(&rng, rng_below(&rng, 2) ? 4 : 70);
        check_made_up(bytes, size, count, rng_next(&rng) >> rng_below(&rng, 64),
                      rng_next(&rng) >> rng_below(&rng, 64));
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
