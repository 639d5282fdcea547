/* Programs that convert: what they give, and what is left of them when they are after no good. */
#include "read/converter.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ADVICE "it needs a converter"

struct result {
    stemma_status status;
    stemma_error error;
    struct buf text;
    char words[CONVERTER_WORDS];
};

static struct result run_with(const char *what, const char *argument, const void *bytes, size_t size,
                              struct reading_limits limits) {
    struct result result = {.error.message = ""};
    memset(result.words, 'w', sizeof result.words);
    struct converter converter = {
        .program = HOSTILE_CONVERTER, .arguments = {what, argument}, .chatter = "Note", .advice = ADVICE};
    result.status =
        converter_run(&converter, bytes, size, &limits, &result.text, result.words, &result.error);
    return result;
}

static struct result run(const char *what, struct reading_limits limits) {
    return run_with(what, NULL, "", 0, limits);
}

static void expect_failure(struct result result, stemma_status status, const char *says) {
    if (result.status != status || !strstr(result.error.message, says))
        fail_msg("%d, '%s'", result.status, result.error.message);
    buf_release(&result.text);
}

static void expect_text(struct result result, const void *text, size_t size) {
    if (result.status != STEMMA_OK) fail_msg("%s", result.error.message);
    assert_int_equal(result.text.len, size);
    assert_memory_equal(result.text.data, text, size);
    buf_release(&result.text);
}

/* ---- good ones ---- */

static void gives_what_it_made(void **state) {
    (void)state;
    size_t size = 3 << 20; /* more than a pipe holds */
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 7 + i / 251);
    expect_text(run_with("copy", NULL, bytes, size, (struct reading_limits){0}), bytes, size);
    expect_text(run_with("copy", NULL, "short", 5, (struct reading_limits){0}), "short", 5);
    free(bytes);
    struct result empty = run("copy", (struct reading_limits){0});
    assert_int_equal(empty.status, STEMMA_OK);
    assert_int_equal(empty.text.len, 0);
    buf_release(&empty.text);
}

static void hands_on_what_it_says(void **state) {
    (void)state;
    struct result result = run("chat", (struct reading_limits){0});
    assert_int_equal(result.status, STEMMA_OK);
    assert_string_equal(result.words, "Trouble: in the middle\n");
    buf_release(&result.text);
}

static void *copy_often(void *failed) {
    for (int i = 0; i < 10; i++) {
        struct result result = run_with("copy", NULL, "a document", 10, (struct reading_limits){0});
        if (result.status != STEMMA_OK || result.text.len != 10) *(bool *)failed = true;
        buf_release(&result.text);
    }
    return NULL;
}

static void runs_in_several_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    bool failed[4] = {false};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_often, &failed[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_false(failed[i]);
    }
}

static void has_no_secrets_of_ours(void **state) {
    (void)state;
    assert_int_equal(setenv("STEMMA_SECRET", "key", 1), 0);
    struct result result = run("environment", (struct reading_limits){0});
    assert_true(result.text.len > 0);
    assert_null(memmem(result.text.data, result.text.len, "SECRET", 6));
    buf_release(&result.text);
}

/* ---- missing ones ---- */

static void says_what_is_missing(void **state) {
    (void)state;
    struct reading_limits limits = {0};
    char words[CONVERTER_WORDS];
    struct buf out = {0};
    stemma_error error;
    const char *const programs[] = {"no-such-converter", "/no/such/converter", "/etc/passwd"};
    for (size_t i = 0; i < 3; i++) {
        struct converter converter = {.program = programs[i], .advice = ADVICE};
        assert_int_equal(converter_run(&converter, (const uint8_t *)"", 0, &limits, &out, words, &error),
                         STEMMA_UNSUPPORTED);
        assert_string_equal(error.message, ADVICE);
    }
}

/* A program that is there is not missing. */
static void says_why_it_cannot_be_opened(void **state) {
    (void)state;
    struct rlimit before, none = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct result result = run("copy", (struct reading_limits){0});
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    expect_failure(result, STEMMA_NO_MEMORY, "Too many open files");
}

/* ---- those that fail ---- */

static void hands_on_why_it_failed(void **state) {
    (void)state;
    expect_failure(run("refuse", (struct reading_limits){0}), STEMMA_CORRUPT, "says: bad ?[31mdocument");
    expect_failure(run("fail", (struct reading_limits){0}), STEMMA_CORRUPT, "failed (exit 3)");
    expect_failure(run("crash", (struct reading_limits){0}), STEMMA_CORRUPT, "crashed (signal 11)");
}

/* ---- hostile ones ---- */

static void ends_what_does_not_end(void **state) {
    (void)state;
    static const char *const ways[] = {"hang", "spin", "quiet"};
    for (size_t i = 0; i < 3; i++)
        expect_failure(run(ways[i], (struct reading_limits){.converter_seconds = 1}), STEMMA_UNSUPPORTED,
                       "takes longer than 1 seconds");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

static void stops_when_asked(void **state) {
    (void)state;
    static const volatile int stop = 1;
    expect_failure(run("hang", (struct reading_limits){.stop = &stop}), STEMMA_INTERRUPTED, "interrupted");
}

static void bounds_memory_and_output(void **state) {
    (void)state;
    expect_failure(run("memory", (struct reading_limits){.converter_memory = (size_t)64 << 20}),
                   STEMMA_CORRUPT, "within 64 MB of memory");
    expect_failure(run("flood", (struct reading_limits){.memory = (size_t)5 << 20}), TEXT_TOO_LONG,
                   "its text is longer than 1048576 bytes");
    struct result result = run("complain", (struct reading_limits){.converter_seconds = 1});
    assert_int_equal(strnlen(result.words, CONVERTER_WORDS), CONVERTER_WORDS - 1); /* a line without an end */
    expect_failure(result, STEMMA_UNSUPPORTED, "takes longer");
    result = run("descriptors", (struct reading_limits){0});
    expect_text(result, "63", 2);
}

static void can_only_read(void **state) {
    (void)state;
    static const char expected[] =
        "read: done\nwrite: refused\ncreate: refused\ntemporary: refused\nunlink: refused\nrename: refused\nmkdir: "
        "refused\nchmod: refused\nsocket: refused\nlocal socket: refused\nfork: refused\nexec: refused\nkill: "
        "refused\nlimits: refused\n";
    char victim[] = "/tmp/stemma-victim-XXXXXX";
    struct stat info;
    int fd = mkstemp(victim);
    assert_true(fd >= 0);
    expect_text(run_with("try", victim, "", 0, (struct reading_limits){0}), expected, sizeof expected - 1);
    assert_int_equal(stat(victim, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    close(fd);
    unlink(victim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_it_made),     cmocka_unit_test(runs_in_several_threads),
        cmocka_unit_test(has_no_secrets_of_ours), cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(hands_on_why_it_failed), cmocka_unit_test(ends_what_does_not_end),
        cmocka_unit_test(stops_when_asked),       cmocka_unit_test(bounds_memory_and_output),
        cmocka_unit_test(can_only_read),          cmocka_unit_test(says_why_it_cannot_be_opened),
        cmocka_unit_test(hands_on_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
