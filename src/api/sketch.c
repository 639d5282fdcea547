/* Sketches of documents: streamed, from files, from memory; comparing and joining them. */
#include "sketch/sketch.h"

#include "api/conclude.h"
#include "api/edit.h"
#include "api/limits.h"
#include "base/alloc.h"

#include <string.h>

struct stemma_sketcher {
    struct intake intake;
    struct sketcher *parts;
    char *name;
    bool finished;
};

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    return sketcher_take(((stemma_sketcher *)context)->parts, fp, count, tokens, token_count, err);
}

static stemma_status take_bytes(void *context, const uint8_t *bytes, size_t size, stemma_error *err) {
    return sketcher_take_bytes(((stemma_sketcher *)context)->parts, bytes, size, err);
}

static uint64_t modulus(void *context) {
    return sketcher_modulus(((stemma_sketcher *)context)->parts);
}

static stemma_status sketcher_set_up(stemma_sketcher *s, const stemma_recipe *recipe, const char *name,
                                     const stemma_limits *given, stemma_error *err) {
    stemma_limits limits;
    TRY(limits_check(given, &limits, err));
    s->name = mem_copy_string(name ? name : "");
    if (!s->name) return fail_memory(err);
    TRY(sketcher_new(recipe, limits.memory, &s->parts, err));
    struct shingle_sink sink = {s, take, modulus, sketcher_wants_tokens(s->parts)};
    TRY(intake_init(&s->intake, recipe, sink, &limits, err));
    if (sketcher_wants_bytes(s->parts)) s->intake.byte_sink = (struct byte_sink){s, take_bytes};
    return STEMMA_OK;
}

stemma_status stemma_sketcher_new(const stemma_recipe *recipe, const char *name, const stemma_limits *limits,
                                  stemma_sketcher **out, stemma_error *err) {
    if (!out) return fail(err, STEMMA_INVALID, "no place for the sketcher was given");
    stemma_recipe *own = NULL;
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    stemma_sketcher *s = mem_zero(1, sizeof *s);
    stemma_status status =
        s ? sketcher_set_up(s, recipe ? recipe : own, name, limits, err) : fail_memory(err);
    stemma_recipe_free(own);
    if (status != STEMMA_OK) {
        stemma_sketcher_free(s);
        return status;
    }
    *out = s;
    return STEMMA_OK;
}

stemma_status stemma_sketcher_add(stemma_sketcher *s, const void *data, size_t size, stemma_error *err) {
    if (!s || s->finished || (!data && size))
        return fail(err, STEMMA_INVALID, "a sketcher that is not finished, and data, are needed");
    return intake_add(&s->intake, data, size, err);
}

stemma_status stemma_sketcher_finish(stemma_sketcher *s, stemma_sketch **out, stemma_error *err) {
    if (!s || s->finished || !out) return fail(err, STEMMA_INVALID, "the sketcher is already finished");
    struct facts facts;
    stemma_sketch *sketch = NULL;
    s->finished = true;
    TRY(intake_finish(&s->intake, &facts, err));
    TRY(sketcher_finish(s->parts, facts.shingles, &sketch, err));
    sketch->name = s->name;
    s->name = NULL;
    sketch->bytes = facts.bytes;
    sketch->tokens = facts.tokens;
    memcpy(sketch->digest, facts.digest, DIGEST_SIZE);
    memcpy(sketch->text_digest, facts.text_digest, DIGEST_SIZE);
    *out = sketch;
    return STEMMA_OK;
}

void stemma_sketcher_free(stemma_sketcher *s) {
    if (!s) return;
    intake_release(&s->intake);
    sketcher_free(s->parts);
    mem_free(s->name);
    mem_free(s);
}

stemma_status stemma_sketch_file(const char *path, const stemma_recipe *recipe, const stemma_limits *limits,
                                 stemma_sketch **out, stemma_error *err) {
    stemma_sketcher *s = NULL;
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the sketch are needed");
    TRY(stemma_sketcher_new(recipe, path, limits, &s, err));
    stemma_status status = intake_add_file(&s->intake, path, err);
    if (status == STEMMA_OK) status = stemma_sketcher_finish(s, out, err);
    stemma_sketcher_free(s);
    return status;
}

