/* Sorting, spilling, growing arrays, files. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/key_table.h"
#include "base/ordered.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/spill.h"
#include "base/spool.h"
#include "effort.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Values of a kind that a radix sort could stumble over. */
static uint64_t value_of_kind(int kind, uint64_t *state) {
    switch (kind) {
    case 0:
        return rng_next(state);
    case 1:
        return rng_below(state, 10);
    case 2:
        return rng_next(state) >> 40;
    case 3:
        return rng_next(state) << 40;
    case 4:
        return rng_below(state, 3) ? UINT64_MAX : 0;
    case 5:
        return (rng_next(state) & 0xffff) << 20 | 7;
    case 6:
        return (uint64_t)1 << rng_below(state, 64) | (uint64_t)1 << rng_below(state, 64);
    default:
        return rng_next(state) >> rng_below(state, 64);
    }
}

static void sorting_equals_qsort(void **unused) {
    (void)unused;
    uint64_t state = 1;
    size_t sizes[] = {0, 1, 2, 23, 24, 25, 26, 255, 1000, 70000, 300000};
    for (int kind = 0; kind < 8; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s];
            uint64_t *ours = malloc((n + 1) * 8), *theirs = malloc((n + 1) * 8);
            for (size_t i = 0; i < n; i++) ours[i] = theirs[i] = value_of_kind(kind, &state);
            assert_true(sort_u64(ours, n));
            qsort(theirs, n, 8, ascending);
            assert_memory_equal(ours, theirs, n * 8);
            free(ours);
            free(theirs);
        }
}

static void common_counts_the_intersection(void **unused) {
    (void)unused;
    uint64_t a[] = {1, 3, 5, 7, 9}, b[] = {0, 3, 4, 9, 12};
    assert_int_equal(common_u64(a, 5, b, 5), 2);
    assert_int_equal(common_u64(a, 0, b, 5), 0);
    uint64_t repeated[] = {1, 1, 2, 2, 2, 9};
    assert_int_equal(unique_u64(repeated, 6), 3);
    assert_int_equal(repeated[2], 9);
}

/* What a spill gives back, whatever it had to do, is the sorted input. */
static void spill_gives_back(bool unique, size_t count, uint64_t range, bool expect_disk) {
    struct spill *spill;
    struct spill_cursor *cursor;
    uint64_t state = count, block[777];
    struct vec64 all = {0};
    assert_int_equal(spill_new(unique, 1, NULL, &spill, NULL), STEMMA_OK);
    while (all.len < count) {
        uint64_t values[1000];
        size_t part = 1 + rng_below(&state, 999);
        for (size_t i = 0; i < part; i++) values[i] = rng_below(&state, range);
        assert_int_equal(spill_add(spill, values, part, NULL), STEMMA_OK);
        assert_true(vec64_reserve(&all, part));
        memcpy(all.data + all.len, values, part * 8);
        all.len += part;
    }
    assert_int_equal(spill_finish(spill, NULL), STEMMA_OK);
    assert_int_equal(spill_bytes(spill) > 0, expect_disk);
    assert_true(sort_u64(all.data, all.len));
    if (unique) all.len = unique_u64(all.data, all.len);
    assert_int_equal(spill_cursor_new(spill, &cursor, NULL), STEMMA_OK);
    size_t at = 0, got;
    do {
        assert_int_equal(spill_cursor_read(cursor, block, 777, &got, NULL), STEMMA_OK);
        assert_true(at + got <= all.len);
        assert_memory_equal(block, all.data + at, got * 8);
        at += got;
    } while (got);
    assert_int_equal(at, all.len);
    spill_cursor_free(cursor);
    spill_free(spill);
    vec64_release(&all);
}

static void spilling_sorts(void **unused) {
    (void)unused;
    spill_gives_back(true, 10, UINT64_MAX, false);
    spill_gives_back(true, 100000, UINT64_MAX, true);
    spill_gives_back(false, 100000, 50000, true);
    spill_gives_back(true, 100000, 50, false); /* repetitions make room again */
    if (effort(100) >= 10)                     /* enough runs for two levels of merging */
        spill_gives_back(true, 6000000, UINT64_MAX, true);
}

