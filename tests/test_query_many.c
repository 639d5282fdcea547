/* Questions to which very many documents are near: families of them, and what is common to most. */
#include "effort.h"
#include "query_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_family),
        cmocka_unit_test(test_family_without_texts),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_common_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
