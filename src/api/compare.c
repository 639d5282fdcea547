/* Exact comparison of two documents, from their full sets of shingles. */
#include "api/document.h"
#include "base/alloc.h"
#include "base/spill.h"
#include "estimate/estimate.h"
#include "estimate/exact.h"

/* A document and all its distinct fingerprints. */
struct full {
    struct document document;
    struct spill *set;
};

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return spill_add(((struct full *)context)->set, fp, count, err);
}

static void full_release(struct full *full) {
    document_release(&full->document);
    spill_free(full->set);
    full->set = NULL;
}

/* Where the bytes come from. */
struct source {
    const char *path; /* or */
    const void *bytes;
    size_t size;
};

static stemma_status read_source(struct full *full, const struct source *source, stemma_error *err) {
    TRY(source->path ? document_add_file(&full->document, source->path, err)
                     : document_add(&full->document, source->bytes, source->size, err));
    TRY(document_finish(&full->document, err));
    return spill_finish(full->set, err);
}

static stemma_status full_read(struct full *full, const struct source *source,
                               const struct stemma_recipe *recipe, const stemma_limits *limits,
                               stemma_error *err) {
    struct shingle_sink sink = {.context = full, .take = take};
    *full = (struct full){0};
    TRY(spill_new(true, limits_memory(limits), limits_directory(limits), &full->set, err));
    stemma_status status = document_init(&full->document, recipe, sink, limits, err);
    if (status == STEMMA_OK) status = read_source(full, source, err);
    if (status != STEMMA_OK) full_release(full);
    return status;
}

static struct facts facts_of(const struct document *d) {
    return (struct facts){d->digest, d->text_digest, d->bytes, d->tokens};
}

static stemma_status compare_full(struct full *a, struct full *b, const struct view *view,
                                  const stemma_thresholds *thresholds, stemma_comparison *out, stemma_error *err) {
    struct overlap overlap;
    struct estimates estimates;
    struct facts fa = facts_of(&a->document), fb = facts_of(&b->document);
    TRY(overlap_of(a->set, b->set, &overlap, err));
    overlap_quantities(&overlap, &estimates);
    conclude(&fa, &fb, view->window, &estimates, thresholds, out);
    out->shingles_a = overlap.a;
    out->shingles_b = overlap.b;
    out->shingles_common = overlap.common;
    return STEMMA_OK;
}

static stemma_status compare(const struct source *source_a, const struct source *source_b, const stemma_recipe *recipe,
                             const stemma_thresholds *thresholds, const stemma_limits *limits,
                             stemma_comparison *out, stemma_error *err) {
    struct full *both = mem_zero(2, sizeof *both);
    if (!both) return fail_memory(err);
    stemma_status status = full_read(&both[0], source_a, recipe, limits, err);
    if (status == STEMMA_OK) status = full_read(&both[1], source_b, recipe, limits, err);
    if (status == STEMMA_OK) status = compare_full(&both[0], &both[1], &recipe->view, thresholds, out, err);
    full_release(&both[0]);
    full_release(&both[1]);
    mem_free(both);
    return status;
}

/* With no recipe given, the default one for the time of the call. */
static stemma_status compare_by_default(const struct source *a, const struct source *b, const stemma_recipe *recipe,
                                        const stemma_thresholds *thresholds, const stemma_limits *limits,
                                        stemma_comparison *out, stemma_error *err) {
    stemma_recipe *own = NULL;
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    stemma_status status = compare(a, b, recipe ? recipe : own, thresholds, limits, out, err);
    stemma_recipe_free(own);
    return status;
}

stemma_status stemma_compare_files(const char *a, const char *b, const stemma_recipe *recipe,
                                   const stemma_thresholds *thresholds, const stemma_limits *limits,
                                   stemma_comparison *out, stemma_error *err) {
    if (!a || !b || !out) return fail(err, STEMMA_INVALID, "two files and a place for the result are needed");
    return compare_by_default(&(struct source){.path = a}, &(struct source){.path = b}, recipe, thresholds, limits,
                              out, err);
}

stemma_status stemma_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size,
                                   const stemma_recipe *recipe, const stemma_thresholds *thresholds,
                                   const stemma_limits *limits, stemma_comparison *out, stemma_error *err) {
    if ((!a && a_size) || (!b && b_size) || !out)
        return fail(err, STEMMA_INVALID, "two documents and a place for the result are needed");
    return compare_by_default(&(struct source){.bytes = a, .size = a_size},
                              &(struct source){.bytes = b, .size = b_size}, recipe, thresholds, limits, out, err);
}