/* Heads that are often the same, and tails of any length. */
struct some_entry {
    uint64_t head[3];
    uint8_t *tail;
    size_t size;
};

static int by_head_and_tail(const struct ordered_entry *a, const struct ordered_entry *b) {
    const uint64_t *p = a->head, *q = b->head;
    if (p[2] != q[2]) return p[2] < q[2] ? -1 : 1;
    const int order = memcmp(a->tail, b->tail, a->tail_size < b->tail_size ? a->tail_size : b->tail_size);
    return order ? order : (a->tail_size > b->tail_size) - (a->tail_size < b->tail_size);
}

static int by_entry(const void *a, const void *b) {
    const struct some_entry *p = a, *q = b;
    const struct ordered_entry x = {p->head, p->tail, p->size}, y = {q->head, q->tail, q->size};
    return by_head_and_tail(&x, &y);
}

static void entries_give_back(size_t count, size_t longest, bool expect_disk) {
    struct some_entry *all = mem_zero(count, sizeof *all);
    struct ordered *ordered;
    struct ordered_entry entry;
    uint64_t random = count + longest;
    bool more;
    assert_non_null(all);
    assert_int_equal(ordered_new(sizeof all->head, by_head_and_tail, 1, NULL, &ordered, NULL), STEMMA_OK);
    for (size_t i = 0; i < count; i++) {
        struct some_entry *e = &all[i];
        e->size = rng_below(&random, 1 + rng_below(&random, longest));
        e->tail = mem_alloc(e->size);
        assert_non_null(e->tail);
        for (size_t k = 0; k < e->size; k++) e->tail[k] = (uint8_t)rng_below(&random, 3);
        e->head[0] = e->head[2] = rng_below(&random, 5);
        assert_int_equal(ordered_add(ordered, e->head, e->tail, e->size, NULL), STEMMA_OK);
    }
    assert_int_equal(ordered_finish(ordered, NULL), STEMMA_OK);
    assert_int_equal(ordered_spilled(ordered) > 0, expect_disk);
    assert_int_equal(ordered_count(ordered), count);
    qsort(all, count, sizeof *all, by_entry);
    for (size_t i = 0; i < count / 2; i++)
        assert_int_equal(ordered_next(ordered, &entry, &more, NULL), STEMMA_OK);
    assert_int_equal(ordered_again(ordered, NULL), STEMMA_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ordered_next(ordered, &entry, &more, NULL), STEMMA_OK);
        assert_true(more);
        assert_memory_equal(entry.head, all[i].head, sizeof all->head);
        assert_int_equal(entry.tail_size, all[i].size);
        assert_memory_equal(entry.tail, all[i].tail, all[i].size);
        mem_free(all[i].tail);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ordered_next(ordered, &entry, &more, NULL), STEMMA_OK);
        assert_false(more);
    }
    ordered_free(ordered);
    mem_free(all);
}

static void entries_are_sorted(void **unused) {
    (void)unused;
    entries_give_back(10, 50, false);
    entries_give_back(30000, 50, true);
    entries_give_back(20, 1000000, true); /* some larger than all memory */
    if (effort(100) >= 10) entries_give_back(200000, 200, true);
}

/* Keys of both words, asked for again and again, against plain counters; few in memory, many in a file. */
static void keys_have_numbers(void **unused) {
    (void)unused;
    const size_t some[] = {1, 90, 30000, 20000 + effort(250000)};
    uint64_t random = 5;
    for (size_t s = 0; s < sizeof some / sizeof *some; s++) {
        struct key_table table = {0};
        uint64_t *twin = calloc(some[s], sizeof *twin), *count;
        for (size_t i = 0; i < 2 * some[s]; i++) {
            const uint64_t key = i < some[s] ? i : rng_below(&random, some[s]);
            assert_int_equal(key_table_at(&table, key / 7 + 1, key % 7, &count, NULL), STEMMA_OK);
            assert_int_equal(*count, twin[key]);
            *count += 1 + key % 3;
            twin[key] = *count;
        }
        assert_int_equal(table.keys, some[s]);
        assert_int_equal(table.filed, some[s] > 60000);
        key_table_release(&table);
        free(twin);
    }
}

