/* Sorting records: against qsort, in memory and on disk; runs: what is written is read again, and damage is
 * noticed. */
#include "base/rng.h"
#include "base/temporary.h"
#include "base/thread.h"
#include "effort.h"
#include "index/id_filter.h"
#include "runs/block.h"
#include "runs/record_sort.h"
#include "runs/run.h"
#include "runs/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static struct record *copy_sorted(const struct record *records, size_t count) {
    struct record *sorted = malloc((count + 1) * sizeof *sorted);
    memcpy(sorted, records, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_records);
    return sorted;
}

/* ---- the sorter ---- */

static struct sorter *new_sorter(struct sorter_options options) {
    struct sorter *sorter;
    assert_int_equal(sorter_new(&options, &sorter, NULL), STEMMA_OK);
    return sorter;
}

static void add_in_pieces(struct sorter *sorter, uint64_t *rng, const struct record *records, size_t count) {
    for (size_t at = 0; at < count;) {
        size_t part = 1 + rng_below(rng, 5000);
        if (part > count - at) part = count - at;
        assert_int_equal(sorter_add(sorter, records + at, part, NULL), STEMMA_OK);
        at += part;
    }
}

static void check_cursor(struct sorter_cursor *cursor, uint64_t *rng, const struct record *expected,
                         size_t count) {
    struct record *read = malloc((count + 1) * sizeof *read);
    size_t filled = 0, got;
    do {
        size_t room = 1 + rng_below(rng, 3000);
        if (room > count + 1 - filled) room = count + 1 - filled;
        assert_int_equal(sorter_next(cursor, read + filled, room, &got, NULL), STEMMA_OK);
        filled += got;
    } while (got && filled <= count);
    assert_int_equal(filled, count);
    assert_memory_equal(read, expected, count * sizeof *read);
    sorter_cursor_free(cursor);
    free(read);
}

static void check_reads(struct sorter *sorter, uint64_t *rng, const struct record *expected, size_t count) {
    struct sorter_cursor *cursor;
    assert_int_equal(sorter_read(sorter, &cursor, NULL), STEMMA_OK);
    check_cursor(cursor, rng, expected, count);
}

static void make_narrow(struct record *records, size_t count, int key_bits) {
    for (size_t i = 0; i < count; i++) {
        if (key_bits < 64) records[i].key &= (UINT64_C(1) << key_bits) - 1;
        records[i].value &= (UINT64_C(1) << (72 - key_bits)) - 1;
    }
}

static size_t count_below(const struct record *sorted, size_t count, uint64_t key) {
    size_t below = 0;
    while (below < count && sorted[below].key < key) below++;
    return below;
}

static void check_parts(struct sorter *sorter, uint64_t *rng, const struct record *sorted, size_t count,
                        int key_bits) {
    uint32_t first = (uint32_t)rng_below(rng, SORTER_PARTS),
             end = first + 1 + (uint32_t)rng_below(rng, SORTER_PARTS - first);
    size_t from = count_below(sorted, count, (uint64_t)first << (key_bits - SORTER_PART_BITS));
    size_t to = end == SORTER_PARTS
                    ? count
                    : count_below(sorted, count, (uint64_t)end << (key_bits - SORTER_PART_BITS));
    struct sorter_cursor *cursor;
    assert_int_equal(sorter_read_parts(sorter, first, end, &cursor, NULL), STEMMA_OK);
    check_cursor(cursor, rng, sorted + from, to - from);
}

/* Whether it went to disk is returned. */
static bool check_sorter(uint64_t *rng, int kind, size_t count, struct sorter_options options) {
    struct record *records = make_records(rng, kind, count);
    if (options.key_bits) make_narrow(records, count, options.key_bits);
    struct record *sorted = copy_sorted(records, count);
    struct sorter *sorter = new_sorter(options);
    add_in_pieces(sorter, rng, records, count);
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    size_t expected = options.unique ? unique_records(sorted, count) : count;
    check_reads(sorter, rng, sorted, expected);
    check_reads(sorter, rng, sorted, expected);
    if (options.key_bits) check_parts(sorter, rng, sorted, count, options.key_bits);
    bool spilled = sorter_spilled(sorter) > 0;
    if (spilled)
        assert_true(sorter_count(sorter) >= expected && sorter_resident(sorter) < 8192);
    else
        assert_true(sorter_count(sorter) == expected);
    sorter_free(sorter);
    free(records);
    free(sorted);
    return spilled;
}