stemma_status stemma_sketch_bytes(const void *data, size_t size, const char *name,
                                  const stemma_recipe *recipe, const stemma_limits *limits,
                                  stemma_sketch **out, stemma_error *err) {
    stemma_sketcher *s = NULL;
    if ((!data && size) || !out)
        return fail(err, STEMMA_INVALID, "data and a place for the sketch are needed");
    TRY(stemma_sketcher_new(recipe, name, limits, &s, err));
    stemma_status status = intake_add_document(&s->intake, name, data, size, err);
    if (status == STEMMA_OK) status = stemma_sketcher_finish(s, out, err);
    stemma_sketcher_free(s);
    return status;
}

void stemma_sketch_free(stemma_sketch *sketch) {
    sketch_free(sketch);
}

/* ---- looking at a sketch ---- */

stemma_document_info stemma_sketch_info(const stemma_sketch *sketch) {
    stemma_document_info info = {
        .name = sketch->name, .bytes = sketch->bytes, .tokens = sketch->tokens, .shingles = sketch->shingles};
    memcpy(info.digest, sketch->digest, DIGEST_SIZE);
    memcpy(info.text_digest, sketch->text_digest, DIGEST_SIZE);
    return info;
}

const stemma_recipe *stemma_sketch_recipe(const stemma_sketch *sketch) {
    return sketch->recipe;
}

static void add_signature(stemma_sketch_part *out, const struct spec *spec,
                          const struct signature_data *data) {
    struct signature signature = signature_of(data, spec);
    out->c = spec->c;
    out->k = spec->k;
    out->alphabet = signature.alphabet;
    out->symbols = signature.symbols;
    out->symbol_count = signature.count;
    out->positions = signature.positions;
    out->length = signature.length;
    out->agree = signature.agree;
}

stemma_status stemma_sketch_get_part(const stemma_sketch *sketch, size_t index, stemma_sketch_part *out,
                                     stemma_error *err) {
    if (!sketch || !out) return fail(err, STEMMA_INVALID, "a sketch and a place for the part are needed");
    if (index >= sketch->recipe->spec_count)
        return fail(err, STEMMA_NOT_FOUND, "the recipe has %zu parts, not %zu", sketch->recipe->spec_count,
                    index + 1);
    const struct spec *spec = &sketch->recipe->specs[index];
    const struct part *part = &sketch->parts[index];
    *out = (stemma_sketch_part){
        .scheme = scheme_name(spec->scheme),
        .n = spec->n,
        .mod = spec->mod,
        .width = spec->bits,
        .values = part->values.data,
        .value_count = part->values.len,
        .bits = part->bits.data,
        .bit_count = part->bits.len == 0              ? 0
                     : spec->scheme == SCHEME_SIMHASH ? spec->bits
                                                      : (size_t)spec->n * spec->bits,
        .smallest = part->smallest.data,
        .smallest_count = part->smallest.len,
        .level = part->level,
        .complete = part->complete,
        .filled = part->filled,
        .distinct = part->distinct,
    };
    if (spec_is_signature(spec)) add_signature(out, spec, &part->signature);
    return STEMMA_OK;
}

/* ---- two sketches ---- */

static struct facts facts_of(const stemma_sketch *s) {
    struct facts facts = {.bytes = s->bytes, .tokens = s->tokens, .shingles = s->shingles};
    memcpy(facts.digest, s->digest, DIGEST_SIZE);
    memcpy(facts.text_digest, s->text_digest, DIGEST_SIZE);
    return facts;
}

stemma_status stemma_compare_sketches(const stemma_sketch *a, const stemma_sketch *b,
                                      const stemma_thresholds *given, stemma_comparison *out,
                                      stemma_error *err) {
    struct estimates estimates;
    stemma_thresholds thresholds;
    stemma_edit edit;
    if (!a || !b || !out)
        return fail(err, STEMMA_INVALID, "two sketches and a place for the result are needed");
    struct facts fa = facts_of(a), fb = facts_of(b);
    TRY(thresholds_check(given, &thresholds, err));
    TRY(estimate_sketches(a, b, &estimates, err));
    TRY(edit_of_sketches(a, b, &edit, err));
    conclude(&fa, &fb, a->recipe->view.window, &estimates, &thresholds, out);
    out->from_sketches = true;
    out->edit = edit;
    return STEMMA_OK;
}

stemma_status stemma_sketch_union(const stemma_sketch *a, const stemma_sketch *b, stemma_sketch **out,
                                  stemma_error *err) {
    if (!a || !b || !out)
        return fail(err, STEMMA_INVALID, "two sketches and a place for the result are needed");
    return sketch_union(a, b, out, err);
}
