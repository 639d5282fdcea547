/* Asking a collection, through the public header, held against stemma_compare_bytes of all pairs; and what a
 * question promises, against the formulas. */
#include "effort.h"
#include "index/asking.h"
#include "index/collection.h"
#include "index/facts.h"
#include "index/stored_samples.h"
#include "index/stored_text.h"
#include "pile_support.h"
#include "stemma.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a folder for everything ---- */

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/stemma-query-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static void remove_all(const char *path) {
    struct dirent *entry;
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.') continue;
        if (unlink(name)) remove_all(name);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

static int remove_folder(void **state) {
    (void)state;
    remove_all(folder);
    return 0;
}

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* ---- documents ---- */

enum { TEXT_MOST = 60000 };

static void random_text(char *out, size_t words) {
    random_words(out, words, 20000);
}

/* Copies at all distances, parts of others at all ratios of sizes, exact copies, a common template. */
static void fill_pile(struct pile *pile, size_t families) {
    static char text[TEXT_MOST], copy[TEXT_MOST], template[TEXT_MOST];
    random_text(template, 80);
    for (size_t i = 0; i < families; i++) {
        random_text(text, 60 + rng_below(&chance, 500));
        if (rng_below(&chance, 3) == 0) strcat(text, template);
        pile_add(pile, text);
        for (uint64_t k = rng_below(&chance, 5); k > 0; k--) {
            mutate(text, rng_unit(&chance) * .15, copy);
            pile_add(pile, copy);
        }
        if (rng_below(&chance, 4) == 0) pile_add(pile, text);
        if (rng_below(&chance, 2) == 0) {
            random_text(copy, 100 + rng_below(&chance, 4000));
            strcat(copy, text);
            pile_add(pile, copy);
        }
    }
}

/* ---- a collection of them ---- */

static stemma_collection *new_collection(const char *name) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    stemma_error error;
    options.parts |= STEMMA_PART_TEXT | STEMMA_PART_GROUPS;
    stemma_status status = stemma_collection_create(path_of(name), NULL, &options, NULL, &collection, &error);
    if (status != STEMMA_OK) fail_msg("%s", error.message);
    return collection;
}

static stemma_collection *open_collection(const char *name) {
    stemma_collection *collection;
    assert_int_equal(stemma_collection_open(path_of(name), NULL, NULL, &collection, NULL), STEMMA_OK);
    return collection;
}

static void put(stemma_collection *collection, const char *id, const char *text) {
    assert_int_equal(stemma_collection_add_text(collection, id, text, strlen(text), NULL), STEMMA_OK);
}

