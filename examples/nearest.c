/* Which of these files are most like this one?     nearest QUERY FILE...
 *
 * Every file is read once; ranking uses the sketches only, and each estimate says how sure it is. */
#include <stdio.h>
#include <stdlib.h>
#include <stemma.h>

struct candidate {
    const char *path;
    stemma_comparison found;
};

static int by_resemblance(const void *left, const void *right) {
    double a = ((const struct candidate *)left)->found.resemblance.value;
    double b = ((const struct candidate *)right)->found.resemblance.value;
    return (a < b) - (a > b);
}

static stemma_status compare_with(const stemma_sketch *query, struct candidate *candidate,
                                  stemma_error *error) {
    stemma_sketch *sketch;
    stemma_status status =
        stemma_sketch_file(candidate->path, stemma_sketch_recipe(query), NULL, &sketch, error);
    if (status != STEMMA_OK) return status;
    status = stemma_compare_sketches(query, sketch, NULL, &candidate->found, error);
    stemma_sketch_free(sketch);
    return status;
}

static stemma_status rank(char **paths, int count, struct candidate *candidates, stemma_error *error) {
    stemma_recipe *recipe;
    stemma_sketch *query;
    stemma_status status = stemma_recipe_parse(NULL, &recipe, error);
    if (status != STEMMA_OK) return status;
    status = stemma_sketch_file(paths[0], recipe, NULL, &query, error);
    stemma_recipe_free(recipe); /* a sketch has its own copy */
    if (status != STEMMA_OK) return status;
    for (int i = 0; i < count && status == STEMMA_OK; i++) {
        candidates[i].path = paths[i + 1];
        status = compare_with(query, &candidates[i], error);
    }
    stemma_sketch_free(query);
    return status;
}

int main(int argc, char **argv) {
    int count = argc - 2;
    stemma_error error = {STEMMA_INVALID, "usage: nearest QUERY FILE..."};
    struct candidate *candidates = count > 0 ? calloc((size_t)count, sizeof *candidates) : NULL;
    if (!candidates || rank(argv + 1, count, candidates, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    qsort(candidates, (size_t)count, sizeof *candidates, by_resemblance);
    for (int i = 0; i < count; i++) {
        const stemma_quantity *r = &candidates[i].found.resemblance;
        printf("%.2f (%.2f to %.2f) %s\n", r->value, r->low, r->high, candidates[i].path);
    }
    free(candidates);
    return 0;
}
