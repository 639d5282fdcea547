/* What questions to a collection put on disk: it goes where the limits say, and what is lost there is told.
 */
#include "folder_support.h"
#include "stemma.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *said;

static void write_lines(const char *name, const char *line, size_t count) {
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) fputs(line, file);
    assert_int_equal(fclose(file), 0);
}

/* Whoever asks the environment finds no place. */
static int set_up(void **state) {
    said = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    return setenv("TMPDIR", "/nowhere", 1) ? -1 : make_folder(state);
}

static int tear_down(void **state) {
    if (said)
        setenv("TMPDIR", said, 1);
    else
        unsetenv("TMPDIR");
    free(said);
    return remove_folder(state);
}

static stemma_collection *new_collection(const char *name, const char *data, stemma_add_summary *summary) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_limits limits = stemma_limits_default();
    stemma_collection *c;
    stemma_error error;
    char path[128];
    limits.temporary_directory = folder;
    options.parts = STEMMA_PART_BITS | STEMMA_PART_GROUPS | STEMMA_PART_MINIMA;
    if (stemma_collection_create(path_of(name), NULL, &options, &limits, &c, &error) != STEMMA_OK)
        fail_msg("%s", error.message);
    strcpy(path, path_of(data));
    if (stemma_collection_add(c, &(const char *){path}, 1, NULL, summary, &error) != STEMMA_OK)
        fail_msg("%s", error.message);
    return c;
}

/* ---- problems ---- */

enum { BROKEN = 12000 }; /* more than are held */

/* In order, forwards and backwards. */
static void test_problems(void **state) {
    stemma_scan_problem problem;
    stemma_add_summary summary;
    stemma_error error;
    (void)state;
    write_lines("broken.jsonl", "{\n", BROKEN);
    stemma_collection *c = new_collection("problems", "broken.jsonl", &summary);
    assert_int_equal(summary.problems, BROKEN);
    for (uint64_t i = 0; i < BROKEN; i++) {
        assert_int_equal(stemma_collection_get_problem(c, i, &problem, &error), STEMMA_OK);
        assert_int_equal(problem.line, i + 1);
        assert_string_equal(problem.name, path_of("broken.jsonl"));
    }
    assert_int_equal(stemma_collection_get_problem(c, BROKEN, &problem, &error), STEMMA_NOT_FOUND);
    for (uint64_t i = BROKEN; i > 0; i -= BROKEN / 8) {
        assert_int_equal(stemma_collection_get_problem(c, i - 1, &problem, &error), STEMMA_OK);
        assert_int_equal(problem.line, i);
    }
    stemma_collection_free(c);
}

/* Files without names, as if the disk had lost them. */
static void empty_unnamed(void) {
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char name[300], target[300];
        snprintf(name, sizeof name, "/proc/self/fd/%s", entry->d_name);
        const ssize_t size = readlink(name, target, sizeof target - 1);
        if (size < 0) continue;
        target[size] = 0;
        if (strncmp(target, folder, strlen(folder)) == 0 && strstr(target, "(deleted)"))
            assert_int_equal(ftruncate(atoi(entry->d_name), 0), 0);
    }
    if (dir) closedir(dir);
}

static void lose_others(void *told, const stemma_scan_problem *problem) {
    (void)problem;
    if (++*(size_t *)told == 1) empty_unnamed();
}

static stemma_status no_match(void *context, const stemma_match *match, stemma_error *error) {
    (void)context, (void)match, (void)error;
    return STEMMA_OK;
}

/* Those that cannot be read back were met all the same. */
static void test_lost_problems(void **state) {
    stemma_query_options o = stemma_query_options_default();
    stemma_add_summary summary;
    stemma_error error = {0};
    size_t told = 0;
    char path[128];
    (void)state;
    write_lines("few.jsonl", "{\"text\": \"one and two and three and four and five\"}\n", 1);
    write_lines("more.jsonl", "{\n", 4 * BROKEN);
    stemma_collection *c = new_collection("lost", "few.jsonl", &summary);
    o.problem = lose_others;
    o.problem_context = &told;
    strcpy(path, path_of("more.jsonl"));
    assert_int_equal(stemma_collection_query(c, &(const char *){path}, 1, &o, no_match, NULL, NULL, &error),
                     STEMMA_IO);
    assert_true(told > 0 && told < 4 * BROKEN);
    assert_true(strstr(error.message, folder));
    stemma_collection_free(c);
}

/* ---- fingerprints ---- */

static stemma_status count_match(void *count, const stemma_hamming_match *match, stemma_error *error) {
    (void)match, (void)error;
    ++*(size_t *)count;
    return STEMMA_OK;
}

/* So many have all groups in common with the question that numbers are sorted on disk, as are the matches. */
static void test_fingerprints(void **state) {
    enum { COPIES = 100000 };
    static const stemma_via ways[] = {STEMMA_VIA_H, STEMMA_VIA_SCAN};
    stemma_add_summary summary;
    stemma_error error;
    char path[128];
    (void)state;
    write_lines("copies.jsonl", "{\"text\": \"one and two and three and four and five\"}\n", COPIES);
    write_lines("question.txt", "one and two and three and four and five\n", 1);
    stemma_collection *c = new_collection("copies", "copies.jsonl", &summary);
    strcpy(path, path_of("question.txt"));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        stemma_hamming_options o = stemma_hamming_options_default();
        size_t count = 0;
        o.via = ways[i];
        o.resemblance = .95; /* which groups decide */
        if (stemma_collection_hamming(c, &(const char *){path}, 1, &o, count_match, &count, NULL, &error) !=
            STEMMA_OK)
            fail_msg("%s", error.message);
        assert_int_equal(count, COPIES);
    }
    stemma_collection_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_lost_problems),
        cmocka_unit_test(test_fingerprints),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