/* In several commits, so that there are several segments. */
static void put_all(stemma_collection *collection, const struct pile *pile) {
    for (size_t i = 0; i < pile->count; i++) {
        put(collection, pile->ids[i], pile->texts[i]);
        if (i % 97 == 0) assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
}

/* ---- answers ---- */

struct match {
    char query[160], id[160];
    uint64_t place, step;
    stemma_relation relation;
    double resemblance, a_in_b, b_in_a, edit;
    bool exact, edit_known, edit_exact, aligned, placed;
    stemma_evidence source;
};

struct matches {
    struct match list[20000];
    size_t count;
};

static stemma_status take(void *context, const stemma_match *m, stemma_error *error) {
    struct matches *all = context;
    (void)error;
    assert_true(all->count < sizeof all->list / sizeof *all->list);
    struct match *to = &all->list[all->count++];
    *to = (struct match){.place = m->place,
                         .step = m->step,
                         .relation = m->relation,
                         .resemblance = m->resemblance.value,
                         .a_in_b = m->a_in_b.value,
                         .b_in_a = m->b_in_a.value,
                         .exact = m->resemblance.exact,
                         .edit = m->edit.distance.value,
                         .edit_known = m->edit.distance.known,
                         .edit_exact = m->edit.distance.exact,
                         .aligned = m->alignment != NULL,
                         .placed = m->placed,
                         .source = m->source};
    snprintf(to->query, sizeof to->query, "%s", m->query);
    snprintf(to->id, sizeof to->id, "%s", m->id);
    return STEMMA_OK;
}

static struct matches found; /* too large for a stack */

static stemma_query_summary ask(stemma_collection *collection, const char *id, const char *text,
                                const stemma_query_options *options) {
    stemma_query_summary summary;
    stemma_error error;
    found.count = 0;
    stemma_status status = stemma_collection_query_text(collection, id, text, strlen(text), options, take,
                                                        &found, &summary, &error);
    if (status != STEMMA_OK) fail_msg("%s", error.message);
    assert_int_equal(summary.found, found.count);
    return summary;
}

static const struct match *match_of(const char *id) {
    for (size_t i = 0; i < found.count; i++)
        if (strcmp(found.list[i].id, id) == 0) return &found.list[i];
    return NULL;
}

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

static stemma_query_summary ask_path(stemma_collection *collection, const char *name,
                                     const stemma_query_options *options) {
    stemma_query_summary summary;
    stemma_error error;
    const char *path = path_of(name);
    found.count = 0;
    stemma_status status =
        stemma_collection_query(collection, &path, 1, options, take, &found, &summary, &error);
    if (status != STEMMA_OK) fail_msg("%s", error.message);
    return summary;
}

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

/* ---- families ---- */

enum { VERSIONS = 40 };

/* Of each version such a share of words is another in the next; first is the first, and others are none. */
static void put_versions(stemma_collection *collection, double share, char first[TEXT_MOST]) {
    static char text[TEXT_MOST], next[TEXT_MOST];
    random_text(text, 500);
    strcpy(first, text);
    for (int i = 0; i < VERSIONS; i++) {
        char id[16];
        snprintf(id, sizeof id, "v%d", i);
        put(collection, id, text);
        mutate(text, share, next);
        strcpy(text, next);
        random_text(next, 500);
        snprintf(id, sizeof id, "other%d", i);
        put(collection, id, next);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
}

static void test_family(void **state) {
    static char first[TEXT_MOST];
    static bool met[VERSIONS];
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    stemma_collection *collection = new_collection("family");
    put_versions(collection, .02, first);
    o.contained = 0;
    ask(collection, "q", first, &o);
    assert_true(found.count < VERSIONS / 2);
    o.family = true;
    ask(collection, "q", first, &o);
    assert_int_equal(found.count, VERSIONS);
    memset(met, 0, sizeof met);
    for (size_t i = 0; i < found.count; i++) {
        const struct match *m = &found.list[i];
        const int number = atoi(m->id + 1), from = m->step == 1 ? 0 : atoi(m->query + 1);
        assert_true(m->id[0] == 'v' && !met[number]);
        assert_true(m->step == 1 || met[from]);
        assert_true(m->resemblance >= .7);
        met[number] = true;
    }
    assert_true(found.list[found.count - 1].step > 4);
    assert_int_equal(ask(collection, "q", first, &o).families_cut, 0);
    o.family_most = 7;
    assert_int_equal(ask(collection, "q", first, &o).families_cut, 1);
    assert_int_equal(found.count, 7);
    stemma_collection_free(collection);
}

/* Members whose texts are gone are asked about by what is kept of them, whichever way that is. */
static void test_family_without_texts(void **state) {
    static const stemma_via ways[] = {STEMMA_VIA_AUTO, STEMMA_VIA_SCAN, STEMMA_VIA_H, STEMMA_VIA_MIH};
    static char first[TEXT_MOST];
    stemma_query_options o = stemma_query_options_default();
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    (void)state;
    options.parts |= STEMMA_PART_GROUPS | STEMMA_PART_SIGNATURE;
    assert_int_equal(stemma_collection_create(path_of("no texts"), NULL, &options, NULL, &collection, NULL),
                     STEMMA_OK);
    put_versions(collection, .01, first); /* none is below the threshold by its sketch */
    o.contained = 0;
    o.family = o.edits = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        o.via = ways[i];
        ask(collection, "q", first, &o);
        assert_int_equal(found.count, VERSIONS);
        for (size_t k = 0; k < found.count; k++) {
            const struct match *m = &found.list[k];
            assert_int_equal(m->id[0], 'v');
            assert_true(m->edit_known); /* by signatures, of which that of a member has no places */
            assert_true(m->step == 1 || !m->placed);
        }
    }
    stemma_collection_free(collection);
}

/* ---- very common things ---- */

enum { COPIES = 2600 };

/* Near-copies by the thousand, and a template in all others: neither is read in full. */
static void test_common(void **state) {
    static char text[TEXT_MOST], copy[TEXT_MOST], template[TEXT_MOST], rest[TEXT_MOST];
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    if (!effort_is_full()) skip(); /* thousands of documents, for no other code */
    stemma_collection *collection = new_collection("common");
    random_text(text, 120);
    random_text(template, 120);
    for (size_t i = 0; i < COPIES; i++) {
        char id[16];
        mutate(text, .01, copy);
        snprintf(id, sizeof id, "c%zu", i);
        put(collection, id, copy);
        strcpy(copy, template);
        random_text(rest, 200);
        strcat(copy, rest);
        snprintf(id, sizeof id, "t%zu", i);
        if (i < COPIES / 4) put(collection, id, copy);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    stemma_query_summary summary = ask(collection, "q", text, &o);
    assert_int_equal(found.count, o.top);
    assert_true(summary.candidates > COPIES / 2 && summary.verified < 1000);
    assert_int_equal(summary.candidates, summary.verified + summary.unverified);
    summary = ask(collection, "q", copy, &o); /* the last of the template */
    assert_true(summary.candidates < 100);
    summary = ask(collection, "q", template, &o); /* contained in very many: some of them are named */
    assert_int_equal(found.count, o.top);
    assert_int_equal(found.list[0].relation, STEMMA_CONTAINED);
    stemma_collection_free(collection);
}

/* What very many begin with, by itself: found in what contains it by samples that are all common. */
static void test_common_alone(void **state) {
    static char licence[TEXT_MOST], rest[TEXT_MOST], text[2 * TEXT_MOST];
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    stemma_collection *collection = new_collection("licence");
    random_text(licence, 400);
    for (size_t i = 0; i < 300; i++) {
        char id[16];
        snprintf(id, sizeof id, "c%zu", i);
        random_text(rest, 300);
        snprintf(text, sizeof text, "%s %s", licence, rest);
        put(collection, id, text);
    }
    put(collection, "alone", licence);
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    random_text(rest, 900);
    snprintf(text, sizeof text, "%s %s", rest, licence);
    o.threshold = 0;
    o.contained = .9;
    static const stemma_via ways[] = {STEMMA_VIA_SCAN, STEMMA_VIA_SAMPLES, STEMMA_VIA_AUTO};
    for (int i = 0; i < 3; i++) {
        o.via = ways[i];
        ask(collection, "q", text, &o);
        assert_int_equal(found.count, 1);
        assert_string_equal(found.list[0].id, "alone");
        assert_int_equal(found.list[0].relation, STEMMA_CONTAINS);
    }
    stemma_collection_free(collection);
}

/* ---- damage ---- */

/* The path of the segment, where there is one. */
static void segment_of(const char *collection, char *out, size_t size) {
    char whole[160];
    struct dirent *entry;
    snprintf(whole, sizeof whole, "%s", path_of(collection));
    DIR *dir = opendir(whole);
    assert_non_null(dir);
    while ((entry = readdir(dir)) && !strstr(entry->d_name, ".segment")) continue;
    assert_non_null(entry);
    assert_true(snprintf(out, size, "%s/%s", whole, entry->d_name) < (int)size);
    closedir(dir);
}

/* Whatever byte is damaged, the answer is the same, or there is none; where an index is, it is the same. */
static void test_damaged_index(void **state) {
    static struct pile pile;
    static struct matches sound;
    char name[512], whole[160];
    (void)state;
    pile.count = 0;
    fill_pile(&pile, 20);
    stemma_collection *collection = new_collection("damage");
    for (size_t i = 0; i < pile.count; i++) put(collection, pile.ids[i], pile.texts[i]);
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    stemma_collection_free(collection);
    snprintf(whole, sizeof whole, "%s", path_of("damage"));
    segment_of("damage", name, sizeof name);
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    size_t refused = 0;
    stemma_query_options o = stemma_query_options_default();
    o.threshold = .9; /* so that lookups are cheaper than a scan, or the same */
    for (size_t round = 0; round < effort(300); round++) {
        const off_t at = (off_t)rng_below(&chance, (uint64_t)info.st_size);
        uint8_t byte, bit = (uint8_t)(1u << rng_below(&chance, 8));
        const size_t query = rng_below(&chance, pile.count);
        stemma_query_summary summary;
        collection = open_collection("damage");
        ask(collection, "q", pile.texts[query], &o);
        sound = found;
        stemma_collection_free(collection);
        int fd = open(name, O_RDWR);
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= bit;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        stemma_status status = stemma_collection_open(whole, NULL, NULL, &collection, NULL);
        found.count = 0;
        if (status == STEMMA_OK) {
            status =
                stemma_collection_query_text(collection, "q", pile.texts[query], strlen(pile.texts[query]),
                                             &o, take, &found, &summary, NULL);
            stemma_collection_free(collection);
        }
        refused += status == STEMMA_CORRUPT;
        if (status == STEMMA_OK) {
            assert_int_equal(found.count, sound.count);
            for (size_t i = 0; i < found.count; i++) assert_string_equal(found.list[i].id, sound.list[i].id);
        } else {
            assert_int_equal(status, STEMMA_CORRUPT);
        }
        byte ^= bit;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
    }
    if (effort_is_full()) assert_true(refused > 0);
    pile_release(&pile);
}

/* Where an index is damaged, what it is made from answers. */
static void test_index_left_aside(void **state) {
    enum { DOCUMENTS = 500, WINDOW = 2048, EVERY = 128, ASKED = 4 }; /* the bands asked take 6 KB */
    static char texts[DOCUMENTS][1200], copy[1200];
    static struct matches sound[ASKED];
    char name[512];
    uint8_t bytes[WINDOW], damaged[WINDOW];
    uint64_t left_aside = 0;
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    o.threshold = .9; /* few lookups, cheaper than a scan */
    stemma_collection *collection = new_collection("aside");
    for (size_t i = 0; i < DOCUMENTS; i++) {
        char id[16];
        if (i % 2)
            mutate(texts[i - 1], .005, copy);
        else
            random_text(copy, 150);
        strcpy(texts[i], copy);
        snprintf(id, sizeof id, "d%zu", i);
        put(collection, id, texts[i]);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    for (size_t i = 0; i < ASKED; i++) {
        assert_int_equal(ask(collection, "q", texts[i * 100], &o).left_aside, 0);
        sound[i] = found;
        assert_true(found.count >= 1);
    }
    stemma_collection_free(collection);
    segment_of("aside", name, sizeof name);
    int fd = open(name, O_RDWR);
    assert_true(fd >= 0);
    for (off_t at = 0;; at += WINDOW) {
        const ssize_t size = pread(fd, bytes, WINDOW, at);
        if (size <= 0) break;
        memcpy(damaged, bytes, (size_t)size);
        for (ssize_t i = 0; i < size; i += EVERY) damaged[i] ^= 4;
        assert_int_equal(pwrite(fd, damaged, (size_t)size, at), size);
        for (size_t i = 0; i < ASKED; i++) {
            stemma_query_summary summary = {0};
            found.count = 0;
            stemma_status status = stemma_collection_open(path_of("aside"), NULL, NULL, &collection, NULL);
            if (status == STEMMA_OK) {
                status = stemma_collection_query_text(collection, "q", texts[i * 100], strlen(texts[i * 100]),
                                                      &o, take, &found, &summary, NULL);
                stemma_collection_free(collection);
            }
            assert_true(status == STEMMA_OK || status == STEMMA_CORRUPT);
            left_aside += status == STEMMA_OK ? summary.left_aside : 0;
            if (status != STEMMA_OK) continue;
            assert_int_equal(found.count, sound[i].count);
            for (size_t k = 0; k < found.count; k++)
                assert_string_equal(found.list[k].id, sound[i].list[k].id);
        }
        assert_int_equal(pwrite(fd, bytes, (size_t)size, at), size);
    }
    close(fd);
    assert_true(left_aside > 0);
}

/* What could not be committed is in no collection, and no answer. */
static void test_failed_commit(void **state) {
    static char text[TEXT_MOST];
    stemma_sighting sighting;
    struct rlimit limit;
    (void)state;
    stemma_collection *collection = new_collection("failing");
    random_text(text, 200);
    assert_int_equal(stemma_collection_see(collection, "a", text, strlen(text), NULL, &sighting, NULL),
                     STEMMA_OK);
    assert_null(sighting.match);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, limit.rlim_max}), 0);
    const stemma_status status = stemma_collection_commit(collection, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_not_equal(status, STEMMA_OK);
    assert_int_equal(stemma_collection_see(collection, "b", text, strlen(text), NULL, &sighting, NULL),
                     STEMMA_OK);
    assert_null(sighting.match);
    stemma_collection_free(collection);
}

/* ---- cells ---- */

static void test_stored_text(void **state) {
    static char text[TEXT_MOST];
    struct buf packed = {0}, back = {0};
    (void)state;
    for (size_t words = 0; words < 2000; words += 371) {
        random_text(text, words);
        const size_t size = strlen(text);
        packed.len = 0;
        assert_int_equal(stored_text_pack((const uint8_t *)text, size, &packed, NULL), STEMMA_OK);
        assert_int_equal(stored_text_unpack(packed.data, packed.len, size, &back, NULL), STEMMA_OK);
        assert_int_equal(back.len, size);
        assert_memory_equal(back.data, text, size);
        assert_int_equal(stored_text_unpack(packed.data, packed.len, size + 1, &back, NULL), STEMMA_CORRUPT);
        assert_int_equal(stored_text_unpack(packed.data, packed.len - 1, size, &back, NULL), STEMMA_CORRUPT);
        assert_int_equal(stored_text_unpack(packed.data, 0, size, &back, NULL), STEMMA_CORRUPT);
    }
    buf_release(&packed);
    buf_release(&back);
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

/* ---- collections from before there were digests in them ---- */

static const uint8_t binary[] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 0xff, 0, 0, 3, 0xfe};

static void put_binary(stemma_collection *collection, const char *id) {
    assert_int_equal(stemma_collection_add_text(collection, id, binary, sizeof binary, NULL), STEMMA_OK);
    put(collection, "text", "one two three four five six seven eight nine ten");
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
}

static void make_older(const char *name) {
    const struct part digests = {.kind = KIND_DIGEST_KEYS, .form = FORM_LOOKUP};
    struct collection *store;
    stemma_collection_free(new_collection(name));
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_change_parts(store, &digests, 1, NULL, 0, NULL, NULL, NULL), STEMMA_OK);
    collection_close(store);
}

