/* Scans through the public header: made-up documents in memory and in files, held against
 * stemma_compare_bytes and the definition of stars. */
#include "effort.h"
#include "folder_support.h"
#include "pile_support.h"
#include "scan/scan.h"
#include "stemma.h"
#include "told_support.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- documents ---- */

enum { WORDS_MOST = 2000, TEXT_MOST = WORDS_MOST * 8 };

static void random_text(char *out, size_t words) {
    random_words(out, words, 5000);
}

/* A pile with families of copies, contained ones, exact copies and a template. */
static void fill_pile(struct pile *pile, size_t families) {
    static char text[2 * TEXT_MOST], copy[2 * TEXT_MOST], template[TEXT_MOST];
    random_text(template, 60);
    for (size_t i = 0; i < families; i++) {
        random_text(text, 30 + rng_below(&chance, 600));
        if (rng_below(&chance, 3) == 0) strcat(text, template);
        pile_add(pile, text);
        for (uint64_t k = rng_below(&chance, 4); k > 0; k--) {
            mutate(text, rng_unit(&chance) * .06, copy);
            pile_add(pile, copy);
        }
        if (rng_below(&chance, 4) == 0) pile_add(pile, text);
        if (rng_below(&chance, 4) == 0) {
            strcpy(copy, "An introduction, then: ");
            strcat(copy, text);
            random_text(copy + strlen(copy), 1000);
            pile_add(pile, copy);
        }
    }
}

/* ---- running ---- */

static stemma_scan *scan_pile(const struct pile *pile, const stemma_scan_options *options, size_t memory) {
    stemma_scan *scan = NULL;
    stemma_error error;
    stemma_limits limits = stemma_limits_default();
    if (memory) limits.memory = memory;
    assert_int_equal(stemma_scan_new(NULL, options, &limits, &scan, &error), STEMMA_OK);
    for (size_t i = 0; i < pile->count; i++)
        assert_int_equal(
            stemma_scan_add_text(scan, pile->ids[i], pile->texts[i], strlen(pile->texts[i]), &error),
            STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, &error), STEMMA_OK);
    return scan;
}

/* Everything a scan says. */
static char *told(stemma_scan *scan) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    stemma_scan_group group;
    assert_non_null(out);
    for (uint64_t i = 0; i < summary.groups; i++) {
        assert_int_equal(stemma_scan_get_group(scan, i, &group, NULL), STEMMA_OK);
        fprintf(out, "group %llu %llu\n", (unsigned long long)group.kept,
                (unsigned long long)group.redundant_bytes);
        for (size_t k = 0; k < group.member_count; k++)
            fprintf(out, "  %llu %d %.17g %.17g\n", (unsigned long long)group.members[k].document,
                    (int)group.members[k].relation, group.members[k].resemblance, group.members[k].contained);
    }
    assert_int_equal(stemma_scan_pairs(scan, print_pair, out, NULL), STEMMA_OK);
    fclose(out);
    return text;
}

/* ---- tests ---- */

static void test_relations(void **state) {
    (void)state;
    static char text[TEXT_MOST], longer[2 * TEXT_MOST];
    struct pile pile = {0};
    random_text(text, 300);
    random_text(longer, 900);
    strcat(longer, text);
    pile_add(&pile, longer);
    pile_add(&pile, text); /* contained */
    pile_add(&pile, text); /* identical to 1 */
    strcat(text, "!!");    /* the same text */
    pile_add(&pile, text);
    pile_add(&pile, "");
    pile_add(&pile, "  ...");
    stemma_scan *scan = scan_pile(&pile, NULL, 0);
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    stemma_scan_group group;
    assert_int_equal(summary.documents, 6);
    assert_int_equal(summary.empty, 2);
    assert_int_equal(summary.classes, 2);
    assert_int_equal(summary.groups, 1);
    assert_int_equal(summary.redundant, 3);
    assert_int_equal(stemma_scan_get_group(scan, 0, &group, NULL), STEMMA_OK);
    assert_int_equal(group.kept, 0);
    assert_int_equal(group.member_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(group.members[i].relation, STEMMA_CONTAINED);
        assert_true(group.members[i].contained > .98);
        assert_true(group.members[i].resemblance < .3);
        assert_int_equal(group.members[i].parent, 0);
    }
    assert_int_equal(stemma_scan_get_group(scan, 1, &group, NULL), STEMMA_NOT_FOUND);
    assert_string_equal(stemma_scan_get_document(scan, 3).id, "d003");
    size_t count;
    const uint64_t *copies = stemma_scan_copies(scan, 2, &count);
    assert_non_null(copies);
    assert_int_equal(count, 3);
    assert_int_equal(copies[0], 1);
    stemma_scan_free(scan);
    pile_release(&pile);
}

