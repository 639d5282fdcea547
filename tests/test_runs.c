/* The sorter against qsort. */
#include "base/rng.h"
#include "effort.h"
#include "runs/record_sort.h"
#include "runs/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int compare_records(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Records of one kind of distribution. */
static struct record make_record(uint64_t *rng, int kind, size_t i) {
    switch (kind) {
    case 0:
        return (struct record){rng_next(rng) & 0xffffffffff, rng_below(rng, 1 << 24)};
    case 1:
        return (struct record){rng_below(rng, 3), rng_below(rng, 5)};
    case 2:
        return (struct record){77, 78};
    case 3:
        return (struct record){i, i};
    case 4:
        return (struct record){1000000 - i, rng_next(rng)};
    case 5:
        return (struct record){rng_below(rng, 1000) << 32 | rng_below(rng, 1000), 1 + rng_below(rng, 4)};
    case 6:
        return (struct record){rng_below(rng, 2) ? UINT64_MAX : 0,
                               rng_below(rng, 2) ? UINT64_MAX : rng_below(rng, 9)};
    case 7:
        return (struct record){(uint64_t)1 << rng_below(rng, 64), (uint64_t)1 << rng_below(rng, 64)};
    default:
        return (struct record){rng_next(rng), rng_next(rng)};
    }
}
enum { KINDS = 9 };

static struct record *make_records(uint64_t *rng, int kind, size_t count) {
    struct record *records = malloc((count + 1) * sizeof *records);
    for (size_t i = 0; i < count; i++) records[i] = make_record(rng, kind, i);
    return records;
}

static void check_sorter(uint64_t *rng, int kind, size_t count, struct sorter_options options) {
    struct record *records = make_records(rng, kind, count), *read = malloc((count + 1) * sizeof *read);
    struct sorter *sorter;
    struct sorter_cursor *cursor;
    assert_int_equal(sorter_new(&options, &sorter, NULL), STEMMA_OK);
    for (size_t at = 0; at < count;) {
        size_t part = 1 + rng_below(rng, 5000);
        if (part > count - at) part = count - at;
        assert_int_equal(sorter_add(sorter, records + at, part, NULL), STEMMA_OK);
        at += part;
    }
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    qsort(records, count, sizeof *records, compare_records);
    size_t expected = options.unique ? unique_records(records, count) : count, filled = 0, got;
    assert_int_equal(sorter_read(sorter, &cursor, NULL), STEMMA_OK);
    do {
        size_t room = 1 + rng_below(rng, 3000);
        if (room > count + 1 - filled) room = count + 1 - filled;
        assert_int_equal(sorter_next(cursor, read + filled, room, &got, NULL), STEMMA_OK);
        filled += got;
    } while (got);
    assert_int_equal(filled, expected);
    assert_memory_equal(read, records, expected * sizeof *read);
    assert_true(sorter_count(sorter) >= expected);
    sorter_cursor_free(cursor);
    sorter_free(sorter);
    free(records);
    free(read);
}

static void test_sorter_is_qsort(void **state) {
    (void)state;
    uint64_t rng = 1;
    for (size_t round = 0; round < effort(200); round++)
        check_sorter(&rng, (int)(round % KINDS), rng_below(&rng, round % 10 ? 3000 : 100000),
                     (struct sorter_options){.memory = 1 << 26, .unique = rng_below(&rng, 2), .threads = 2});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorter_is_qsort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
