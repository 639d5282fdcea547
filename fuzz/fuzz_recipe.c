/* Any text as a recipe: a refusal with a message, or a canonical text that parses to itself. */
#include "fuzz.h"

#include "sketch/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct stemma_recipe *recipe, *again;
    stemma_error err = {0};
    if (recipe_parse((const char *)data, size, &recipe, &err) != STEMMA_OK) {
        REQUIRE(err.status == STEMMA_INVALID && err.message[0]);
        return 0;
    }
    REQUIRE(recipe_parse(recipe->text, strlen(recipe->text), &again, &err) == STEMMA_OK);
    REQUIRE(!strcmp(recipe->text, again->text) && recipe_equal(recipe, again, NULL) == STEMMA_OK);
    REQUIRE(recipe_comparable(recipe, again, NULL) == STEMMA_OK);
    recipe_release(recipe);
    recipe_release(again);
    return 0;
}
