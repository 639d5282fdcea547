/* Asking a collection: by lookups and by scans, with edits, and step by step. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

/* Near-copies of one text and something else, with their texts: nothing is read but the collection. */
void make_asked_collection(void) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *collection;
    options.parts |= STEMMA_PART_TEXT;
    place(world.collection_path, sizeof world.collection_path, "collection");
    assert_int_equal(stemma_collection_create(world.collection_path, NULL, &options, NULL, &collection, NULL),
                     STEMMA_OK);
    for (int i = 0; i < 6; i++) {
        char id[8];
        snprintf(id, sizeof id, "d%d", i);
        const char *text = i < 5 ? world.text + i * 500 : world.other;
        assert_int_equal(stemma_collection_add_text(collection, id, text, 4000, NULL), STEMMA_OK);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    stemma_collection_free(collection);
}

void remove_asked_collection(void) {
    struct dirent *entry;
    DIR *folder = opendir(world.collection_path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    assert_int_equal(rmdir(world.collection_path), 0);
}

static stemma_status count(void *context, const stemma_match *match, stemma_error *error) {
    (void)match, (void)error;
    ++*(size_t *)context;
    return STEMMA_OK;
}

static stemma_status ask_with(const stemma_query_options *options, stemma_error *error) {
    stemma_collection *collection = UNTOUCHED;
    stemma_query_summary summary = {.documents = 77};
    size_t found = 0;
    stemma_status status = stemma_collection_open(world.collection_path, NULL, NULL, &collection, error);
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

static stemma_status ask_family(const char *unused, stemma_error *error) {
    stemma_query_options options = stemma_query_options_default();
    (void)unused;
    options.family = true;
    return ask_with(&options, error);
}

const struct operation asking_operations[] = {{"query, auto", ask, "auto"},
                                              {"query, bands", ask, "bands"},
                                              {"query, samples", ask, "samples"},
                                              {"query, scan", ask, "scan"},
                                              {"query, with edits", ask_edits, NULL},
                                              {"query, family", ask_family, NULL},
                                              {NULL, NULL, NULL}};
