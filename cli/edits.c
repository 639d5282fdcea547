#include "edits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

/* A larger document is held in memory only when its exact distance is asked for. */
#define TEXT_MOST ((off_t)64 << 20)

void edits_release(edits *e) {
    stemma_alignment_free(e->alignment);
    stemma_regions_free(e->regions);
}

bool can_be_read_again(const char *name) {
    struct stat info;
    return strcmp(name, "-") && (stat(name, &info) || S_ISREG(info.st_mode));
}

bool edits_wanted(const options *o) {
    if (o->edit != EDIT_DEFAULT) return o->edit != EDIT_NONE;
    if (o->pairs_from || (o->quiet && !o->json)) return false;
    return can_be_read_again(o->operands[0]) && can_be_read_again(o->operands[1]);
}

static bool is_large(const char *name) {
    struct stat status;
    return strcmp(name, "-") && !stat(name, &status) && status.st_size > TEXT_MOST;
}

stemma_status edits_read(const options *o, const char *name, const stemma_recipe *recipe, stemma_text **out,
                         stemma_error *error) {
    stemma_limits limits = limits_from(o);
    *out = NULL;
    if (o->edit != EDIT_EXACT && is_large(name)) return STEMMA_OK;
    stemma_status status = stemma_text_file(name, recipe, &limits, out, error);
    return status == STEMMA_UNSUPPORTED && can_be_read_again(name) && o->edit != EDIT_EXACT ? STEMMA_OK
                                                                                            : status;
}

static stemma_status measure_texts(const options *o, stemma_text *const texts[2], edits *out,
                                   stemma_error *error) {
    stemma_limits limits = limits_from(o);
    stemma_edit_options how = stemma_edit_options_default();
    if (o->edit == EDIT_EXACT) how.mode = STEMMA_EDIT_EXACT;
    if (o->edit == EDIT_ESTIMATE) how.mode = STEMMA_EDIT_ESTIMATE;
    if (o->edit_limit) how.at_most = o->edit_limit;
    stemma_status status = stemma_align_texts(texts[0], texts[1], NULL, &limits, &out->alignment, error);
    for (int i = 0; i < 2; i++) out->extracted[i] = stemma_text_is_extracted(texts[i]);
    if (status == STEMMA_UNSUPPORTED)
        status = STEMMA_OK; /* too little memory to say where: the rest can be said */
    return status ? status
                  : stemma_edit_texts(texts[0], texts[1], out->alignment, &how, &limits, &out->edit, error);
}

/* What decides the edit text, and a signature: no key is needed for two files that are both at hand. */
static stemma_status signature_recipe(const stemma_recipe *recipe, stemma_recipe **out, stemma_error *error) {
    const char *text = stemma_recipe_text(recipe);
    char *wanted = NULL;
    if (asprintf(&wanted, "%.*s; signature", (int)(strstr(text, " window=") - text), text) < 0) wanted = NULL;
    stemma_status status = stemma_recipe_parse(need(wanted), out, error);
    free(wanted);
    return status;
}

stemma_status edits_locate(const stemma_sketch *a, const stemma_sketch *b, edits *out, stemma_error *error) {
    if (!out->edit.distance.known || out->edit.kind == STEMMA_EDITS_NONE) return STEMMA_OK;
    return stemma_sketch_regions(a, b, &out->regions, &out->region_count, &out->bytes_known, error);
}

/* From the text where there is one: the file may be a pipe. */
static stemma_status sign(const char *name, const stemma_text *text, const stemma_recipe *signature,
                          const stemma_limits *limits, stemma_sketch **out, stemma_error *error) {
    size_t size;
    if (!text) return stemma_sketch_file(name, signature, limits, out, error);
    const char *source = stemma_text_source(text, &size);
    stemma_sketcher *sketcher = NULL;
    stemma_status status = stemma_sketcher_new(signature, name, limits, &sketcher, error);
    if (!status) status = stemma_sketcher_add(sketcher, source, size, error);
    if (!status) status = stemma_sketcher_finish(sketcher, out, error);
    stemma_sketcher_free(sketcher);
    return status;
}

static stemma_status measure_files(const options *o, const stemma_recipe *recipe, const char *const names[2],
                                   stemma_text *const texts[2], edits *out, stemma_error *error) {
    stemma_limits limits = limits_from(o);
    stemma_sketch *sketches[2] = {NULL, NULL};
    stemma_comparison comparison;
    stemma_recipe *signature;
    stemma_status status = signature_recipe(recipe, &signature, error);
    if (status) return status;
    for (size_t i = 0; i < 2 && !status; i++)
        status = sign(names[i], texts[i], signature, &limits, &sketches[i], error);
    if (!status) status = stemma_compare_sketches(sketches[0], sketches[1], NULL, &comparison, error);
    if (!status) out->edit = comparison.edit;
    if (!status) status = edits_locate(sketches[0], sketches[1], out, error);
    for (size_t i = 0; i < 2; i++) stemma_sketch_free(sketches[i]);
    stemma_recipe_free(signature);
    return status;
}

stemma_status edits_measure(const options *o, const stemma_recipe *recipe, const char *const names[2],
                            stemma_text *const texts[2], edits *out, stemma_error *error) {
    stemma_status status = texts[0] && texts[1] ? measure_texts(o, texts, out, error)
                                                : measure_files(o, recipe, names, texts, out, error);
    out->known = !status;
    return status;
}
