/* Versions, names and recipes of stemma.h. */
#include "base/alloc.h"
#include "kernels/kernels.h"
#include "sketch/recipe.h"

#include <sodium/utils.h>
#include <string.h>

const char *stemma_version(void) {
    return STEMMA_VERSION_STRING;
}

const char *stemma_cpu(void) {
    return kernels_get()->name;
}

const char *stemma_relation_name(stemma_relation relation) {
    switch (relation) {
    case STEMMA_IDENTICAL: return "identical";
    case STEMMA_SAME_TEXT: return "same-text";
    case STEMMA_NEAR_DUPLICATE: return "near-duplicate";
    case STEMMA_CONTAINED: return "contained";
    case STEMMA_CONTAINS: return "contains";
    case STEMMA_RELATED: return "related";
    case STEMMA_UNRELATED: return "unrelated";
    case STEMMA_UNKNOWN: return "unknown";
    }
    return "unknown";
}

stemma_thresholds stemma_thresholds_default(void) {
    return (stemma_thresholds){.resemblance = .7, .containment = .9, .chance = .05};
}

stemma_status stemma_recipe_parse(const char *text, stemma_recipe **out, stemma_error *err) {
    if (!out) return fail(err, STEMMA_INVALID, "no place for the recipe was given");
    stemma_recipe *recipe = mem_zero(1, sizeof *recipe);
    if (!recipe) return fail_memory(err);
    stemma_status status = recipe_parse(text ? text : "", text ? strlen(text) : 0, recipe, err);
    if (status != STEMMA_OK) {
        mem_free(recipe);
        return status;
    }
    *out = recipe;
    return STEMMA_OK;
}

stemma_status stemma_recipe_with_key(const stemma_recipe *recipe, const void *key, size_t key_size,
                                     stemma_recipe **out, stemma_error *err) {
    if (!recipe || !key || !out) return fail(err, STEMMA_INVALID, "a recipe and a key are needed");
    stemma_recipe *keyed = mem_zero(1, sizeof *keyed);
    if (!keyed) return fail_memory(err);
    stemma_status status = recipe_with_key(recipe, key, key_size, keyed, err);
    if (status != STEMMA_OK) {
        mem_free(keyed);
        return status;
    }
    *out = keyed;
    return STEMMA_OK;
}

const char *stemma_recipe_text(const stemma_recipe *recipe) {
    return recipe->text;
}

void stemma_recipe_free(stemma_recipe *recipe) {
    if (!recipe) return;
    sodium_memzero(recipe, sizeof *recipe); /* it may hold what follows from a key */
    mem_free(recipe);
}
