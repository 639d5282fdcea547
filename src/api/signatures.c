/* One signature against many. */
#include "align/signature/near.h"
#include "api/limits.h"
#include "base/alloc.h"
#include "sketch/sketch.h"

struct stemma_signatures {
    const struct stemma_recipe *recipe;
    struct spec spec;
    struct store *store;
};

static stemma_status check_part(const stemma_recipe *recipe, size_t part, stemma_error *err) {
    if (part >= recipe->spec_count)
        return fail(err, STEMMA_NOT_FOUND, "the recipe has %zu parts, not %zu", recipe->spec_count, part + 1);
    if (!spec_is_signature(&recipe->specs[part]))
        return fail(err, STEMMA_UNSUPPORTED, "%s is not a signature",
                    scheme_name(recipe->specs[part].scheme));
    return STEMMA_OK;
}

stemma_status stemma_signatures_new(const stemma_recipe *recipe, size_t part, stemma_signatures **out,
                                    stemma_error *err) {
    if (!recipe || !out)
        return fail(err, STEMMA_INVALID, "a recipe and a place for the signatures are needed");
    TRY(check_part(recipe, part, err));
    stemma_signatures *signatures = mem_zero(1, sizeof *signatures);
    if (!signatures) return fail_memory(err);
    stemma_status status = store_new(&signatures->store, err);
    if (status != STEMMA_OK) {
        mem_free(signatures);
        return status;
    }
    signatures->recipe = recipe_retain(recipe);
    signatures->spec = recipe->specs[part];
    *out = signatures;
    return STEMMA_OK;
}

void stemma_signatures_free(stemma_signatures *signatures) {
    if (!signatures) return;
    store_free(signatures->store);
    recipe_release(signatures->recipe);
    mem_free(signatures);
}

/* ---- the signature of a sketch, as coarse as those that are held ---- */

static struct signature_rate rate_of(const struct spec *spec) {
    return (struct signature_rate){spec->c, spec->alphabet};
}

/* Whether a signature under `given` can be made into one under `held`. */
static bool can_become(const struct spec *given, const struct spec *held) {
    struct signature_rate met;
    if (given->scheme != held->scheme || given->n != held->n) return false;
    if (held->scheme == SCHEME_SIGNATURE2011) return spec_equal(given, held);
    return signature_rates_meet(rate_of(given), rate_of(held), &met) && met.c == held->c &&
           met.alphabet == held->alphabet;
}

static stemma_status find_part(const stemma_signatures *signatures, const stemma_sketch *sketch, size_t *out,
                               stemma_error *err) {
    const struct stemma_recipe *recipe = sketch->recipe;
    size_t found = recipe->spec_count;
    TRY(view_equal(&signatures->recipe->view, &recipe->view, err));
    for (size_t i = recipe->spec_count; i-- > 0;)
        if (can_become(&recipe->specs[i], &signatures->spec) &&
            (found == recipe->spec_count || recipe->specs[i].c >= recipe->specs[found].c))
            found = i; /* the least to throw away */
    if (found == recipe->spec_count)
        return fail(err, STEMMA_MISMATCH,
                    "recipes differ: the sketch has no signature n=%u as fine as c=%u alphabet=%u",
                    signatures->spec.n, signatures->spec.c, signatures->spec.alphabet);
    *out = found;
    return STEMMA_OK;
}

/* `data` holds what has to be made. */
static stemma_status signature_for(const stemma_signatures *signatures, const stemma_sketch *sketch,
                                   struct signature_data *data, struct symbols *out, stemma_error *err) {
    size_t part;
    TRY(find_part(signatures, sketch, &part, err));
    const struct spec *spec = &sketch->recipe->specs[part];
    struct signature signature = signature_of(&sketch->parts[part].signature, spec);
    signature.positions = NULL;
    if (spec->c != signatures->spec.c || spec->alphabet != signatures->spec.alphabet) {
        struct signature fine = signature;
        TRY(signature_coarsen(&fine, rate_of(&signatures->spec), data, &signature, err));
    }
    *out = (struct symbols){signature.symbols, signature.count};
    return STEMMA_OK;
}

/* ---- using them ---- */

stemma_status stemma_signatures_add(stemma_signatures *signatures, const stemma_sketch *sketch,
                                    stemma_error *err) {
    struct signature_data data = {0};
    struct symbols symbols;
    if (!signatures || !sketch) return fail(err, STEMMA_INVALID, "signatures and a sketch are needed");
    stemma_status status = signature_for(signatures, sketch, &data, &symbols, err);
    if (status == STEMMA_OK) status = store_add(signatures->store, symbols, err);
    signature_data_release(&data);
    return status;
}

size_t stemma_signatures_count(const stemma_signatures *signatures) {
    return store_count(signatures->store);
}

stemma_status stemma_signatures_search(const stemma_signatures *signatures, const stemma_sketch *query,
                                       uint64_t at_most, const stemma_limits *given, stemma_near **out,
                                       size_t *count, stemma_error *err) {
    struct signature_data data = {0};
    struct symbols symbols;
    stemma_limits limits;
    if (!signatures || !query || !out || !count)
        return fail(err, STEMMA_INVALID, "signatures, a sketch and places for what is found are needed");
    TRY(limits_check(given, &limits, err));
    stemma_status status = signature_for(signatures, query, &data, &symbols, err);
    if (status == STEMMA_OK)
        status = store_search(signatures->store, symbols, at_most, limits.stop, out, count, NULL, err);
    signature_data_release(&data);
    return status;
}

void stemma_near_free(stemma_near *found) {
    mem_free(found);
}

/* An edit touches n windows, and whether one of the next n is left out as a repetition; each changes one
 * symbol. Windows of bytes: a character is up to four of them. */
uint64_t stemma_signatures_bound(const stemma_signatures *signatures, uint64_t edits) {
    const struct spec *spec = &signatures->spec;
    uint64_t each = spec->scheme == SCHEME_SIGNATURE ? UINT64_C(2) * spec->n : spec->n + UINT64_C(3);
    return edits < UINT64_MAX / each ? edits * each : UINT64_MAX;
}