static void test_identical_and_same_text(void **state) {
    (void)state;
    struct pile pile = {0};
    pile_add(&pile, "One, two; three four five six seven.");
    pile_add(&pile, "one two three four five six seven");
    pile_add(&pile, "One, two; three four five six seven.");
    stemma_scan *scan = scan_pile(&pile, NULL, 0);
    stemma_scan_group group;
    assert_int_equal(stemma_scan_get_group(scan, 0, &group, NULL), STEMMA_OK);
    assert_int_equal(group.kept, 0);
    assert_int_equal(group.members[0].document, 1);
    assert_int_equal(group.members[0].relation, STEMMA_SAME_TEXT);
    assert_int_equal(group.members[1].relation, STEMMA_IDENTICAL);
    stemma_scan_free(scan);
    pile_release(&pile);
}

/* Whatever the threads and the memory, the same is told; and with reversed input, the same of the same
 * documents. */
static void test_nothing_depends_on_threads_or_memory(void **state) {
    (void)state;
    for (size_t round = 0; round < effort(10); round++) {
        struct pile pile = {0};
        fill_pile(&pile, 60);
        stemma_scan_options options = stemma_scan_options_default();
        options.pairs = true;
        options.threads = 1;
        options.keep = (stemma_keep)(round % 5);
        stemma_scan *scan = scan_pile(&pile, &options, 0);
        char *expected = told(scan);
        stemma_scan_free(scan);
        for (unsigned threads = 1; threads <= 3; threads++) {
            options.threads = threads;
            scan = scan_pile(&pile, &options, threads == 2 ? 1 : 0);
            char *got = told(scan);
            assert_string_equal(got, expected);
            free(got);
            stemma_scan_free(scan);
        }
        free(expected);
        pile_release(&pile);
    }
}

/* ---- against brute force ---- */

struct truth {
    double resemblance[DOCUMENTS_MOST][DOCUMENTS_MOST];
    double contained[DOCUMENTS_MOST][DOCUMENTS_MOST]; /* [i][k]: share of i in k */
    size_t class[DOCUMENTS_MOST];
};

static void compare_all(const struct pile *pile, struct truth *truth) {
    for (size_t i = 0; i < pile->count; i++) {
        truth->class[i] = i;
        for (size_t k = 0; k < i; k++) {
            stemma_comparison c;
            assert_int_equal(stemma_compare_bytes(pile->texts[i], strlen(pile->texts[i]), pile->texts[k],
                                                  strlen(pile->texts[k]), NULL, NULL, NULL, &c, NULL),
                             STEMMA_OK);
            truth->resemblance[i][k] = truth->resemblance[k][i] = c.resemblance.value;
            truth->contained[i][k] = c.a_in_b.value;
            truth->contained[k][i] = c.b_in_a.value;
            if (truth->class[i] == i && (c.relation == STEMMA_IDENTICAL || c.relation == STEMMA_SAME_TEXT))
                truth->class[i] = truth->class[k];
        }
    }
}

struct check {
    const struct truth *truth;
    double threshold, contained;
    bool found[DOCUMENTS_MOST][DOCUMENTS_MOST];
};