static void test_sorts_in_memory(void **state) {
    (void)state;
    uint64_t rng = 1;
    for (size_t round = 0; round < effort(200); round++) {
        bool spilled =
            check_sorter(&rng, (int)(round % KINDS), rng_below(&rng, round % 10 ? 3000 : 100000),
                         (struct sorter_options){
                             .memory = 1 << 26, .unique = rng_below(&rng, 2), .threads = 1 + round % 3});
        assert_false(spilled);
    }
}

static int some_key_bits(uint64_t *rng) {
    return 9 + (int)rng_below(rng, 56);
}

static void test_sorts_narrow(void **state) {
    (void)state;
    uint64_t rng = 6;
    for (size_t round = 0; round < effort(200); round++)
        check_sorter(&rng, (int)(round % KINDS), rng_below(&rng, round % 10 ? 3000 : 200000),
                     (struct sorter_options){.memory = 1 << 26,
                                             .threads = 1 + round % 3,
                                             .key_bits = round % 2 ? 40 : some_key_bits(&rng)});
    for (size_t round = 0; round < effort(18); round++)
        check_sorter(&rng, (int)(round % KINDS), 20000 + rng_below(&rng, 200000),
                     (struct sorter_options){.memory = 1, .threads = 2, .key_bits = some_key_bits(&rng)});
}

static void test_sorts_on_disk(void **state) {
    (void)state;
    uint64_t rng = 2;
    size_t spilled = 0;
    for (size_t round = 0; round < effort(36); round++)
        spilled +=
            check_sorter(&rng, (int)(round % KINDS), 20000 + rng_below(&rng, round % 9 ? 100000 : 300000),
                         (struct sorter_options){.memory = 1, .unique = rng_below(&rng, 2), .threads = 2});
    assert_true(spilled >= effort(36) / 2);
}

struct adding {
    struct sorter *sorter;
    const struct record *records;
    size_t count;
};

static void add_some(void *context, unsigned worker) {
    struct adding *adding = context;
    for (size_t i = worker; i < adding->count; i += 4)
        assert_int_equal(sorter_add(adding->sorter, adding->records + i, 1, NULL), STEMMA_OK);
}

static void test_threads_add(void **state) {
    (void)state;
    uint64_t rng = 3;
    struct adding adding = {.count = 40000};
    struct record *records = make_records(&rng, 0, adding.count),
                  *sorted = copy_sorted(records, adding.count);
    adding.records = records;
    adding.sorter = new_sorter((struct sorter_options){.memory = 1});
    threads_run(4, add_some, &adding);
    assert_int_equal(sorter_finish(adding.sorter, NULL), STEMMA_OK);
    check_reads(adding.sorter, &rng, sorted, adding.count);
    sorter_free(adding.sorter);
    free(records);
    free(sorted);
}

