/* Collections that are read. */
#include <unistd.h>

#include "faults/faults.h"

void make_collection(void) {
    char path[160], id[16];
    stemma_collection *c;
    place(path, sizeof path, "kept.stemma");
    assert_int_equal(stemma_collection_create(path, NULL, NULL, NULL, &c, NULL), STEMMA_OK);
    for (int round = 0; round < 2; round++) { /* the second replaces some of the first, which are gone then */
        for (int i = 2 * round; i < 4; i++) {
            snprintf(id, sizeof id, "d%d", i);
            assert_int_equal(stemma_collection_add_text(c, id, world.text + 100 * i + round, 3000, NULL),
                             STEMMA_OK);
        }
        assert_int_equal(stemma_collection_commit(c, NULL), STEMMA_OK);
    }
    stemma_collection_free(c);
}

void remove_collection(void) {
    char path[160];
    place(path, sizeof path, "kept.stemma");
    remove_flat(path);
}

static stemma_status count_one(void *context, const stemma_collection_document *document,
                               stemma_error *error) {
    (void)document;
    (void)error;
    ++*(int *)context;
    return STEMMA_OK;
}

static stemma_status open_made(stemma_collection **out, stemma_error *error) {
    char path[160];
    place(path, sizeof path, "kept.stemma");
    *out = UNTOUCHED;
    stemma_status status = stemma_collection_open(path, NULL, NULL, out, error);
    check_untouched(status, *out);
    return status;
}

static stemma_status read_it(const char *argument, stemma_error *error) {
    stemma_collection *c;
    int count = 0;
    (void)argument;
    stemma_status status = open_made(&c, error);
    if (status != STEMMA_OK) return status;
    status = stemma_collection_list(c, NULL, count_one, &count, error);
    if (status == STEMMA_OK) assert_int_equal(count, 4);
    stemma_collection_free(c);
    return status;
}

static stemma_status export_it(const char *argument, stemma_error *error) {
    stemma_collection *c;
    uint64_t documents;
    (void)argument;
    stemma_status status = open_made(&c, error);
    if (status != STEMMA_OK) return status;
    status = stemma_collection_export(c, world.new_path, &documents, error);
    if (status == STEMMA_OK) assert_int_equal(documents, 4);
    stemma_collection_free(c);
    if (status == STEMMA_OK) unlink(world.new_path);
    return status;
}

const struct operation keeping_operations[] = {
    {"read a collection", read_it, NULL},
    {"export a collection", export_it, NULL},
    {NULL, NULL, NULL},
};
