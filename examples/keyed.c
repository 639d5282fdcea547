/* A secret key, for input that somebody may have made to deceive: without the key nobody can tell which
 * parts of a document a sketch will keep. Sketches under different keys refuse to be compared. */
#include <stdio.h>
#include <stemma.h>
#include <string.h>

static const char text[] =
    "The committee met twice, and twice it decided to meet again before deciding anything.";

static stemma_status sketch_with(const char *key, const stemma_recipe *plain, stemma_sketch **out,
                                 stemma_error *error) {
    stemma_recipe *keyed;
    stemma_status status = stemma_recipe_with_key(plain, key, strlen(key), &keyed, error);
    if (status != STEMMA_OK) return status;
    status = stemma_sketch_bytes(text, strlen(text), "minutes", keyed, NULL, out, error);
    stemma_recipe_free(keyed);
    return status;
}

static void compare(const char *what, const stemma_sketch *a, const stemma_sketch *b) {
    stemma_comparison found;
    stemma_error error;
    if (stemma_compare_sketches(a, b, NULL, &found, &error) == STEMMA_OK)
        printf("%s: %s\n", what, stemma_relation_name(found.relation));
    else
        printf("%s: %s (%s)\n", what, stemma_status_text(error.status), error.message);
}

int main(void) {
    stemma_recipe *plain;
    stemma_sketch *first = NULL, *again = NULL, *other = NULL, *none = NULL;
    stemma_error error;
    if (stemma_recipe_parse(NULL, &plain, &error) != STEMMA_OK ||
        sketch_with("a key of at least sixteen bytes", plain, &first, &error) != STEMMA_OK ||
        sketch_with("a key of at least sixteen bytes", plain, &again, &error) != STEMMA_OK ||
        sketch_with("another key, as long as it likes", plain, &other, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    compare("the same key", first, again);
    compare("another key", first, other);
    if (sketch_with("too short", plain, &none, &error) != STEMMA_OK)
        printf("a short key: %s\n", error.message);

    stemma_sketch_free(first);
    stemma_sketch_free(again);
    stemma_sketch_free(other);
    stemma_recipe_free(plain);
    return 0;
}