static stemma_status check_pair(void *context, const stemma_scan_pair *pair, stemma_error *err) {
    struct check *check = context;
    const struct truth *truth = check->truth;
    size_t a = truth->class[pair->a], b = truth->class[pair->b];
    (void)err;
    assert_true(pair->resemblance == truth->resemblance[a][b]);
    assert_true(pair->a_in_b == truth->contained[a][b]);
    assert_true(pair->b_in_a == truth->contained[b][a]);
    assert_true(pair->resemblance >= check->threshold || pair->a_in_b >= check->contained ||
                pair->b_in_a >= check->contained);
    assert_false(check->found[a][b]);
    check->found[a][b] = check->found[b][a] = true;
    return STEMMA_OK;
}

static void test_pairs_are_those_of_brute_force(void **state) {
    (void)state;
    static struct truth truth;
    static struct check check;
    const double thresholds[] = {.3, .5, .7, .9};
    size_t true_pairs = 0, missed = 0;
    for (size_t round = 0; round < effort(4); round++) {
        struct pile pile = {0};
        fill_pile(&pile, 40);
        compare_all(&pile, &truth);
        stemma_scan_options options = stemma_scan_options_default();
        options.pairs = true;
        options.keep = STEMMA_KEEP_FIRST; /* a class goes by its first document */
        options.threshold = thresholds[round % 4];
        memset(&check, 0, sizeof check);
        check.truth = &truth;
        check.threshold = options.threshold;
        check.contained = options.contained;
        stemma_scan *scan = scan_pile(&pile, &options, 0);
        assert_int_equal(stemma_scan_pairs(scan, check_pair, &check, NULL), STEMMA_OK);
        for (size_t i = 0; i < pile.count; i++)
            for (size_t k = 0; k < i; k++) {
                if (truth.class[i] != i || truth.class[k] != k || truth.resemblance[i][k] < options.threshold)
                    continue;
                true_pairs++;
                missed += !check.found[i][k];
            }
        stemma_scan_free(scan);
        pile_release(&pile);
    }
    assert_true(true_pairs > 0);
    assert_true(missed <= true_pairs / 50); /* 1 % is allowed at the very threshold; most lie above */
}

/* What grouping has compared is not compared again for pairs; and forgotten, it comes out the same. */
static void test_pairs_are_compared_once(void **state) {
    (void)state;
    static const stemma_grouping rules[] = {STEMMA_GROUP_STARS, STEMMA_GROUP_COMPONENTS};
    for (size_t round = 0; round < 2; round++) {
        struct pile pile = {0};
        fill_pile(&pile, 40);
        stemma_scan_options options = stemma_scan_options_default();
        options.pairs = true;
        options.group = rules[round];
        stemma_scan *scan = scan_pile(&pile, &options, 0);
        char *remembered = told(scan);
        assert_true(scan->compared.count > 0);
        assert_true(scan->summary.verified <= scan->summary.candidates);
        compared_release(&scan->compared);
        char *again = told(scan);
        assert_string_equal(again, remembered);
        assert_true(scan->summary.verified > scan->summary.candidates);
        free(again);
        free(remembered);
        stemma_scan_free(scan);
        pile_release(&pile);
    }
}

/* ---- files ---- */

static void remove_file(const char *name) {
    remove(path_of(name)); /* it may be gone */
}