static stemma_collection *open_to_write(const char *name) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    options.write = true;
    assert_int_equal(stemma_collection_open(path_of(name), &options, NULL, &collection, NULL), STEMMA_OK);
    return collection;
}

static uint64_t count_same(stemma_collection *collection) {
    stemma_query_summary summary;
    found.count = 0;
    assert_int_equal(stemma_collection_query_text(collection, "q", binary, sizeof binary, NULL, take, &found,
                                                  &summary, NULL),
                     STEMMA_OK);
    return summary.found;
}

static void check_sound(const char *name) {
    stemma_verify_summary summary;
    assert_int_equal(stemma_collection_verify(path_of(name), NULL, NULL, NULL, NULL, &summary, NULL),
                     STEMMA_OK);
    assert_int_equal(summary.damages, 0);
}

static void test_older(void **state) {
    stemma_merge_summary merged;
    char newer_path[128];
    (void)state;
    make_older("older");
    stemma_collection *older = open_to_write("older"), *newer = new_collection("newer");
    put_binary(older, "a");
    put_binary(newer, "b");
    assert_int_equal(count_same(older), 0); /* it knows no digests, */
    assert_int_equal(count_same(newer), 1);
    check_sound("older"); /* and is none the worse for it */
    check_sound("newer");
    strcpy(newer_path, path_of("newer"));
    assert_int_equal(stemma_collection_merge(older, newer_path, NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 1 && merged.unchanged == 1);
    assert_int_equal(stemma_collection_merge(newer, path_of("older"), NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 1 && merged.unchanged == 2);
    assert_int_equal(count_same(newer), 2);
    stemma_collection_free(older);
    stemma_collection_free(newer);
    check_sound("older");
    check_sound("newer");
}

static stemma_status no_cell(void *context, uint64_t number, const struct row *row, const struct part *part,
                             struct buf *cell, stemma_error *err) {
    (void)context, (void)number, (void)row, (void)part, (void)cell, (void)err;
    return STEMMA_INVALID; /* there are no rows */
}

/* Whose samples are kept as they were once. */
static void make_with_whole_samples(const char *name) {
    struct schema whole = {0}, now = {0};
    struct collection *store;
    stemma_collection_free(new_collection(name));
    assert_int_equal(samples_add_parts(&whole, KEY_SAMPLE_BITS, NULL), STEMMA_OK);
    assert_int_equal(samples_add_parts(&now, STORED_SAMPLE_BITS, NULL), STEMMA_OK);
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_change_parts(store, now.parts, 2, whole.parts, 2, no_cell, NULL, NULL),
                     STEMMA_OK);
    collection_close(store);
}

static void put_and_find(stemma_collection *c, const char *id) {
    static char text[4000];
    stemma_query_options o = stemma_query_options_default();
    o.threshold = 0;
    o.contained = .9;
    random_text(text, 300);
    put(c, id, text);
    assert_int_equal(stemma_collection_commit(c, NULL), STEMMA_OK);
    text[strlen(text) * 3 / 4] = 0;
    ask(c, "q", text, &o);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].id, id);
}