static void test_refusals_have_names(void **state) {
    (void)state;
    uint64_t rng = 4;
    int stop = 1;
    stemma_error error;
    struct record *records = make_records(&rng, 0, 10000);
    struct sorter *sorter = new_sorter((struct sorter_options){.memory = 1, .directory = "/nowhere/at/all"});
    assert_int_equal(sorter_add(sorter, records, 10000, &error), STEMMA_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    sorter_free(sorter);
    sorter = new_sorter((struct sorter_options){.memory = 1, .stop = &stop});
    assert_int_equal(sorter_add(sorter, records, 10000, &error), STEMMA_INTERRUPTED);
    sorter_free(sorter);
    free(records);
}

/* ---- runs ---- */

struct written {
    struct run_place place;
    uint64_t size;
};

static struct written write_run(const struct record *records, size_t count, size_t block, uint64_t offset,
                                size_t piece) {
    struct written written = {.place = {.offset = offset, .name = "some.run"}};
    struct run_writer *writer;
    assert_int_equal(temporary_open("/tmp", &written.place.fd, NULL), STEMMA_OK);
    assert_int_equal(run_writer_new(&written.place, block, &writer, NULL), STEMMA_OK);
    for (size_t at = 0; at < count; at += piece)
        assert_int_equal(run_writer_add(writer, records + at, count - at < piece ? count - at : piece, NULL),
                         STEMMA_OK);
    assert_int_equal(run_writer_finish(writer, &written.size, NULL), STEMMA_OK);
    run_writer_free(writer);
    return written;
}

/* As a run of a store, whose seed is not 0. */
static struct written write_stored(const struct record *records, size_t count, size_t block) {
    struct written written = {.place = {.name = "some.run", .seed = 99}};
    struct run_place place;
    struct sink sink;
    struct run_writer *writer;
    assert_int_equal(temporary_open("/tmp", &written.place.fd, NULL), STEMMA_OK);
    assert_int_equal(sink_init(&sink, &disk_plain, written.place.fd, "some.run", NULL), STEMMA_OK);
    place = written.place;
    place.sink = &sink;
    assert_int_equal(run_writer_new(&place, block, &writer, NULL), STEMMA_OK);
    assert_int_equal(run_writer_add(writer, records, count, NULL), STEMMA_OK);
    assert_int_equal(run_writer_finish(writer, &written.size, NULL), STEMMA_OK);
    assert_int_equal(sink_sync(&sink, NULL), STEMMA_OK);
    run_writer_free(writer);
    sink_release(&sink);
    return written;
}

/* Reads from where the reader stands to the end, and compares. */
static stemma_status read_all(struct run_reader *reader, const struct record *expected, size_t count,
                              stemma_error *err) {
    const struct record *records;
    size_t got;
    for (;;) {
        stemma_status status = run_reader_next(reader, &records, &got, err);
        if (status != STEMMA_OK) return status;
        if (got == 0) break;
        assert_true(got <= count);
        assert_memory_equal(records, expected, got * sizeof *records);
        expected += got;
        count -= got;
    }
    assert_int_equal(count, 0);
    return STEMMA_OK;
}

static void check_seeks(struct run_reader *reader, uint64_t *rng, const struct record *sorted, size_t count) {
    for (int i = 0; i < 20; i++) {
        uint64_t key =
            count && i % 4 ? sorted[rng_below(rng, count)].key + (uint64_t)(i % 3) - 1 : rng_next(rng);
        size_t below = count_below(sorted, count, key);
        assert_int_equal(run_reader_seek(reader, key, NULL), STEMMA_OK);
        assert_int_equal(read_all(reader, sorted + below, count - below, NULL), STEMMA_OK);
    }
}

/* Whole, and from any key on; the file is closed. */
static void check_gives_back(const struct written *written, uint64_t *rng, const struct record *sorted,
                             size_t count) {
    struct run *run;
    struct run_reader *reader;
    assert_int_equal(run_open(&written->place, written->size, &run, NULL), STEMMA_OK);
    assert_int_equal(run_count(run), count);
    assert_int_equal(run_reader_new(run, &reader, NULL), STEMMA_OK);
    assert_int_equal(read_all(reader, sorted, count, NULL), STEMMA_OK);
    check_seeks(reader, rng, sorted, count);
    run_reader_free(reader);
    run_close(run);
    close(written->place.fd);
}

static void test_runs_give_back(void **state) {
    (void)state;
    uint64_t rng = 5;
    for (size_t round = 0; round < effort(90); round++) {
        size_t count = round % 10 == 9 ? round % 4 * BLOCK_RECORDS : rng_below(&rng, 3 * BLOCK_RECORDS);
        struct record *records = make_records(&rng, (int)(round % KINDS), count),
                      *sorted = copy_sorted(records, count);
        size_t block = round % 3 ? BLOCK_RECORDS : BLOCK_GROUP * (1 + rng_below(&rng, 64));
        struct written written =
            write_run(sorted, count, block, round % 5 * 1000, 1 + rng_below(&rng, 2 * BLOCK_RECORDS));
        check_gives_back(&written, &rng, sorted, count);
        free(records);
        free(sorted);
    }
}

static void test_stored_runs_give_back(void **state) {
    (void)state;
    uint64_t rng = 15;
    for (size_t round = 0; round < effort(60); round++) {
        const size_t count = rng_below(&rng, 1500), block = BLOCK_GROUP * (1 + round % 5);
        struct record *records = make_records(&rng, (int)(round % KINDS), count),
                      *sorted = copy_sorted(records, count);
        struct written written = write_stored(sorted, count, round % 7 ? block : BLOCK_RECORDS);
        check_gives_back(&written, &rng, sorted, count);
        free(records);
        free(sorted);
    }
}

static stemma_status read_whole(const struct written *written, const struct record *expected, size_t count,
                                stemma_error *err) {
    struct run *run;
    struct run_reader *reader;
    stemma_status status = run_open(&written->place, written->size, &run, err);
    if (status != STEMMA_OK) return status;
    assert_int_equal(run_reader_new(run, &reader, NULL), STEMMA_OK);
    status = read_all(reader, expected, count, err);
    run_reader_free(reader);
    run_close(run);
    return status;
}

static void check_damage(size_t count, size_t block, size_t step, bool stored) {
    uint64_t rng = 6;
    struct record *records = make_records(&rng, 5, count), *sorted = copy_sorted(records, count);
    struct written written =
        stored ? write_stored(sorted, count, block) : write_run(sorted, count, block, 0, count);
    for (uint64_t at = 0; at < written.size; at += step) {
        uint8_t byte, wrong;
        stemma_error error;
        assert_int_equal(pread(written.place.fd, &byte, 1, (off_t)at), 1);
        wrong = byte ^ (uint8_t)(1 << rng_below(&rng, 8));
        assert_int_equal(pwrite(written.place.fd, &wrong, 1, (off_t)at), 1);
        stemma_status status = read_whole(&written, sorted, count, &error);
        assert_true(status == STEMMA_CORRUPT || (status == STEMMA_LATER_VERSION && at >= 8 && at < 12));
        assert_non_null(strstr(error.message, "some.run"));
        assert_int_equal(pwrite(written.place.fd, &byte, 1, (off_t)at), 1);
    }
    assert_int_equal(read_whole(&written, sorted, count, NULL), STEMMA_OK);
    close(written.place.fd);
    free(records);
    free(sorted);
}

static void test_every_damaged_byte_is_noticed(void **state) {
    (void)state;
    check_damage(BLOCK_RECORDS + 50, BLOCK_RECORDS, effort_is_full() ? 1 : 37, false);
    check_damage(50, BLOCK_GROUP, 1, false);
    check_damage(50, BLOCK_RECORDS, 1, false);
    check_damage(150, BLOCK_GROUP, 1, true);
}

static void test_cut_runs_are_noticed(void **state) {
    (void)state;
    uint64_t rng = 7;
    struct record *records = make_records(&rng, 3, 300);
    struct written written = write_run(records, 300, BLOCK_RECORDS, 0, 300);
    for (uint64_t full = written.size, size = 0; size < full; size++) {
        written.size = size;
        assert_int_equal(read_whole(&written, records, 300, NULL), STEMMA_CORRUPT);
    }
    close(written.place.fd);
    free(records);
}

/* What samples of ten million documents look like: 40-bit keys and class numbers. */
static void test_runs_are_small(void **state) {
    (void)state;
    enum { COUNT = 1000000, SPARSE = 10 }; /* a tenth of them in a tenth of the range */
    uint64_t rng = 8;
    struct record *records = malloc(COUNT * sizeof *records);
    for (size_t i = 0; i < COUNT; i++)
        records[i] = (struct record){rng_below(&rng, ((uint64_t)1 << 40) / SPARSE), rng_below(&rng, 1 << 24)};
    assert_true(sort_records(records, COUNT, 2));
    struct written written = write_run(records, COUNT, BLOCK_RECORDS, 0, COUNT);
    print_message("%.3f bytes a record\n", (double)written.size / COUNT);
    assert_true(written.size <= 6 * (uint64_t)COUNT);
    close(written.place.fd);
    free(records);
}

/* ---- the bytes ---- */

/* As tests/reference/runs.py makes them. */
static struct record *golden_records(size_t *count) {
    struct record *records = malloc(4203 * sizeof *records);
    uint64_t rng = 8;
    records[0] = records[1] = (struct record){UINT64_MAX, UINT64_MAX};
    records[2] = (struct record){0, 0};
    for (size_t i = 0; i < 4200; i++) {
        uint64_t number = rng_next(&rng);
        records[3 + i] = i % 8 ? (struct record){number % 50, number >> 50}
                               : (struct record){number >> (i % 64), number % 1000};
    }
    *count = 4203;
    qsort(records, *count, sizeof *records, compare_records);
    return records;
}

static size_t load_golden(uint8_t *bytes, size_t room) {
    FILE *file = fopen(GOLDEN_DIR "/run.hex", "r");
    size_t size = 0;
    unsigned byte;
    assert_non_null(file);
    while (size < room && fscanf(file, "%2x", &byte) == 1) bytes[size++] = (uint8_t)byte;
    fclose(file);
    return size;
}

static void test_golden_run(void **state) {
    (void)state;
    static uint8_t golden[20000], bytes[20000];
    size_t size = load_golden(golden, sizeof golden), count;
    struct record *records = golden_records(&count);
    struct written written = write_run(records, count, BLOCK_RECORDS, 0, 1000);
    assert_int_equal(written.size, size);
    assert_int_equal(pread(written.place.fd, bytes, size, 0), size);
    assert_memory_equal(bytes, golden, size);
    assert_int_equal(read_whole(&written, records, count, NULL), STEMMA_OK);
    close(written.place.fd);
    free(records);
}

/* ---- filters of keys ---- */

static bool may_have(struct id_filter *filter, struct run *run, struct run_reader *reader, uint64_t key,
                     size_t most) {
    if (id_filter_due(filter, run))
        assert_int_equal(id_filter_make(filter, run, reader, most, NULL), STEMMA_OK);
    assert_true(id_filter_bytes(filter) <= most);
    return id_filter_may_have(filter, key);
}

/* How many of random keys, nearly all of which the run does not have, it may have. */
static size_t seem_there(struct id_filter *filter, struct run *run, struct run_reader *reader, size_t asked,
                         size_t most, uint64_t *rng) {
    size_t there = 0;
    for (size_t i = 0; i < asked; i++) there += may_have(filter, run, reader, rng_next(rng), most);
    return there;
}

static void check_filter(size_t count, uint64_t *rng) {
    enum { ASKED = 4000, MOST = 1 << 20 };
    struct record *records = make_records(rng, KINDS, count);
    qsort(records, count, sizeof *records, compare_records);
    struct written written = write_run(records, count, BLOCK_GROUP, 0, 1000);
    struct run *run;
    struct run_reader *reader;
    struct id_filter filter = {0}, small = {0}, damaged = {0};
    assert_int_equal(run_open(&written.place, written.size, &run, NULL), STEMMA_OK);
    assert_int_equal(run_reader_new(run, &reader, NULL), STEMMA_OK);
    assert_int_equal(seem_there(&filter, run, reader, count / 32, MOST, rng), count / 32);
    assert_true(seem_there(&filter, run, reader, ASKED, MOST, rng) < ASKED / 20);
    for (size_t i = 0; i < count; i++) assert_true(may_have(&filter, run, reader, records[i].key, MOST));
    assert_int_equal(seem_there(&small, run, reader, ASKED, 7, rng), ASKED);
    if (count) {
        const uint8_t damage = 0;
        for (uint64_t at = 0; at < written.size; at++)
            assert_int_equal(pwrite(written.place.fd, &damage, 1, (off_t)at), 1);
        assert_int_equal(seem_there(&damaged, run, reader, ASKED, MOST, rng), ASKED);
    }
    id_filter_release(&filter);
    run_reader_free(reader);
    run_close(run);
    close(written.place.fd);
    free(records);
}

static void test_filters_deny_what_is_not_there(void **state) {
    (void)state;
    uint64_t rng = 12;
    for (size_t count = 0; count <= 10000; count = count * 7 + 1) check_filter(count, &rng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts_in_memory),
        cmocka_unit_test(test_sorts_narrow),
        cmocka_unit_test(test_sorts_on_disk),
        cmocka_unit_test(test_threads_add),
        cmocka_unit_test(test_refusals_have_names),
        cmocka_unit_test(test_runs_give_back),
        cmocka_unit_test(test_stored_runs_give_back),
        cmocka_unit_test(test_every_damaged_byte_is_noticed),
        cmocka_unit_test(test_cut_runs_are_noticed),
        cmocka_unit_test(test_runs_are_small),
        cmocka_unit_test(test_golden_run),
        cmocka_unit_test(test_filters_deny_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