static void test_files(void **state) {
    (void)state;
    static char text[TEXT_MOST], copy[TEXT_MOST], path[128], link[128];
    stemma_scan *scan = NULL;
    stemma_scan_problem problem;
    stemma_scan_group group;
    random_text(text, 400);
    mutate(text, .01, copy);
    write_file("b.txt", text);
    write_file("a.txt", copy);
    write_file("c.bin", "\1\2\0\3");
    snprintf(path, sizeof path, "%s/b.txt", folder);
    snprintf(link, sizeof link, "%s/hard.txt", folder);
    (void)!linkat(AT_FDCWD, path, AT_FDCWD, link, 0);
    assert_int_equal(stemma_scan_new(NULL, NULL, NULL, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, folder, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, path, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, "/nonexistent/x", NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_INVALID);
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    assert_int_equal(summary.documents, 3);
    assert_int_equal(summary.repeated, 2);
    assert_int_equal(summary.groups, 1);
    assert_int_equal(summary.problems, 1);
    assert_int_equal(stemma_scan_get_problem(scan, 0, &problem, NULL), STEMMA_OK);
    assert_string_equal(problem.name, "/nonexistent/x");
    assert_int_equal(stemma_scan_get_group(scan, 0, &group, NULL), STEMMA_OK);
    assert_int_equal(group.members[0].relation, STEMMA_NEAR_DUPLICATE);
    stemma_scan_free(scan);
}

/* What is shown of a document is what was compared, or an error that says why not. */
static void test_texts(void **state) {
    (void)state;
    static char text[TEXT_MOST];
    stemma_scan *scan = NULL;
    const char *shown = NULL;
    size_t size = 0;
    random_text(text, 400);
    write_file("plain.txt", text);
    write_file("page.html", "<p>Neither a borrower</p><p>nor a lender be.</p>");
    write_file("x.bin", "\1\2\1\3");
    assert_int_equal(stemma_scan_new(NULL, NULL, NULL, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_get_text(scan, 0, &shown, &size, NULL, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_scan_add_text(scan, "memory", "In memory.", 10, NULL), STEMMA_OK);
    const char *const names[] = {"plain.txt", "page.html", "x.bin"};
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(stemma_scan_add_path(scan, path, NULL), STEMMA_OK);
    }
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_get_text(scan, 0, &shown, &size, NULL, NULL), STEMMA_OK);
    assert_memory_equal(shown, "In memory.", size);
    assert_int_equal(stemma_scan_get_text(scan, 1, &shown, &size, NULL, NULL), STEMMA_OK);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(shown, text, size);
    assert_int_equal(stemma_scan_get_text(scan, 2, &shown, &size, NULL, NULL), STEMMA_OK);
    assert_null(memchr(shown, '<', size));
    assert_int_equal(stemma_scan_get_text(scan, 3, &shown, &size, NULL, NULL), STEMMA_UNSUPPORTED);
    assert_int_equal(stemma_scan_get_text(scan, 4, &shown, &size, NULL, NULL), STEMMA_NOT_FOUND);
    write_file("plain.txt", "something else");
    assert_int_equal(stemma_scan_get_text(scan, 1, &shown, &size, NULL, NULL), STEMMA_CORRUPT);
    stemma_scan_free(scan);
}

/* With little memory no text is kept, so files are read again: one that changed is a problem, not a wrong
 * answer. */
struct change {
    const char *name, *text;
    bool done;
};

static void change_file(void *context, const stemma_scan_progress *progress) {
    struct change *change = context;
    if (change->done || strcmp(progress->stage, "verifying") != 0) return;
    change->done = true;
    write_file(change->name, change->text);
}

/* It is a problem once, in however many pairs it is, and the others are a group without it. */
static void test_changed_file(void **state) {
    (void)state;
    static char text[TEXT_MOST * 40], copy[TEXT_MOST * 40];
    struct change change = {"y.txt", "something else altogether that is not what it was", false};
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    stemma_scan *scan = NULL;
    stemma_scan_problem problem;
    stemma_scan_group group;
    random_text(text, WORDS_MOST * 30);
    write_file("x.txt", text);
    for (const char *const *name = (const char *const[]){"w.txt", "y.txt", "z.txt", NULL}; *name; name++) {
        mutate(text, .005, copy);
        write_file(*name, copy);
    }
    options.progress = change_file;
    options.progress_context = &change;
    limits.memory = 1 << 18;
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, folder, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    assert_true(change.done);
    assert_int_equal(stemma_scan_get_problem(scan, 0, &problem, NULL), STEMMA_OK);
    assert_non_null(strstr(problem.cause, "has changed"));
    assert_int_equal(stemma_scan_get_summary(scan).problems, 1);
    assert_int_equal(stemma_scan_get_summary(scan).groups, 1);
    assert_int_equal(stemma_scan_get_group(scan, 0, &group, NULL), STEMMA_OK);
    assert_int_equal(group.member_count, 2);
    stemma_scan_free(scan);
}

/* What happens to a scan when it comes to a stage: a file vanishes, or, without one, it is interrupted. */
struct moment {
    const char *stage, *file;
    int stop;
};

static void at_stage(void *context, const stemma_scan_progress *progress) {
    struct moment *moment = context;
    if (strcmp(progress->stage, moment->stage) != 0) return;
    if (moment->file)
        remove_file(moment->file);
    else
        moment->stop = 1;
}

static stemma_status run_until(struct moment *moment, stemma_scan **scan) {
    static char text[TEXT_MOST * 40], copy[TEXT_MOST * 40];
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    random_text(text, WORDS_MOST * 30);
    mutate(text, .005, copy);
    write_file("x.txt", text);
    write_file("y.txt", copy);
    options.progress = at_stage;
    options.progress_context = moment;
    limits.memory = 1 << 18; /* so that files are read again */
    limits.stop = &moment->stop;
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(*scan, folder, NULL), STEMMA_OK);
    return stemma_scan_run(*scan, NULL);
}