/* One that is open goes on when its samples become short. */
static void test_older_samples(void **state) {
    stemma_merge_summary merged;
    char newer_path[128];
    (void)state;
    make_with_whole_samples("whole");
    stemma_collection *whole = open_to_write("whole"), *newer = new_collection("short");
    put_and_find(whole, "a");
    put_and_find(newer, "b");
    strcpy(newer_path, path_of("short"));
    assert_int_equal(stemma_collection_merge(whole, newer_path, NULL, &merged, NULL), STEMMA_OK);
    assert_int_equal(merged.added, 1);
    put_and_find(whole, "c");
    assert_int_equal(stemma_collection_merge(newer, path_of("whole"), NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 2 && merged.unchanged == 1);
    stemma_collection_free(whole);
    stemma_collection_free(newer);
    check_sound("whole");
    check_sound("short");
}

/* ---- what could not be read had a row, once ---- */

static void make_failed(const char *name, const char *id) {
    struct collection *store;
    struct batch *batch;
    struct facts facts;
    struct row row;
    uint8_t bytes[FACTS_BYTES];
    uint64_t number;
    bool there;
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_find(store, id, strlen(id), &number, &there, NULL), STEMMA_OK);
    assert_int_equal(collection_row(store, number, &row, &there, NULL), STEMMA_OK);
    assert_int_equal(facts_read(row.facts, &facts, NULL), STEMMA_OK);
    facts.state = FACTS_FAILED;
    facts_write(&facts, bytes);
    row.facts = (struct cell){bytes, sizeof bytes};
    assert_int_equal(batch_new(store, &batch, NULL), STEMMA_OK);
    assert_int_equal(batch_put(batch, &row, NULL, NULL), STEMMA_OK);
    assert_int_equal(batch_commit(batch, NULL), STEMMA_OK);
    batch_free(batch);
    collection_close(store);
}

