/* Answers about each document of a pile: in order, whatever the threads; held only so far; ended early. */
#include "base/alloc.h"
#include "collect/each.h"
#include "folder_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static FILE *create(const char *pile, const char *name) {
    char path[256];
    mkdir(path_of(pile), 0700);
    snprintf(path, sizeof path, "%s/%s/%s", folder, pile, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void write_texts(const char *pile, int count) {
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%04d", i);
        FILE *file = create(pile, name);
        fprintf(file, "document number %d of many, in a file of its own\n", i);
        fclose(file);
    }
}

/* Files, records and letters: large things come first in a scan, containers last, and here neither. */
static void write_mixed(void) {
    write_texts("mixed", 150);
    FILE *file = create("mixed", "f0020.jsonl");
    for (int i = 0; i < 5000; i++) fprintf(file, "{\"text\": \"record %d of so and so many words\"}\n", i);
    fclose(file);
    file = create("mixed", "f0010.mbox");
    for (int i = 0; i < 300; i++)
        fprintf(
            file,
            "From a@b Thu Jan  1 00:00:00 1970\nFrom: a@b\nTo: c@d\nDate: Thu, 1 Jan 1970 00:00:00 +0000\nMessage-ID: <%d@b>\nSubject: letter\n\nThis is it.\n\n",
            i);
    fclose(file);
    file = create("mixed", "f0015");
    for (int i = 0; i < 900000; i++) fprintf(file, "word%d ", i % 9000);
    fclose(file);
    fclose(create("mixed", "f0030.empty"));
}

/* ---- who answers, and who takes it ---- */

struct pile {
    atomic_uint answered, left; /* left: workers that do no more */
    unsigned given, early;      /* early: answers that were there and not given, at most */
    unsigned end_at;            /* given so many, who takes them has had enough; 0: never */
    size_t weight;
    unsigned stop_at; /* answered so many, it is to stop; 0: never */
    volatile int stop;
    bool slow;  /* the first answer waits for the others, as long as any come */
    bool stays; /* and then until these have left, which it has told to stop */
    unsigned outstayed;
    char *ids; /* of all, one a line */
    size_t size;
    FILE *list;
};

static stemma_status worker_new(void *context, void **worker, stemma_error *err) {
    (void)err;
    *worker = context;
    return STEMMA_OK;
}

static void worker_free(void *worker) {
    ((struct pile *)worker)->left++;
}

static stemma_status ignore(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                            size_t token_count, stemma_error *err) {
    (void)context, (void)fp, (void)count, (void)tokens, (void)token_count, (void)err;
    return STEMMA_OK;
}

static struct shingle_sink begin(void *worker) {
    return (struct shingle_sink){.context = worker, .take = ignore};
}

static void wait_for_others(struct pile *p) {
    for (unsigned before = 0, now = 1; before != now && now < 200;) {
        before = now;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        now = p->answered;
    }
}

/* As a signal does, of which thread sanitizer knows nothing. */
__attribute__((noinline, no_sanitize("thread"))) static void interrupt(volatile int *stop) {
    *stop = 1;
}

/* They wait for this one by then, and leave without it. */
static void stop_others(struct pile *p) {
    interrupt(&p->stop);
    for (int i = 0; i < 1000 && p->left < 3; i++) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    p->outstayed = p->left;
}

static stemma_status answer(void *worker, const struct each_text *text, void *made, stemma_error *err) {
    struct pile *p = worker;
    (void)text, (void)err;
    *(size_t *)made = p->weight;
    const unsigned before = atomic_fetch_add(&p->answered, 1);
    if (before + 1 == p->stop_at) interrupt(&p->stop);
    if (before == 0 && p->slow) wait_for_others(p);
    if (before == 0 && p->stays) stop_others(p);
    return STEMMA_OK;
}

static size_t weight(const void *made) {
    return *(const size_t *)made;
}

static const struct each_kind kind = {.new = worker_new,
                                      .free = worker_free,
                                      .begin = begin,
                                      .answer = answer,
                                      .weight = weight,
                                      .drop = mem_free,
                                      .answer_size = sizeof(size_t)};