static const char *const stages[] = {"listing", "reading", "matching", "verifying"};

static void test_interrupted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        struct moment moment = {.stage = stages[i]};
        stemma_scan *scan = NULL;
        assert_int_equal(run_until(&moment, &scan), STEMMA_INTERRUPTED);
        stemma_scan_free(scan);
    }
}

/* Before it is listed it is no problem. */
static void test_vanishing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        struct moment moment = {.stage = stages[i], .file = "y.txt"};
        stemma_scan *scan = NULL;
        stemma_scan_problem problem;
        assert_int_equal(run_until(&moment, &scan), STEMMA_OK);
        assert_int_equal(stemma_scan_get_summary(scan).problems, i > 0);
        assert_int_equal(stemma_scan_get_summary(scan).groups, 0);
        if (i > 0) {
            assert_int_equal(stemma_scan_get_problem(scan, 0, &problem, NULL), STEMMA_OK);
            assert_int_equal(problem.status, STEMMA_NOT_FOUND);
        }
        stemma_scan_free(scan);
    }
}

/* Documents larger than their share of the memory are compared by sets on disk, with the same result. */
static void test_huge_documents(void **state) {
    (void)state;
    static char text[TEXT_MOST * 200], copy[TEXT_MOST * 200];
    stemma_limits limits = stemma_limits_default();
    stemma_scan_group group[2];
    for (int i = 0; i < 200; i++) random_text(text + strlen(text), WORDS_MOST);
    mutate(text, .01, copy);
    write_file("x.txt", text);
    write_file("y.txt", copy);
    write_file("small.txt", "not much to be seen in here at all");
    for (int i = 0; i < 2; i++) {
        stemma_scan *scan = NULL;
        limits.memory = i ? 1 << 18 : 1 << 30;
        assert_int_equal(stemma_scan_new(NULL, NULL, &limits, &scan, NULL), STEMMA_OK);
        assert_int_equal(stemma_scan_add_path(scan, folder, NULL), STEMMA_OK);
        assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
        assert_int_equal(stemma_scan_get_group(scan, 0, &group[i], NULL), STEMMA_OK);
        assert_int_equal(group[i].member_count, 1);
        static stemma_scan_member members[2];
        members[i] = group[i].members[0];
        group[i].members = &members[i];
        stemma_scan_free(scan);
    }
    assert_true(group[0].members->resemblance == group[1].members->resemblance);
    assert_true(group[0].members->resemblance > .8);
    assert_int_equal(group[0].kept, group[1].kept);
}

/* ---- boilerplate ---- */

static stemma_status take_passage(void *context, const stemma_scan_passage *passage, stemma_error *err) {
    (void)err;
    stemma_scan_passage *first = context;
    if (!first->text) {
        *first = *passage;
        first->text = strndup(passage->text, passage->size);
    }
    return STEMMA_OK;
}

