/* Two files: how are they related?     compare_two A B
 *
 * The exact comparison: both documents are read, nothing is estimated. */
#include <stdio.h>
#include <stemma.h>

static void print_quantity(const char *name, const stemma_quantity *quantity) {
    if (quantity->known)
        printf("%s %.3f\n", name, quantity->value);
    else
        printf("%s unknown: %s\n", name, quantity->why);
}

int main(int argc, char **argv) {
    stemma_recipe *recipe;
    stemma_comparison found;
    stemma_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: %s A B\n", argv[0]);
        return 2;
    }

    /* NULL: the default recipe. Thresholds and limits have defaults as well. */
    if (stemma_recipe_parse(NULL, &recipe, &error) != STEMMA_OK ||
        stemma_compare_files(argv[1], argv[2], recipe, NULL, NULL, &found, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    stemma_recipe_free(recipe);

    printf("relation %s\n", stemma_relation_name(found.relation));
    print_quantity("resemblance", &found.resemblance);
    print_quantity("first in second", &found.a_in_b);
    print_quantity("second in first", &found.b_in_a);
    return 0;
}
