/* A scan of a data set that is ended somewhere, by a signal or at once, and begun again with its cache: it
 * goes on where it was, and says what a scan without a cache does. */
#include "base/buf.h"
#include "collect/scan_cache.h"
#include "dataset_support.h"
#include "effort.h"
#include "pile_support.h"
#include "scan/scan.h"
#include "scan/taker.h"
#include "stemma.h"
#include "told_support.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <utime.h>

enum { RECORDS = 8000, WORDS = 60, SHORTEST = 5 * WORDS };

/* ---- a data set ---- */

static void add_record(struct buf *out, bool json, size_t number, const char *text) {
    if (rng_below(&chance, 50) == 0) assert_true(buf_add_string(out, json ? "broken\n" : "a,b,c\n"));
    if (rng_below(&chance, 50) == 0) assert_true(buf_add_string(out, "\n"));
    const bool named = rng_below(&chance, 5) > 0; /* else it is called by its line */
    if (json && named)
        assert_true(buf_add_format(out, "{\"id\": \"r%zu\", \"text\": \"%s\"}\n", number, text));
    else if (json)
        assert_true(buf_add_format(out, "{\"text\": \"%s\"}\n", text));
    else if (named)
        assert_true(buf_add_format(out, "r%zu,\"%s\n\"\"%s\"\"\"\n", number, text, text));
    else
        assert_true(buf_add_format(out, ",\"%s\"\n", text));
}

/* Some records are copies of others, or nearly. */
static void fill(struct buf *out, bool json) {
    static char text[WORDS * 8], copy[WORDS * 8 + 8];
    if (!json) assert_true(buf_add_string(out, "id,text\n"));
    for (size_t i = 0; i < RECORDS; i++) {
        if (i == 0 || rng_below(&chance, 4)) random_words(text, WORDS, 3000);
        mutate(text, rng_below(&chance, 2) * .02, copy);
        add_record(out, json, i, copy);
    }
}

/* Long enough ago that its time tells whether it has changed. */
static void settle(const char *path) {
    const struct utimbuf old = {1000000000, 1000000000};
    assert_int_equal(utime(path, &old), 0);
}

/* packed: the name of a compressed one, NULL: it stays as it is. */
static void make(const char *name, const char *packed) {
    struct buf bytes = {0};
    char path[200];
    uint64_t kept;
    fill(&bytes, dataset_kind_of(name) == DATASET_JSON_LINES);
    strcpy(path, save(name, bytes.data, bytes.len));
    if (packed) {
        struct dataset *dataset = open_set(path, &plain);
        filter_to(dataset, path_of(packed), keep_all, NULL, &kept);
        dataset_close(dataset);
    }
    settle(path_of(packed ? packed : name));
    buf_release(&bytes);
}

/* ---- scans that are ended ---- */

/* Of the scan at work: texts that were made, before how many it ends, and how. */
static _Atomic size_t made;
static size_t ends_at, commits_at;
static volatile int stop;
static bool killed;
static struct stemma_scan *running;

static stemma_status count_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                                stemma_error *err) {
    const size_t number = made++;
    if (number == commits_at) TRY(running->cache->all_read(running->cache->context, err));
    if (number == ends_at && killed) _exit(0);
    if (number == ends_at) stop = 1;
    return cached_taker.text(taker, reader, text, size, err);
}

static struct taker_kind counting;

static stemma_scan *new_scan(const char *path, unsigned threads, size_t memory) {
    stemma_scan *scan;
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    options.threads = threads;
    options.pairs = true;
    limits.memory = memory; /* little: pieces of 64 KiB */
    limits.stop = &stop;
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, path, NULL), STEMMA_OK);
    return scan;
}

static stemma_status run(stemma_scan *scan) {
    struct cache_of_scans *cache;
    stemma_error err;
    counting = cached_taker;
    counting.text = count_text;
    assert_int_equal(scan_cache_open(path_of("k"), scan, &cache, &err), STEMMA_OK);
    assert_non_null(cache);
    scan->takers = &counting;
    running = scan;
    made = 0;
    stop = 0;
    stemma_status status = scan_run(scan, &err);
    assert_int_equal(scan_cache_close(cache, status == STEMMA_OK, &err), STEMMA_OK);
    scan->cache = NULL;
    return status;
}

enum { MEMORY = 4 << 20, NEVER = -1 };

static stemma_status run_to(size_t end, const char *path, unsigned threads) {
    stemma_scan *scan = new_scan(path, threads, MEMORY);
    ends_at = end;
    stemma_status status = run(scan);
    stemma_scan_free(scan);
    return status;
}

