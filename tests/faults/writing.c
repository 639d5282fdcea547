/* Documents that are replaced: one that cannot be put leaves the one before, and the others are committed. */
#include "collection_support.h"
#include "faults/faults.h"

enum { DOCUMENTS = 40 };

static void put_documents(struct collection *c, struct model *model) {
    struct batch *b;
    OK(batch_new(c, &b, err));
    for (unsigned id = 0; id < DOCUMENTS; id++) OK(put_model(b, model, id, err));
    OK(batch_commit(b, err));
    batch_free(b);
}

static stemma_status replace_documents(const char *unused, stemma_error *error) {
    struct model model = {.next = 0};
    struct batch *b;
    char path[96];
    (void)unused;
    fault.armed = false;
    place(path, sizeof path, "written");
    struct collection *c = open_model(path, NULL, 0);
    put_documents(c, &model);
    OK(batch_new(c, &b, err));
    fault.armed = true;
    stemma_status status = STEMMA_OK;
    for (unsigned id = 0; id < DOCUMENTS && status == STEMMA_OK; id++)
        status = put_model(b, &model, id, error);
    fault.armed = false;
    OK(batch_commit(b, err)); /* as every command does with what it has by then */
    batch_free(b);
    check_collection(c, &model);
    collection_close(c);
    remove_folder(path);
    return status;
}

const struct operation writing_operations[] = {{"replace documents", replace_documents, NULL},
                                               {NULL, NULL, NULL}};
