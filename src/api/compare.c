/* Exact comparison of documents, from their full sets of shingles. */
#include "api/conclude.h"
#include "api/edit.h"
#include "api/limits.h"
#include "api/text.h"
#include "base/alloc.h"
#include "base/spill.h"
#include "estimate/exact.h"

#include <string.h>

struct stemma_document {
    const struct stemma_recipe *recipe;
    struct facts facts;
    struct spill *set;
};

/* Where the bytes come from. */
struct source {
    const char *path;        /* or */
    const stemma_text *text; /* or */
    const void *bytes;
    size_t size;
};

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return spill_add(((stemma_document *)context)->set, fp, count, err);
}

/* A text was read already. */
static stemma_status read_text(struct intake *intake, const stemma_text *text, struct facts *facts,
                               stemma_error *err) {
    const struct buf *source = &text->source;
    TRY(text->binary      ? intake_add_binary(intake, source->data, source->len, err)
        : text->extracted ? intake_add_extracted(intake, source->data, source->len, err)
                          : intake_add(intake, source->data, source->len, err));
    TRY(intake_finish(intake, facts, err));
    if (!text->extracted) return STEMMA_OK;
    facts->bytes = text->original_size;
    memcpy(facts->digest, text->original, DIGEST_SIZE);
    return STEMMA_OK;
}

static stemma_status read_bytes(struct intake *intake, const struct source *source, struct facts *facts,
                                stemma_error *err) {
    TRY(source->path ? intake_add_file(intake, source->path, err)
                     : intake_add_document(intake, NULL, source->bytes, source->size, err));
    return intake_finish(intake, facts, err);
}

static stemma_status read_source(struct intake *intake, const struct source *source,
                                 stemma_document *document, stemma_error *err) {
    TRY(source->text ? read_text(intake, source->text, &document->facts, err)
                     : read_bytes(intake, source, &document->facts, err));
    return spill_finish(document->set, err);
}

static stemma_status fill(stemma_document *document, const struct source *source, const stemma_limits *limits,
                          stemma_error *err) {
    struct intake intake;
    struct shingle_sink sink = {.context = document, .take = take};
    TRY(spill_new(true, limits->memory, limits->temporary_directory, &document->set, err));
    TRY(intake_init(&intake, document->recipe, sink, limits, err));
    stemma_status status = read_source(&intake, source, document, err);
    intake_release(&intake);
    return status;
}

/* recipe may be NULL: the default one. */
static stemma_status document_new(const struct source *source, const stemma_recipe *recipe,
                                  const stemma_limits *given, stemma_document **out, stemma_error *err) {
    stemma_limits limits;
    TRY(limits_check(given, &limits, err));
    stemma_document *document = mem_zero(1, sizeof *document);
    if (!document) return fail_memory(err);
    stemma_recipe *own = NULL;
    stemma_status status = recipe ? STEMMA_OK : recipe_parse("", 0, &own, err);
    document->recipe = recipe ? recipe_retain(recipe) : own;
    if (status == STEMMA_OK) status = fill(document, source, &limits, err);
    if (status != STEMMA_OK) {
        stemma_document_free(document);
        return status;
    }
    *out = document;
    return STEMMA_OK;
}

stemma_status stemma_document_file(const char *path, const stemma_recipe *recipe, const stemma_limits *limits,
                                   stemma_document **out, stemma_error *err) {
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the document are needed");
    return document_new(&(struct source){.path = path}, recipe, limits, out, err);
}

stemma_status stemma_document_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                    const stemma_limits *limits, stemma_document **out, stemma_error *err) {
    if ((!data && size) || !out)
        return fail(err, STEMMA_INVALID, "data and a place for the document are needed");
    return document_new(&(struct source){.bytes = data, .size = size}, recipe, limits, out, err);
}

stemma_status stemma_document_of_text(const stemma_text *text, const stemma_recipe *recipe,
                                      const stemma_limits *limits, stemma_document **out, stemma_error *err) {
    if (!text || !out) return fail(err, STEMMA_INVALID, "a text and a place for the document are needed");
    if (text->folds != (recipe ? recipe->view.folds : FOLD_TEXT))
        return fail(err, STEMMA_MISMATCH, "the text was folded otherwise than the recipe says");
    return document_new(&(struct source){.text = text}, recipe, limits, out, err);
}

void stemma_document_free(stemma_document *document) {
    if (!document) return;
    spill_free(document->set);
    recipe_release(document->recipe);
    mem_free(document);
}

/* ---- comparing ---- */

stemma_status stemma_compare_documents(const stemma_document *a, const stemma_document *b,
                                       const stemma_thresholds *given, stemma_comparison *out,
                                       stemma_error *err) {
    struct overlap overlap;
    struct estimates estimates;
    stemma_thresholds thresholds;
    if (!a || !b || !out)
        return fail(err, STEMMA_INVALID, "two documents and a place for the result are needed");
    TRY(thresholds_check(given, &thresholds, err));
    TRY(view_equal(&a->recipe->view, &b->recipe->view, err));
    TRY(overlap_of(a->set, b->set, &overlap, err));
    overlap_quantities(&overlap, &estimates);
    conclude(&a->facts, &b->facts, a->recipe->view.window, &estimates, &thresholds, out);
    out->shingles_a = overlap.a;
    out->shingles_b = overlap.b;
    out->shingles_common = overlap.common;
    out->edit = edit_unknown("it is asked of texts, or of sketches with signatures");
    return STEMMA_OK;
}

static stemma_status compare(const struct source *source_a, const struct source *source_b,
                             const stemma_recipe *recipe, const stemma_thresholds *thresholds,
                             const stemma_limits *limits, stemma_comparison *out, stemma_error *err) {
    stemma_document *a = NULL, *b = NULL;
    stemma_status status = document_new(source_a, recipe, limits, &a, err);
    if (status == STEMMA_OK) status = document_new(source_b, a->recipe, limits, &b, err);
    if (status == STEMMA_OK) status = stemma_compare_documents(a, b, thresholds, out, err);
    stemma_document_free(a);
    stemma_document_free(b);
    return status;
}

stemma_status stemma_compare_files(const char *a, const char *b, const stemma_recipe *recipe,
                                   const stemma_thresholds *thresholds, const stemma_limits *limits,
                                   stemma_comparison *out, stemma_error *err) {
    if (!a || !b || !out) return fail(err, STEMMA_INVALID, "two files and a place for the result are needed");
    return compare(&(struct source){.path = a}, &(struct source){.path = b}, recipe, thresholds, limits, out,
                   err);
}

stemma_status stemma_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size,
                                   const stemma_recipe *recipe, const stemma_thresholds *thresholds,
                                   const stemma_limits *limits, stemma_comparison *out, stemma_error *err) {
    if ((!a && a_size) || (!b && b_size) || !out)
        return fail(err, STEMMA_INVALID, "two documents and a place for the result are needed");
    return compare(&(struct source){.bytes = a, .size = a_size}, &(struct source){.bytes = b, .size = b_size},
                   recipe, thresholds, limits, out, err);
}
