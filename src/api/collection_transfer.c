/* stemma/collection.h: checking a collection, and carrying it elsewhere. */
#include "api/collection.h"
#include "api/limits.h"
#include "base/alloc.h"
#include "collect/merging.h"
#include "collect/restoring.h"
#include "index/stored_samples.h"
#include "index/transfer.h"
#include "index/verify.h"

#include <string.h>

stemma_verify_options stemma_verify_options_default(void) {
    return (stemma_verify_options){.size = sizeof(stemma_verify_options)};
}

struct told {
    stemma_take_finding *take;
    void *context;
};

static void tell(void *context, const char *text) {
    const struct told *told = context;
    if (told->take) told->take(told->context, text);
}

/* Rows of data sets are no documents: as the collection counts, where it can be opened. */
static uint64_t documents_of(const char *path, uint64_t rows) {
    stemma_collection *c;
    stemma_collection_info info;
    if (stemma_collection_open(path, NULL, NULL, &c, NULL)) return rows;
    if (stemma_collection_get_info(c, &info, NULL) == STEMMA_OK) rows = info.documents;
    stemma_collection_free(c);
    return rows;
}

stemma_status stemma_collection_verify(const char *path, const stemma_verify_options *options,
                                       const stemma_limits *limits, stemma_take_finding *take, void *context,
                                       stemma_verify_summary *summary, stemma_error *err) {
    stemma_verify_options o = stemma_verify_options_default();
    stemma_limits in_force;
    struct verify_facts facts;
    struct told told = {take, context};
    if (!path || !*path) return fail(err, STEMMA_INVALID, "a path is needed");
    TRY(options_take(options, &o, sizeof o, err));
    TRY(limits_check(limits, &in_force, err));
    const struct collection_options how = {.who = o.user ? o.user : "a program",
                                           .wait = o.wait,
                                           .stop = in_force.stop,
                                           .directory = in_force.temporary_directory};
    struct restorer *restorer;
    TRY(restorer_new(&in_force, o.key, o.key_size, &restorer, err));
    const struct mender mender = {restorer_mend, restorer};
    stemma_status status = collection_verify(path, &how, o.repair, &mender, tell, &told, &facts, err);
    restorer_free(restorer);
    TRY(status);
    if (summary)
        *summary = (stemma_verify_summary){.files = facts.files,
                                           .bytes = facts.bytes,
                                           .documents = facts.damages && !facts.repaired
                                                            ? facts.documents
                                                            : documents_of(path, facts.documents),
                                           .damages = facts.damages,
                                           .lost = facts.lost,
                                           .repaired = facts.repaired};
    return STEMMA_OK;
}

stemma_status stemma_collection_backup(stemma_collection *c, const char *path, bool link, stemma_error *err) {
    if (!c || !path || !*path) return fail(err, STEMMA_INVALID, "a collection and a path are needed");
    TRY(collection_check_outside(c->store, path, err));
    return collection_backup(c->store, path, link, err);
}

stemma_status stemma_collection_export(stemma_collection *c, const char *path, uint64_t *documents,
                                       stemma_error *err) {
    stemma_collection_info info;
    if (!c || !path || !*path) return fail(err, STEMMA_INVALID, "a collection and a path are needed");
    TRY(collection_check_outside(c->store, path, err));
    TRY(stemma_collection_get_info(c, &info, err));
    TRY(collection_export(c->store, path, NULL, err));
    if (documents) *documents = info.documents;
    return STEMMA_OK;
}

static stemma_status merge(stemma_collection *c, const char *path, const char *prefix,
                           struct merge_facts *facts, stemma_error *err) {
    struct origin *origin = NULL;
    if (!strcmp(path, "-")) {
        origin = c->model;
        c->model = NULL;
    }
    const struct collection_options how = {.stop = c->limits.stop,
                                           .directory = c->limits.temporary_directory};
    if (!origin) TRY(origin_open(path, &how, &origin, err));
    collection_forget_parts(c);
    stemma_status status = merge_documents(c->store, c->recipe, &c->limits, origin, prefix, facts, err);
    origin_close(origin);
    return status;
}

stemma_status stemma_collection_merge(stemma_collection *c, const char *path, const char *prefix,
                                      stemma_merge_summary *summary, stemma_error *err) {
    struct merge_facts facts;
    TRY(collection_check_writer(c, err));
    if (!path || !*path) return fail(err, STEMMA_INVALID, "a path is needed");
    TRY(stemma_collection_commit(c, err));
    TRY(merge(c, path, prefix && *prefix ? prefix : NULL, &facts, err));
    if (summary)
        *summary = (stemma_merge_summary){.documents = facts.documents,
                                          .added = facts.added,
                                          .replaced = facts.replaced,
                                          .unchanged = facts.unchanged,
                                          .made = facts.made,
                                          .without_text = facts.without_text,
                                          .without_signature = facts.without_signature,
                                          .without_bits = facts.without_bits,
                                          .dropped = facts.dropped,
                                          .bits = facts.bits,
                                          .bits_before = facts.bits_before,
                                          .bits_given = facts.bits_given};
    return STEMMA_OK;
}

/* A new collection that keeps what another does, in the forms of today. */
static stemma_status make_like(const char *path, const struct schema *model, struct collection_options *how,
                               stemma_error *err) {
    struct schema schema;
    struct collection *store = NULL;
    TRY(collection_refuse_existing(path, err));
    TRY(schema_copy(&schema, model, err));
    samples_renew_parts(&schema);
    how->schema = &schema;
    stemma_status status = collection_open(path, how, &store, err);
    collection_close(store);
    schema_release(&schema);
    return status;
}

stemma_status stemma_collection_create_like(const char *path, const char *model,
                                            const stemma_collection_options *options,
                                            const stemma_limits *limits, stemma_collection **out,
                                            stemma_error *err) {
    stemma_limits in_force;
    stemma_collection_options o = stemma_collection_options_default();
    struct origin *origin;
    if (!path || !*path || !model || !*model || !out)
        return fail(err, STEMMA_INVALID, "two paths and a place for the collection are needed");
    TRY(options_take(options, &o, sizeof o, err));
    TRY(limits_check(limits, &in_force, err));
    struct collection_options how = {.who = o.user ? o.user : "a program",
                                     .wait = o.wait,
                                     .stop = in_force.stop,
                                     .directory = in_force.temporary_directory};
    TRY(origin_open(model, &how, &origin, err));
    stemma_status status = make_like(path, origin_schema(origin), &how, err);
    o.write = true;
    if (status == STEMMA_OK) status = stemma_collection_open(path, &o, limits, out, err);
    if (status == STEMMA_OK && !strcmp(model, "-"))
        (*out)->model = origin;
    else
        origin_close(origin);
    return status;
}