/* A program may be without standard input: then the file is descriptor 0. */
static void keys_do_without_standard_input(void **unused) {
    (void)unused;
    struct key_table table = {0};
    const int input = dup(0);
    uint64_t *count;
    if (input >= 0) close(0);
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t key = 1; key <= 120000; key++) {
            assert_int_equal(key_table_at(&table, key, 0, &count, NULL), STEMMA_OK);
            assert_int_equal(*count, round ? key : 0);
            *count = key;
        }
    assert_true(table.filed);
    key_table_release(&table);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
}

static stemma_status count_bytes(void *count, const uint8_t *bytes, size_t size, stemma_error *err) {
    (void)bytes, (void)err;
    *(uint64_t *)count += size;
    return STEMMA_OK;
}

/* The file gets the first descriptor that is free: it is used, and closed. */
static void spools_do_without_standard_input(void **unused) {
    static uint8_t piece[SPOOL_PIECE];
    struct spool spool = {0};
    uint64_t count = 0;
    (void)unused;
    int input = dup(0);
    close(0);
    for (int i = 0; i < 4; i++) assert_int_equal(spool_add(&spool, piece, sizeof piece, NULL), STEMMA_OK);
    assert_int_equal(spool_read(&spool, count_bytes, &count, NULL), STEMMA_OK);
    assert_int_equal(count, 4 * sizeof piece);
    spool_release(&spool);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
}

/* Wherever the file was asked for. */
static void spools_of_a_missing_directory_are_refused(void **unused) {
    static uint8_t piece[SPOOL_PIECE];
    struct spool spool = {.directory = "/nowhere"};
    stemma_error error;
    (void)unused;
    assert_int_equal(spool_add(&spool, piece, sizeof piece, &error), STEMMA_OK);
    assert_int_equal(spool_add(&spool, piece, 1, &error), STEMMA_IO);
    assert_non_null(strstr(error.message, "/nowhere"));
    spool_release(&spool);
}

static void keys_of_a_missing_directory_are_refused(void **unused) {
    (void)unused;
    struct key_table table = {.directory = "/nowhere"};
    uint64_t *count;
    stemma_error error;
    stemma_status status = STEMMA_OK;
    for (uint64_t key = 1; key < 100000 && status == STEMMA_OK; key++)
        status = key_table_at(&table, key, 0, &count, &error);
    assert_int_equal(status, STEMMA_IO);
    assert_non_null(strstr(error.message, "/nowhere"));
    key_table_release(&table);
}

static void spilling_into_a_missing_directory_is_said(void **unused) {
    (void)unused;
    struct spill *spill;
    stemma_error error = {0};
    uint64_t values[1000], state = 5;
    stemma_status status = STEMMA_OK;
    assert_int_equal(spill_new(true, 1, "/nonexistent/directory", &spill, &error), STEMMA_OK);
    for (int i = 0; i < 100 && status == STEMMA_OK; i++) {
        for (int k = 0; k < 1000; k++) values[k] = rng_next(&state);
        status = spill_add(spill, values, 1000, &error);
    }
    assert_int_equal(status, STEMMA_IO);
    assert_non_null(strstr(error.message, "/nonexistent/directory"));
    spill_free(spill);
}

static void inputs_that_are_no_documents_are_refused(void **unused) {
    (void)unused;
    struct input input;
    stemma_error error;
    assert_int_equal(input_open(&input, "/nonexistent", &error), STEMMA_NOT_FOUND);
    assert_string_equal(error.message, "cannot read '/nonexistent': no such file or directory");
    assert_int_equal(input_open(&input, "/", &error), STEMMA_UNREADABLE);
    assert_string_equal(error.message, "cannot read '/': is a directory");
    assert_int_equal(input_open(&input, "/dev/zero", &error), STEMMA_UNREADABLE);
    assert_string_equal(error.message, "cannot read '/dev/zero': is a device, not a regular file");
    char fifo[] = "/tmp/stemma-test-fifo-XXXXXX";
    assert_non_null(mkdtemp(fifo));
    char path[64];
    snprintf(path, sizeof path, "%s/fifo", fifo);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(input_open(&input, path, &error), STEMMA_UNREADABLE);
    assert_non_null(strstr(error.message, "is a FIFO"));
    unlink(path);
    rmdir(fifo);
}

