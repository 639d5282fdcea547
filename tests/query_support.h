/* A collection that is filled with texts and asked about them, and what it answered. */
#ifndef TESTS_QUERY_SUPPORT_H
#define TESTS_QUERY_SUPPORT_H

#include "folder_support.h"
#include "pile_support.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- documents ---- */

enum { TEXT_MOST = 60000 };

static inline void random_text(char *out, size_t words) {
    random_words(out, words, 20000);
}

/* Copies at all distances, parts of others at all ratios of sizes, exact copies, a common template. */
static inline void fill_pile(struct pile *pile, size_t families) {
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

static inline stemma_collection *new_collection(const char *name) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    stemma_error error;
    options.parts |= STEMMA_PART_TEXT | STEMMA_PART_GROUPS;
    stemma_status status = stemma_collection_create(path_of(name), NULL, &options, NULL, &collection, &error);
    if (status != STEMMA_OK) fail_msg("%s", error.message);
    return collection;
}

static inline stemma_collection *open_collection(const char *name) {
    stemma_collection *collection;
    assert_int_equal(stemma_collection_open(path_of(name), NULL, NULL, &collection, NULL), STEMMA_OK);
    return collection;
}

static inline void put(stemma_collection *collection, const char *id, const char *text) {
    assert_int_equal(stemma_collection_add_text(collection, id, text, strlen(text), NULL), STEMMA_OK);
}

/* In several commits, so that there are several segments. */
static inline void put_all(stemma_collection *collection, const struct pile *pile) {
    for (size_t i = 0; i < pile->count; i++) {
        put(collection, pile->ids[i], pile->texts[i]);
        if (i % 97 == 0) assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
}

static inline stemma_collection *open_to_write(const char *name) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    options.write = true;
    assert_int_equal(stemma_collection_open(path_of(name), &options, NULL, &collection, NULL), STEMMA_OK);
    return collection;
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

static inline stemma_status take(void *context, const stemma_match *m, stemma_error *error) {
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

static inline stemma_query_summary ask(stemma_collection *collection, const char *id, const char *text,
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

static inline const struct match *match_of(const char *id) {
    for (size_t i = 0; i < found.count; i++)
        if (strcmp(found.list[i].id, id) == 0) return &found.list[i];
    return NULL;
}

static inline stemma_query_summary ask_path(stemma_collection *collection, const char *name,
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

#endif