/* Half of a book. */
static void break_book(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *from = fopen(FORMATS_DIR "/letter.epub", "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    const size_t size = fread(bytes, 1, sizeof bytes, from);
    assert_int_equal(fwrite(bytes, 1, size / 2, to), size / 2);
    fclose(from);
    fclose(to);
}

static stemma_status is_unreadable(void *context, const stemma_collection_document *document,
                                   stemma_error *error) {
    (void)error;
    *(bool *)context = document->unreadable;
    return STEMMA_OK;
}

static void test_rows_of_what_failed(void **state) {
    char path[128];
    const char *const paths[] = {path};
    bool unreadable = false;
    stemma_add_summary summary;
    stemma_collection_info info;
    (void)state;
    write_file("failed.epub", "some words");
    strcpy(path, path_of("failed.epub"));
    stemma_collection *c = new_collection("failed");
    assert_int_equal(stemma_collection_add(c, paths, 1, NULL, NULL, NULL), STEMMA_OK);
    stemma_collection_free(c);
    make_failed("failed", path);
    break_book(path);
    c = open_to_write("failed");
    assert_int_equal(stemma_collection_list(c, NULL, is_unreadable, &unreadable, NULL), STEMMA_OK);
    assert_true(unreadable);
    assert_int_equal(stemma_collection_add(c, paths, 1, NULL, &summary, NULL), STEMMA_OK);
    assert_true(summary.problems == 1 && summary.added + summary.unchanged + summary.removed == 0);
    assert_int_equal(stemma_collection_get_info(c, &info, NULL), STEMMA_OK);
    assert_int_equal(info.documents, 0);
    stemma_collection_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asking),          cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_truth),           cmocka_unit_test(test_changes),
        cmocka_unit_test(test_batch_is_single), cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_family),          cmocka_unit_test(test_family_without_texts),
        cmocka_unit_test(test_common),          cmocka_unit_test(test_damaged_index),
        cmocka_unit_test(test_stored_text),     cmocka_unit_test(test_index_left_aside),
        cmocka_unit_test(test_failed_commit),   cmocka_unit_test(test_common_alone),
        cmocka_unit_test(test_older),           cmocka_unit_test(test_older_samples),
        cmocka_unit_test(test_question_is_read_once),
        cmocka_unit_test(test_rows_of_what_failed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
