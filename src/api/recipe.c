/* Versions, names and recipes of stemma.h. */
#include "sketch/recipe.h"
#include "kernels/kernels.h"

#include <string.h>

const char *stemma_version(void) {
    return STEMMA_VERSION_STRING;
}

const char *stemma_cpu(void) {
    return kernels_get()->name;
}

const char *stemma_relation_name(stemma_relation relation) {
    switch (relation) {
    case STEMMA_IDENTICAL:
        return "identical";
    case STEMMA_SAME_TEXT:
        return "same-text";
    case STEMMA_NEAR_DUPLICATE:
        return "near-duplicate";
    case STEMMA_CONTAINED:
        return "contained";
    case STEMMA_CONTAINS:
        return "contains";
    case STEMMA_RELATED:
        return "related";
    case STEMMA_UNRELATED:
        return "unrelated";
    case STEMMA_UNKNOWN:
        return "unknown";
    }
    return "unknown";
}

stemma_status stemma_recipe_parse(const char *text, stemma_recipe **out, stemma_error *err) {
    if (!out) return fail(err, STEMMA_INVALID, "no place for the recipe was given");
    return recipe_parse(text, text ? strlen(text) : 0, out, err);
}

stemma_status stemma_recipe_with_key(const stemma_recipe *recipe, const void *key, size_t key_size,
                                     stemma_recipe **out, stemma_error *err) {
    if (!recipe || !key || !out) return fail(err, STEMMA_INVALID, "a recipe and a key are needed");
    return recipe_with_key(recipe, key, key_size, out, err);
}

const char *stemma_recipe_text(const stemma_recipe *recipe) {
    return recipe->text;
}

void stemma_recipe_free(stemma_recipe *recipe) {
    recipe_release(recipe);
}