static void test_boilerplate(void **state) {
    (void)state;
    static char text[2 * TEXT_MOST], template[TEXT_MOST], own[TEXT_MOST];
    struct pile pile = {0};
    random_text(template, 150);
    template[0] = 'W'; /* as it stands in the documents, not in canonical form */
    for (int i = 0; i < 60; i++) {
        random_text(own, 200);
        strcat(strcpy(text, own), i % 2 ? template : "");
        random_text(text + strlen(text), 100);
        pile_add(&pile, text);
    }
    stemma_scan_options options = stemma_scan_options_default();
    options.boilerplate = true;
    stemma_scan *scan = scan_pile(&pile, &options, 0);
    stemma_scan_passage passage = {0};
    assert_int_equal(stemma_scan_boilerplate(scan, 0, 10, take_passage, &passage, NULL), STEMMA_OK);
    assert_int_equal(passage.documents, 30);
    assert_int_equal(passage.tokens, 150);
    template[strlen(template) - 1] = 0; /* the last space */
    assert_string_equal(passage.text, template);
    free((char *)(uintptr_t)passage.text);
    stemma_scan_free(scan);
    pile_release(&pile);
}

/* Documents that are gone when they are read again are problems, and do not end the search. */
static void test_boilerplate_of_what_vanishes(void **state) {
    (void)state;
    enum { FILES = 60 };
    static char text[TEXT_MOST * 12], template[TEXT_MOST];
    char name[32];
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    stemma_scan_passage passage = {0};
    stemma_scan *scan = NULL;
    random_text(template, 150);
    for (int i = 0; i < FILES; i++) {
        random_text(text, WORDS_MOST * 10);
        strcat(text, template);
        snprintf(name, sizeof name, "b%02d.txt", i);
        write_file(name, text);
    }
    options.boilerplate = true;
    limits.memory = 1 << 18;
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, folder, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    for (int left = FILES; left > 0; left -= 20) {
        assert_int_equal(stemma_scan_boilerplate(scan, 3, 10, take_passage, &passage, NULL), STEMMA_OK);
        for (int i = left - 20; i < left; i++) {
            snprintf(name, sizeof name, "b%02d.txt", i);
            remove_file(name);
        }
    }
    assert_non_null(passage.text);
    free((char *)(uintptr_t)passage.text);
    passage.text = NULL;
    assert_int_equal(stemma_scan_boilerplate(scan, 3, 10, take_passage, &passage, NULL), STEMMA_OK);
    assert_null(passage.text);
    assert_true(stemma_scan_get_summary(scan).problems > 0);
    stemma_scan_free(scan);
}

static void test_wrong_use(void **state) {
    (void)state;
    stemma_scan *scan = NULL;
    stemma_scan_options options = stemma_scan_options_default();
    stemma_error error;
    options.threshold = .2;
    assert_int_equal(stemma_scan_new(NULL, &options, NULL, &scan, &error), STEMMA_INVALID);
    options = stemma_scan_options_default();
    options.contained = 1.5;
    assert_int_equal(stemma_scan_new(NULL, &options, NULL, &scan, &error), STEMMA_INVALID);
    options.size = 0;
    assert_int_equal(stemma_scan_new(NULL, &options, NULL, &scan, &error), STEMMA_INVALID);
    options = stemma_scan_options_default();
    options.include_count = 1;
    assert_int_equal(stemma_scan_new(NULL, &options, NULL, &scan, &error), STEMMA_INVALID);
    assert_null(scan);
    assert_int_equal(stemma_scan_new(NULL, NULL, NULL, &scan, &error), STEMMA_OK);
    assert_int_equal(stemma_scan_pairs(scan, print_pair, NULL, &error), STEMMA_INVALID);
    assert_int_equal(stemma_scan_run(scan, &error), STEMMA_OK); /* of nothing */
    assert_int_equal(stemma_scan_get_summary(scan).documents, 0);
    assert_int_equal(stemma_scan_pairs(scan, print_pair, NULL, &error), STEMMA_INVALID);
    assert_int_equal(stemma_scan_add_path(scan, "x", &error), STEMMA_INVALID);
    stemma_scan_free(scan);
    stemma_scan_free(NULL);
}