/* In pieces of every size; what was appended after opening belongs to it. */
static void inputs_are_read_to_their_end(void **unused) {
    (void)unused;
    static const char whole[] = "twelve bytes, and more";
    char path[] = "/tmp/stemma-test-in-XXXXXX", room[64];
    int fd = mkstemp(path);
    for (size_t before = 0; before < sizeof whole; before++)
        for (size_t piece = 1; piece <= sizeof room / 2; piece++) {
            struct input input;
            size_t got = 1, size = 0;
            assert_int_equal(ftruncate(fd, 0), 0);
            assert_int_equal(write_at(fd, whole, before, 0), 0);
            assert_int_equal(input_open(&input, path, NULL), STEMMA_OK);
            assert_int_equal(input.size, before);
            assert_int_equal(write_at(fd, whole, sizeof whole, 0), 0);
            for (; got > 0; size += got)
                assert_int_equal(input_read(&input, room + size, piece, &got, NULL), STEMMA_OK);
            assert_int_equal(size, sizeof whole);
            assert_memory_equal(room, whole, size);
            input_close(&input);
        }
    close(fd);
    unlink(path);
}

static void outputs_appear_when_complete(void **unused) {
    (void)unused;
    struct output output;
    char dir[] = "/tmp/stemma-test-out-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    assert_int_equal(output_open(&output, path, NULL), STEMMA_OK);
    assert_int_equal(output_write(&output, "abc", 3, NULL), STEMMA_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    output_abandon(&output);
    assert_int_equal(rmdir(dir), 0); /* nothing was left */
    assert_int_equal(mkdir(dir, 0700), 0);
    for (int round = 0; round < 2; round++) { /* the second replaces the first */
        assert_int_equal(output_open(&output, path, NULL), STEMMA_OK);
        assert_int_equal(output_write(&output, "abc", 3, NULL), STEMMA_OK);
        assert_int_equal(output_commit(&output, NULL), STEMMA_OK);
        assert_int_equal(access(path, F_OK), 0);
    }
    unlink(path);
    assert_int_equal(rmdir(dir), 0);
}

static void output_to_a_full_device_is_said(void **unused) {
    (void)unused;
    struct output output;
    stemma_error error;
    assert_int_equal(output_open(&output, "/dev/full", &error), STEMMA_OK);
    assert_int_equal(output_write(&output, "abc", 3, &error), STEMMA_NO_SPACE);
    assert_string_equal(error.message, "cannot write '/dev/full': no space left on device");
    output_abandon(&output);
}

static void statuses_have_texts(void **unused) {
    (void)unused;
    assert_string_equal(stemma_status_text(STEMMA_OK), "no error");
    assert_string_equal(stemma_status_text(STEMMA_MISMATCH), "the recipes differ");
    assert_string_equal(stemma_status_text((stemma_status)9999), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_equals_qsort),
        cmocka_unit_test(common_counts_the_intersection),
        cmocka_unit_test(spilling_sorts),
        cmocka_unit_test(entries_are_sorted),
        cmocka_unit_test(keys_have_numbers),
        cmocka_unit_test(keys_do_without_standard_input),
        cmocka_unit_test(spools_do_without_standard_input),
        cmocka_unit_test(spools_of_a_missing_directory_are_refused),
        cmocka_unit_test(keys_of_a_missing_directory_are_refused),
        cmocka_unit_test(spilling_into_a_missing_directory_is_said),
        cmocka_unit_test(inputs_that_are_no_documents_are_refused),
        cmocka_unit_test(inputs_are_read_to_their_end),
        cmocka_unit_test(outputs_appear_when_complete),
        cmocka_unit_test(output_to_a_full_device_is_said),
        cmocka_unit_test(statuses_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