/* What was committed by then is all that is left of it. */
static void kill_at(size_t end, size_t commit, const char *path) {
    pid_t child = fork();
    int how;
    if (child == 0) {
        killed = true;
        commits_at = commit;
        (void)run_to(end, path, 1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

/* ---- what it says ---- */

static char *told(stemma_scan *scan) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    assert_non_null(out);
    fprintf(out, "%llu classes\n", (unsigned long long)summary.classes);
    for (uint64_t i = 0; i < summary.documents; i++) {
        stemma_scan_document document = stemma_scan_get_document(scan, i);
        fprintf(out, "%s %llu %llu\n", document.id, (unsigned long long)document.offset,
                (unsigned long long)document.bytes);
    }
    for (uint64_t i = 0; i < summary.problems; i++) {
        stemma_scan_problem problem;
        assert_int_equal(stemma_scan_get_problem(scan, i, &problem, NULL), STEMMA_OK);
        fprintf(out, "%s %llu %s\n", problem.name, (unsigned long long)problem.line, problem.cause);
    }
    assert_int_equal(stemma_scan_pairs(scan, print_pair, out, NULL), STEMMA_OK);
    fclose(out);
    return text;
}

static char *told_without(const char *path, size_t memory) {
    stemma_scan *scan = new_scan(path, 1, memory);
    stop = 0;
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    char *text = told(scan);
    stemma_scan_free(scan);
    return text;
}

/* With the cache, to the end: how many texts it made. */
static size_t check_told(const char *expected, const char *path, unsigned threads, size_t memory) {
    stemma_scan *scan = new_scan(path, threads, memory);
    ends_at = (size_t)NEVER;
    assert_int_equal(run(scan), STEMMA_OK);
    char *text = told(scan);
    assert_string_equal(text, expected);
    free(text);
    stemma_scan_free(scan);
    return made;
}

/* ---- tests ---- */

/* Records of a piece, which is at work when a scan ends; and of the first one, by which the encoding is told.
 */
enum { LOST = (1 << 17) / SHORTEST, FIRST = (1 << 18) / SHORTEST };

static int begin(void **state) {
    chance = 1;
    killed = false;
    ends_at = commits_at = (size_t)NEVER;
    return make_folder(state);
}

enum { TIMES = 3 };

static void check_interrupted(const char *path, unsigned threads) {
    char *expected = told_without(path, MEMORY);
    size_t all = 0;
    for (int i = 0; i < TIMES; i++) {
        const size_t end = RECORDS / 4 + rng_below(&chance, RECORDS / 32);
        assert_int_equal(run_to(end, path, threads), STEMMA_INTERRUPTED);
        all += made;
    }
    all += check_told(expected, path, threads, MEMORY);
    assert_in_range(all, RECORDS, RECORDS + FIRST + TIMES * threads * LOST);
    assert_int_equal(check_told(expected, path, threads, MEMORY), 0);
    free(expected);
}

static void check_killed(const char *path, unsigned threads) {
    char *expected = told_without(path, MEMORY);
    size_t left = RECORDS + FIRST + TIMES * LOST;
    for (int i = 0; i < TIMES; i++) {
        const size_t commit = RECORDS / 6 + rng_below(&chance, RECORDS / 16);
        kill_at(commit + rng_below(&chance, RECORDS / 16), commit, path);
        left -= commit;
    }
    assert_in_range(check_told(expected, path, threads, MEMORY), 1, left);
    assert_int_equal(check_told(expected, path, threads, MEMORY), 0);
    free(expected);
}

static void check_each(void (*check)(const char *path, unsigned threads)) {
    static const char *const sets[][2] = {
        {"a.jsonl", "a.jsonl"}, {"a.csv", "a.csv"}, {"b.jsonl", "a.jsonl.gz"}};
    for (size_t i = 0; i < effort(6); i++) {
        const char *const *set = sets[i % 3];
        char path[200];
        make(set[0], set[1] == set[0] ? NULL : set[1]);
        strcpy(path, path_of(set[1]));
        check(path, 1 + i % 2);
        remove_folder(NULL), make_folder(NULL);
    }
}

static void test_interrupted(void **state) {
    (void)state;
    check_each(check_interrupted);
}

static void test_killed(void **state) {
    (void)state;
    check_each(check_killed);
}

static void test_changed(void **state) {
    (void)state;
    char path[200];
    make("a.jsonl", NULL);
    strcpy(path, path_of("a.jsonl"));
    assert_int_equal(run_to(RECORDS / 2, path, 1), STEMMA_INTERRUPTED);
    make("a.jsonl", NULL);
    char *expected = told_without(path, MEMORY);
    assert_int_equal(check_told(expected, path, 1, MEMORY), RECORDS);
    free(expected);
}

/* In front of the others. */
static void add_long_record(struct buf *out) {
    assert_true(buf_add_string(out, "{\"text\": \""));
    for (size_t i = 0; i < MEMORY / 2; i++) assert_true(buf_add_string(out, "w "));
    assert_true(buf_add_string(out, "\"}\n"));
}

static void scan_with(bool long_record, size_t memory, size_t least, size_t most) {
    struct buf bytes = {0};
    char path[200];
    if (long_record) add_long_record(&bytes);
    fill(&bytes, true);
    strcpy(path, save("a.jsonl", bytes.data, bytes.len));
    settle(path);
    kill_at(RECORDS * 3 / 4, RECORDS / 2, path);
    char *expected = told_without(path, memory);
    assert_in_range(check_told(expected, path, 1, memory), least, most);
    free(expected);
    buf_release(&bytes);
}

/* What was too long to be held is asked again when there is more memory. */
static void test_memory(void **state) {
    (void)state;
    scan_with(false, MEMORY, RECORDS / 2, RECORDS / 2 + FIRST);
    scan_with(false, 16 * MEMORY, RECORDS / 2, RECORDS / 2 + FIRST);
    scan_with(true, MEMORY, RECORDS / 2, RECORDS / 2 + FIRST);
    scan_with(true, 16 * MEMORY, RECORDS, RECORDS + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_interrupted, begin, remove_folder),
        cmocka_unit_test_setup_teardown(test_killed, begin, remove_folder),
        cmocka_unit_test_setup_teardown(test_changed, begin, remove_folder),
        cmocka_unit_test_setup_teardown(test_memory, begin, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