static stemma_status run_filtering(const char *from, const char *to, stemma_error *error) {
    stemma_scan *scan = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, from);
    stemma_scan_options options = stemma_scan_options_default();
    options.filter = to;
    assert_int_equal(stemma_scan_new(NULL, &options, NULL, &scan, error), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, path, error), STEMMA_OK);
    stemma_status status = stemma_scan_run(scan, error);
    assert_int_equal(stemma_scan_get_summary(scan).documents,
                     status == STEMMA_OK); /* else nothing was read */
    stemma_scan_free(scan);
    return status;
}

static void test_what_cannot_be_filtered_is_not_read(void **state) {
    (void)state;
    stemma_error error;
    write_file("a.jsonl", "{\"text\":\"one two three\"}\n");
    write_file("a.txt", "one two three");
    assert_int_equal(run_filtering("a.jsonl", "out.jsonl.gz", &error), STEMMA_OK);
    assert_int_equal(run_filtering("a.jsonl", "-", &error), STEMMA_OK);
    assert_int_equal(run_filtering("a.jsonl", "anything", &error), STEMMA_OK);
    assert_int_equal(run_filtering("a.jsonl", "out.csv", &error), STEMMA_INVALID);
    assert_non_null(strstr(error.message, "different kinds"));
    assert_int_equal(run_filtering("a.txt", "out.jsonl", &error), STEMMA_INVALID);
    assert_non_null(strstr(error.message, "is not a data set"));
}

/* Who was compiled when the structs ended earlier is understood, and means the defaults for the rest. */
static void test_structs_grow(void **state) {
    (void)state;
    stemma_scan *scan;
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    options.size = offsetof(stemma_scan_options, contained);
    options.contained = 17;
    limits.size = offsetof(stemma_limits, encoding);
    limits.encoding = STEMMA_ENCODING_MOST; /* none has this number */
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, &scan, NULL), STEMMA_OK);
    stemma_scan_free(scan);
    limits.size = sizeof limits;
    assert_int_equal(stemma_scan_new(NULL, &options, &limits, &scan, NULL), STEMMA_INVALID);
}

/* ---- texts give way ---- */

/* A text is kept by a reader that is still at work when memory is short; and can go when it is not. */
static void test_texts_of_readers_that_end_give_way(void **state) {
    (void)state;
    stemma_scan *scan;
    struct text_reader reader;
    stemma_limits limits = stemma_limits_default();
    const uint8_t *text;
    size_t size;
    bool binary;
    limits.memory = 1 << 30;
    assert_int_equal(stemma_scan_new(NULL, NULL, &limits, &scan, NULL), STEMMA_OK);
    assert_int_equal(text_reader_init(&reader, scan, NULL), STEMMA_OK);
    assert_int_equal(
        text_reader_canon(&reader, NULL, (const uint8_t *)"kept", 4, &text, &size, &binary, NULL), STEMMA_OK);
    assert_true(scan->texts.used > 0);
    scan->texts.budget = 0;
    assert_int_equal(texts_make_room(scan, NULL), STEMMA_OK);
    assert_true(scan->texts.used > 0);
    text_reader_release(&reader);
    assert_int_equal(texts_make_room(scan, NULL), STEMMA_OK);
    assert_int_equal(scan->texts.used, 0);
    stemma_scan_free(scan);
}

/* ---- texts are read ahead ---- */

static void write_records(const char *name, const struct pile *pile) {
    char *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    assert_non_null(out);
    for (size_t i = 0; i < pile->count; i++)
        fprintf(out, "{\"id\": \"%s\", \"text\": \"%s\"}\n", pile->ids[i], pile->texts[i]);
    fclose(out);
    write_file(name, lines);
    free(lines);
}

