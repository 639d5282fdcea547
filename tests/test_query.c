/* Asking a collection, through the public header, held against stemma_compare_bytes of all pairs; and what a
 * question promises, against the formulas. */
#include "effort.h"
#include "index/asking.h"
#include "query_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- against brute force ---- */

struct truth {
    stemma_document *documents[DOCUMENTS_MOST];
    size_t count;
};

static void know(struct truth *truth, const struct pile *pile) {
    truth->count = pile->count;
    for (size_t i = 0; i < pile->count; i++)
        assert_int_equal(stemma_document_bytes(pile->texts[i], strlen(pile->texts[i]), NULL, NULL,
                                               &truth->documents[i], NULL),
                         STEMMA_OK);
}

static void forget(struct truth *truth) {
    for (size_t i = 0; i < truth->count; i++) stemma_document_free(truth->documents[i]);
}

struct score {
    size_t near, near_found, sure, sure_found, part, part_found;
};

/* Every match is true and has the true numbers; who is missing is counted. */
static void check_against(const struct pile *pile, const struct truth *truth, size_t query,
                          const stemma_query_options *o, struct score *score) {
    size_t expected = 0;
    for (size_t i = 0; i < pile->count; i++) {
        stemma_comparison c;
        const struct match *m = match_of(pile->ids[i]);
        if (pile->gone[i]) {
            assert_null(m);
            continue;
        }
        assert_int_equal(
            stemma_compare_documents(truth->documents[query], truth->documents[i], NULL, &c, NULL),
            STEMMA_OK);
        const double j = c.resemblance.value, most = fmax(c.a_in_b.value, c.b_in_a.value);
        const bool near = o->threshold > 0 && j >= o->threshold,
                   part = o->contained > 0 && most >= o->contained;
        const size_t shorter = fmin(strlen(pile->texts[query]), strlen(pile->texts[i]));
        if (m) {
            assert_true(near || part);
            assert_true(m->exact && m->source == STEMMA_FROM_STORED);
            assert_true(fabs(m->resemblance - j) < 1e-12 && fabs(m->a_in_b - c.a_in_b.value) < 1e-12);
            expected++;
        }
        score->near += near;
        score->near_found += near && m;
        score->sure += near && j >= o->threshold + .05;
        score->sure_found += near && j >= o->threshold + .05 && m;
        score->part += part && shorter >= 1024;
        score->part_found += part && shorter >= 1024 && m;
    }
    assert_int_equal(expected, found.count);
    for (size_t i = 1; i < found.count; i++)
        if (found.list[i].relation <= STEMMA_NEAR_DUPLICATE)
            assert_true(found.list[i - 1].resemblance >= found.list[i].resemblance);
}

static void ask_all(stemma_collection *collection, const struct pile *pile, const struct truth *truth,
                    const stemma_query_options *o, struct score *score) {
    for (size_t i = 0; i < pile->count; i++) {
        ask(collection, pile->ids[i], pile->texts[i], o);
        check_against(pile, truth, i, o, score);
    }
}

/* Few are missed, by chance: the floors are probabilities. */
static void check_score(const struct score *s) {
    assert_true(s->near_found >= floor((double)s->near * .99 - 3 * sqrt((double)s->near * .01)));
    assert_true(s->sure_found >= floor((double)s->sure * .999 - 3 * sqrt((double)s->sure * .001)));
    assert_true(s->part_found >= floor((double)s->part * .99 - 3 * sqrt((double)s->part * .01)));
}

static void test_truth(void **state) {
    static struct pile pile;
    static struct truth truth;
    (void)state;
    pile.count = 0;
    fill_pile(&pile, effort(60));
    know(&truth, &pile);
    stemma_collection *collection = new_collection("truth");
    put_all(collection, &pile);
    static const double thresholds[] = {.1, .3, .5, .7, .9, 1};
    static const stemma_via ways[] = {STEMMA_VIA_AUTO,    STEMMA_VIA_SCAN, STEMMA_VIA_BANDS,
                                      STEMMA_VIA_SAMPLES, STEMMA_VIA_H,    STEMMA_VIA_MIH};
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            stemma_query_options o = stemma_query_options_default();
            struct score score = {0};
            o.threshold = thresholds[t];
            const bool resembling = ways[w] == STEMMA_VIA_BANDS || ways[w] >= STEMMA_VIA_G;
            if (ways[w] >= STEMMA_VIA_G && o.threshold < .7) continue; /* tens of thousands of lookups */
            o.contained = resembling ? 0 : .9;
            o.via = ways[w];
            o.top = 0;
            ask_all(collection, &pile, &truth, &o, &score);
            if (ways[w] != STEMMA_VIA_SAMPLES) check_score(&score); /* short documents have no samples */
        }
    stemma_collection_free(collection);
    forget(&truth);
    pile_release(&pile);
}