static stemma_status take(void *receiver, const struct each_result *result, stemma_error *err) {
    struct pile *p = receiver;
    assert_int_equal(result->place, p->given);
    const unsigned early = p->answered - p->given;
    if (early > p->early) p->early = early;
    p->given++;
    fprintf(p->list, "%s %d\n", result->id, result->answer != NULL);
    return p->end_at == p->given ? (fail)(err, STEMMA_NO_SPACE, "enough") : STEMMA_OK;
}

static stemma_status run(struct pile *p, const char *name, unsigned threads, stemma_error *err) {
    const char *paths[] = {path_of(name)};
    stemma_recipe *recipe;
    struct each each;
    struct scan_settings settings = {.options = stemma_scan_options_default(),
                                     .limits = stemma_limits_default()};
    settings.options.threads = threads;
    settings.limits.stop = &p->stop;
    assert_int_equal(stemma_recipe_parse("", &recipe, NULL), STEMMA_OK);
    p->list = open_memstream(&p->ids, &p->size);
    each_init(&each, &kind, p, recipe, take, p);
    stemma_status status =
        each_run(&each, &settings, &(struct each_subject){.paths = paths, .count = 1}, err);
    each_release(&each);
    stemma_recipe_free(recipe);
    fclose(p->list);
    return status;
}

/* ---- what holds ---- */

static void test_order(void **state) {
    struct pile one = {0};
    (void)state;
    write_mixed();
    assert_int_equal(run(&one, "mixed", 1, NULL), STEMMA_OK);
    assert_int_equal(one.given, 150 + 5000 + 300 + 1); /* one of the files is large */
    const char *letter = strstr(one.ids, "f0010.mbox!/"), *next = strstr(one.ids, "/f0011 "),
               *large = strstr(one.ids, "/f0015 "), *record = strstr(one.ids, "f0020.jsonl"),
               *none = strstr(one.ids, "f0030.empty 0\n");
    assert_true(letter && next && large && record && none);
    assert_true(letter < next && next < large && large < record && record < none);
    for (unsigned threads = 2; threads < 6; threads++) {
        struct pile p = {0};
        assert_int_equal(run(&p, "mixed", threads, NULL), STEMMA_OK);
        assert_string_equal(p.ids, one.ids);
        free(p.ids);
    }
    free(one.ids);
}

/* One slow document holds up the others before they fill the memory. */
static void test_held(void **state) {
    struct pile p = {.slow = true, .weight = 4096};
    (void)state;
    write_texts("held", 200);
    assert_int_equal(run(&p, "held", 4, NULL), STEMMA_OK);
    assert_int_equal(p.given, 200);
    assert_true(p.early < 20);
    free(p.ids);
}

static void test_enough(void **state) {
    (void)state;
    write_texts("enough", 300);
    for (unsigned threads = 1; threads < 5; threads++) {
        struct pile p = {.end_at = 40};
        stemma_error err;
        assert_int_equal(run(&p, "enough", threads, &err), STEMMA_NO_SPACE);
        assert_string_equal(err.message, "enough");
        assert_int_equal(p.given, 40);
        free(p.ids);
    }
}

/* Whoever waits for another one's job does not wait for ever. */
static void test_stopped(void **state) {
    struct pile slow = {.slow = true, .stays = true, .weight = 1 << 14};
    (void)state;
    write_texts("stopped", 40);
    assert_int_equal(run(&slow, "stopped", 4, NULL), STEMMA_INTERRUPTED);
    assert_int_equal(slow.outstayed, 3);
    free(slow.ids);
    for (unsigned round = 0; round < 200; round++) {
        struct pile p = {.stop_at = 1 + round % 8, .weight = 1 << 14};
        assert_int_equal(run(&p, "stopped", 2 + round % 6, NULL), STEMMA_INTERRUPTED);
        free(p.ids);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_enough), cmocka_unit_test(test_stopped)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