/* A hint: then it is read past the system's cache. */
static void drop_from_cache(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    fdatasync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

/* All candidates of a scan, each once. */
static size_t list_pairs(stemma_scan *scan, uint64_t *pairs, size_t most) {
    struct sorter_cursor *cursor;
    struct record record;
    size_t count = 0, got;
    assert_int_equal(sorter_read(scan->pairs, &cursor, NULL), STEMMA_OK);
    while (sorter_next(cursor, &record, 1, &got, NULL) == STEMMA_OK && got) {
        if (count && pairs[count - 1] == record.key) continue;
        assert_true(count < most);
        pairs[count++] = record.key;
    }
    sorter_cursor_free(cursor);
    return count;
}

enum { PAIRS_MOST = 1 << 14, PAIRS_TOGETHER = 8 };

/* Numbers of all of them, some together; how many rounds were read ahead. */
static size_t verify_by_some(stemma_scan *scan, const uint64_t *pairs, size_t count, struct numbers *out) {
    size_t rounds = 0;
    for (size_t i = 0; i < count; i += PAIRS_TOGETHER) {
        size_t some = count - i < PAIRS_TOGETHER ? count - i : PAIRS_TOGETHER;
        assert_int_equal(scan_verify(scan, pairs + i, some, NULL, out + i, NULL), STEMMA_OK);
        if (scan->ahead.rounds > rounds) assert_true(scan->texts.used > 0);
        rounds = scan->ahead.rounds;
    }
    return rounds;
}

/* With memory for a part of the texts at a time the numbers are those of texts that are read one by one. */
static void test_reading_ahead(void **state) {
    (void)state;
    static uint64_t pairs[PAIRS_MOST];
    static struct numbers one_by_one[PAIRS_MOST], ahead[PAIRS_MOST];
    const size_t rooms[] = {400 << 10,
                            64 << 20}; /* for parts of them; for all, in chunks that are used again */
    struct pile pile = {0};
    stemma_scan *scan = NULL;
    fill_pile(&pile, 100);
    write_records("pile.jsonl", &pile);
    assert_int_equal(stemma_scan_new(NULL, NULL, NULL, &scan, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, folder, NULL), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, NULL), STEMMA_OK);
    const size_t count = list_pairs(scan, pairs, PAIRS_MOST);
    texts_give_up_all(scan);
    assert_int_equal(verify_by_some(scan, pairs, count, one_by_one), 0);
    for (unsigned i = 0; i < 6; i++) {
        scan->settings.threads = 1 + i / 2;
        if (i > 1) drop_from_cache("pile.jsonl");
        scan->texts.budget = scan->texts.most = (size_t)scan_resident(scan) + rooms[i % 2];
        memset(ahead, 0, sizeof ahead);
        assert_int_equal(ahead_begin(scan, true, NULL), STEMMA_OK);
        assert_in_range(verify_by_some(scan, pairs, count, ahead), i % 2 ? 1 : 2, i % 2 ? 1 : count);
        assert_memory_equal(ahead, one_by_one, count * sizeof *ahead);
        ahead_end(scan);
        texts_give_up_all(scan);
        assert_int_equal(scan->texts.spare_bytes > 0, i % 2);
    }
    stemma_scan_free(scan);
    pile_release(&pile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_identical_and_same_text),
        cmocka_unit_test(test_nothing_depends_on_threads_or_memory),
        cmocka_unit_test(test_texts_of_readers_that_end_give_way),
        cmocka_unit_test(test_pairs_are_those_of_brute_force),
        cmocka_unit_test(test_pairs_are_compared_once),
        cmocka_unit_test_setup_teardown(test_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_texts, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_reading_ahead, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_changed_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_interrupted, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_vanishing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_huge_documents, make_folder, remove_folder),
        cmocka_unit_test(test_boilerplate),
        cmocka_unit_test_setup_teardown(test_boilerplate_of_what_vanishes, make_folder, remove_folder),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_filtered_is_not_read, make_folder, remove_folder),
        cmocka_unit_test(test_structs_grow),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
