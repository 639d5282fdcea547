/* Asking a collection: by lookups and by scans, with edits, and step by step. */
#include <string.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

/* Near-copies of one text and something else: nothing is read but the collection. */
static void make_one(const char *path, unsigned more_parts) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    options.parts |= more_parts;
    assert_int_equal(stemma_collection_create(path, NULL, &options, NULL, &collection, NULL), STEMMA_OK);
    for (int i = 0; i < 6; i++) {
        char id[8];
        snprintf(id, sizeof id, "d%d", i);
        const char *text = i < 5 ? world.text + i * 500 : world.other;
        assert_int_equal(stemma_collection_add_text(collection, id, text, 4000, NULL), STEMMA_OK);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    stemma_collection_free(collection);
}

/* One with their texts, and one that has forgotten them. */
void make_asked_collection(void) {
    place(world.collection_path, sizeof world.collection_path, "collection");
    place(world.forgotten_path, sizeof world.forgotten_path, "forgotten");
    make_one(world.collection_path, STEMMA_PART_TEXT);
    make_one(world.forgotten_path, STEMMA_PART_SIGNATURE);
}

void remove_asked_collection(void) {
    remove_flat(world.collection_path);
    remove_flat(world.forgotten_path);
}

static stemma_status count(void *context, const stemma_match *match, stemma_error *error) {
    (void)match, (void)error;
    ++*(size_t *)context;
    return STEMMA_OK;
}

static stemma_status ask_of(const char *path, const stemma_query_options *options, stemma_error *error) {
    stemma_collection *collection = UNTOUCHED;
    stemma_query_summary summary = {.documents = 77};
    size_t found = 0;
    stemma_status status = stemma_collection_open(path, NULL, NULL, &collection, error);
    check_untouched(status, collection);
    if (status != STEMMA_OK) return status;
    status = stemma_collection_query_text(collection, "q", world.text, 4000, options, count, &found, &summary,
                                          error);
    if (status != STEMMA_OK)
        assert_int_equal(summary.documents, 77);
    else
        assert_true(found > 0);
    stemma_collection_free(collection);
    return status;
}

static stemma_status ask_with(const stemma_query_options *options, stemma_error *error) {
    return ask_of(world.collection_path, options, error);
}

static stemma_status ask(const char *via, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    for (options.via = STEMMA_VIA_AUTO; strcmp(stemma_via_name(options.via), via);) options.via++;
    return ask_with(&options, error);
}

static stemma_status ask_edits(const char *unused, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    (void)unused;
    options.edits = true;
    options.top = 2;
    return ask_with(&options, error);
}

static stemma_status ask_all(const char *unused, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    (void)unused;
    options.edits = true;
    options.top = 0;
    return ask_with(&options, error);
}

static stemma_status ask_family(const char *unused, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    (void)unused;
    options.family = true;
    return ask_with(&options, error);
}

static stemma_status ask_forgotten(const char *family, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    options.edits = true;
    options.family = family;
    return ask_of(world.forgotten_path, &options, error);
}

const struct operation asking_operations[] = {{"query, auto", ask, "auto"},
                                              {"query, bands", ask, "bands"},
                                              {"query, samples", ask, "samples"},
                                              {"query, scan", ask, "scan"},
                                              {"query, with edits", ask_edits, NULL},
                                              {"query, all matches", ask_all, NULL},
                                              {"query, family", ask_family, NULL},
                                              {"query, by signatures", ask_forgotten, NULL},
                                              {"query, family by signatures", ask_forgotten, "family"},
                                              {NULL, NULL, NULL}};