/* Removed ones are gone, replaced ones are what they became; for readers that were open before, once they
 * follow. */
static void test_changes(void **state) {
    static struct pile pile;
    static struct truth truth;
    static char text[TEXT_MOST];
    (void)state;
    pile.count = 0;
    fill_pile(&pile, effort(30));
    stemma_collection *writer = new_collection("changes");
    put_all(writer, &pile);
    stemma_collection *reader = open_collection("changes");
    for (size_t i = 0; i < pile.count; i++) {
        if (i % 3 == 0)
            assert_int_equal(stemma_collection_remove(writer, pile.ids[i], NULL, NULL), STEMMA_OK);
        pile.gone[i] = i % 3 == 0;
        if (i % 3 != 1) continue;
        mutate(pile.texts[i], .05, text);
        free(pile.texts[i]);
        pile.texts[i] = strdup(text);
        put(writer, pile.ids[i], text);
    }
    assert_int_equal(stemma_collection_commit(writer, NULL), STEMMA_OK);
    assert_int_equal(stemma_collection_follow(reader, NULL), STEMMA_OK);
    know(&truth, &pile);
    stemma_query_options o = stemma_query_options_default();
    struct score score = {0};
    o.top = 0;
    ask_all(reader, &pile, &truth, &o, &score);
    check_score(&score);
    stemma_collection_free(reader);
    stemma_collection_free(writer);
    forget(&truth);
    pile_release(&pile);
}

/* ---- batches ---- */

static void write_records(const struct pile *pile) {
    FILE *file = fopen(path_of("all.jsonl"), "w");
    assert_non_null(file);
    for (size_t i = 0; i < pile->count; i++)
        fprintf(file, "{\"id\": \"%s\", \"text\": \"%s\"}\n", pile->ids[i], pile->texts[i]);
    assert_int_equal(fclose(file), 0);
}

static void test_batch_is_single(void **state) {
    static struct pile pile;
    static struct matches batch;
    (void)state;
    pile.count = 0;
    fill_pile(&pile, effort(40));
    stemma_collection *collection = new_collection("batch");
    put_all(collection, &pile);
    write_records(&pile);
    const char *path = path_of("all.jsonl");
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        stemma_query_options o = stemma_query_options_default();
        stemma_scan_options reading = stemma_scan_options_default();
        stemma_query_summary summary;
        reading.threads = threads;
        o.reading = &reading;
        batch.count = 0;
        assert_int_equal(stemma_collection_query(collection, &path, 1, &o, take, &batch, &summary, NULL),
                         STEMMA_OK);
        assert_int_equal(summary.documents, pile.count);
        size_t at = 0;
        for (size_t i = 0; i < pile.count; i++) {
            ask(collection, pile.ids[i], pile.texts[i], &o);
            for (size_t k = 0; k < found.count; k++, at++) {
                const struct match *a = &found.list[k], *b = &batch.list[at];
                assert_string_equal(a->id, b->id);
                assert_int_equal(b->place, i);
                assert_true(a->resemblance == b->resemblance && a->b_in_a == b->b_in_a);
            }
        }
        assert_int_equal(at, batch.count);
    }
    stemma_collection_free(collection);
    pile_release(&pile);
}

/* ---- where the numbers are from ---- */

static void test_evidence(void **state) {
    static char text[TEXT_MOST], copy[TEXT_MOST];
    stemma_collection *collection;
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    o.edits = true;
    random_text(text, 400);
    assert_int_equal(mkdir(path_of("files"), 0777), 0);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "files/f%d.txt", i);
        mutate(text, .01, copy);
        write_file(name, copy);
    }
    write_file("question.txt", text);
    stemma_collection_options options = stemma_collection_options_default();
    options.parts |= STEMMA_PART_SIGNATURE;
    assert_int_equal(stemma_collection_create(path_of("evidence"), NULL, &options, NULL, &collection, NULL),
                     STEMMA_OK);
    char files[128];
    strcpy(files, path_of("files"));
    const char *paths[] = {files};
    assert_int_equal(stemma_collection_add(collection, paths, 1, NULL, NULL, NULL), STEMMA_OK);
    write_file("files/f1.txt", "something else");
    assert_int_equal(unlink(path_of("files/f2.txt")), 0);
    ask_path(collection, "question.txt", &o);
    assert_int_equal(found.count, 3);
    static const stemma_evidence wanted[] = {STEMMA_FROM_ORIGINAL, STEMMA_FROM_CHANGED, STEMMA_FROM_GONE};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "files/f%d.txt", i);
        const struct match *m = match_of(path_of(name));
        assert_non_null(m);
        assert_int_equal(m->source, wanted[i]);
        assert_int_equal(m->exact, i == 0);
        assert_true(m->edit_known);
        assert_int_equal(m->edit_exact, i == 0);
        assert_int_equal(m->aligned, i == 0);
        assert_int_equal(m->placed, i != 0);
        assert_true(m->resemblance > .8);
    }
    assert_true(found.list[0].exact || found.list[1].exact || found.list[2].exact);
    stemma_collection_free(collection);
}

