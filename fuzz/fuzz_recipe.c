/* Any text as a recipe: a refusal with a message, or a canonical text that parses to itself. */
#include "sketch/recipe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct stemma_recipe *recipe, *again;
    stemma_error err = {0};
    if (recipe_parse((const char *)data, size, &recipe, &err) != STEMMA_OK) {
        if (err.status != STEMMA_INVALID || !err.message[0]) abort();
        return 0;
    }
    if (recipe_parse(recipe->text, strlen(recipe->text), &again, &err) != STEMMA_OK) abort();
    if (strcmp(recipe->text, again->text) || recipe_equal(recipe, again, NULL) != STEMMA_OK) abort();
    if (recipe_comparable(recipe, again, NULL) != STEMMA_OK) abort();
    recipe_release(recipe);
    recipe_release(again);
    return 0;
}