/* Bytes that this process has read so far; 0 where the system does not count them. */
static unsigned long long bytes_read(void) {
    unsigned long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (!file) return 0;
    if (fscanf(file, "rchar: %llu", &bytes) != 1) bytes = 0;
    fclose(file);
    return bytes;
}

static unsigned long long bytes_for(stemma_collection *collection, size_t top) {
    stemma_query_options o = stemma_query_options_default();
    o.edits = true;
    o.top = top;
    const unsigned long long before = bytes_read();
    ask_path(collection, "long.txt", &o);
    assert_int_equal(found.count, top);
    return bytes_read() - before;
}

/* However many matches are measured, the document they are held against is not read for each of them. */
static void test_question_is_read_once(void **state) {
    enum { PARTS = 40, PART = 200 };
    static char text[TEXT_MOST], part[TEXT_MOST];
    stemma_collection *collection = new_collection("parts");
    (void)state;
    for (int i = 0; i < PARTS; i++) {
        char id[16];
        snprintf(id, sizeof id, "part %d", i);
        random_text(part, PART);
        strcat(text, part);
        put(collection, id, part);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    write_file("long.txt", text);
    const unsigned long long one = bytes_for(collection, 1), all = bytes_for(collection, PARTS);
    assert_true(all < one + 2 * strlen(text));
    stemma_collection_free(collection);
}

/* ---- what is promised ---- */

static void test_asking(void **state) {
    (void)state;
    for (int i = 1; i <= 100; i++) {
        struct asking a;
        const double t = i / 100.;
        assert_int_equal(asking_init(&a, t, 0, NULL), STEMMA_OK);
        assert_true(a.bands <= BANDS_POSTED && (a.bands > 0 || t < .46));
        assert_true(asking_chance(a.bands, a.bands ? a.agree : a.scan_agree, t) >= .99);
        assert_true(asking_chance(a.bands, a.bands ? a.agree : a.scan_agree, fmin(t + .05, 1)) >= .999);
        assert_true(asking_chance(0, a.scan_agree, t) >= .99);
    }
    struct asking a;
    assert_int_equal(asking_init(&a, 0, 0, NULL), STEMMA_INVALID);
    assert_int_equal(asking_init(&a, 1.1, 0, NULL), STEMMA_INVALID);
    assert_int_equal(asking_init(&a, NAN, 0, NULL), STEMMA_INVALID);
    assert_int_equal(asking_init(&a, .7, -.01, NULL), STEMMA_INVALID);
    assert_int_equal(asking_init(&a, 1e-300, 1e-300, NULL), STEMMA_OK);
    assert_int_equal(a.bands, 0);
    assert_int_equal(a.scan_agree, 0);
    for (uint64_t samples = 1; samples < 1000000; samples = samples * 2 + 1) {
        const uint64_t least = sharing_least(&a.sharing, 1e-300, samples);
        assert_int_equal(least, 1); /* who shares nothing is not seen */
    }
}

static void test_wrong_use(void **state) {
    stemma_query_options o = stemma_query_options_default();
    stemma_error error;
    const char *nothing = "";
    (void)state;
    stemma_collection *collection = new_collection("wrong");
    assert_int_equal(stemma_collection_query(collection, &nothing, 1, NULL, take, &found, NULL, NULL),
                     STEMMA_INVALID);
    assert_int_equal(stemma_collection_query(collection, NULL, 0, NULL, NULL, NULL, NULL, NULL),
                     STEMMA_INVALID);
    o.threshold = o.contained = 0;
    assert_int_equal(stemma_collection_query_text(collection, "q", "a", 1, &o, take, &found, NULL, &error),
                     STEMMA_INVALID);
    ask(collection, "q", "", NULL); /* an empty document, and an empty collection */
    assert_int_equal(found.count, 0);
    ask(collection, "q", "one two three four five six", NULL);
    assert_int_equal(found.count, 0);
    stemma_collection_free(collection);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_batch_is_single),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_question_is_read_once),
        cmocka_unit_test(test_asking),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
