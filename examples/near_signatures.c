/* Which of these files are within so many edits of this one?     near_signatures EDITS QUERY FILE...
 *
 * Only signatures are kept of the files; they could as well come from a bundle, through stemma_reader_next.
 * An edit changes about n / C symbols of a signature, so the search asks for a few more than that;
 * stemma_signatures_bound() says how many would be sure to lose nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <stemma.h>

enum { WINDOW = 8, RATE = 16 };

static stemma_status add_file(const char *path, const stemma_recipe *recipe, stemma_signatures *signatures,
                              stemma_error *error) {
    stemma_sketch *sketch;
    stemma_status status = stemma_sketch_file(path, recipe, NULL, &sketch, error);
    if (status != STEMMA_OK) return status;
    status = stemma_signatures_add(signatures, sketch, error);
    stemma_sketch_free(sketch);
    return status;
}

static stemma_status search(unsigned long edits, char **paths, int count, const stemma_recipe *recipe,
                            stemma_signatures *signatures, stemma_error *error) {
    stemma_sketch *query;
    stemma_near *found = NULL;
    size_t near = 0;
    stemma_status status = STEMMA_OK;
    for (int i = 1; i < count && status == STEMMA_OK; i++)
        status = add_file(paths[i], recipe, signatures, error);
    if (status == STEMMA_OK) status = stemma_sketch_file(paths[0], recipe, NULL, &query, error);
    if (status != STEMMA_OK) return status;
    uint64_t at_most = 2 * (edits * WINDOW / RATE) + WINDOW;
    status = stemma_signatures_search(signatures, query, at_most, NULL, &found, &near, error);
    for (size_t i = 0; status == STEMMA_OK && i < near; i++)
        printf("%s: %llu symbols differ\n", paths[found[i].index + 1], (unsigned long long)found[i].distance);
    if (status == STEMMA_OK) stemma_near_free(found);
    stemma_sketch_free(query);
    return status;
}

int main(int argc, char **argv) {
    stemma_error error = {STEMMA_INVALID, "usage: near_signatures EDITS QUERY FILE..."};
    stemma_recipe *recipe = NULL;
    stemma_signatures *signatures = NULL;
    stemma_status status =
        argc < 4 ? STEMMA_INVALID : stemma_recipe_parse("signature n=8 c=16", &recipe, &error);
    if (status == STEMMA_OK) status = stemma_signatures_new(recipe, 0, &signatures, &error);
    if (status == STEMMA_OK)
        status = search(strtoul(argv[1], NULL, 10), argv + 2, argc - 2, recipe, signatures, &error);
    stemma_signatures_free(signatures);
    stemma_recipe_free(recipe);
    if (status != STEMMA_OK) fprintf(stderr, "%s\n", error.message);
    return status == STEMMA_OK ? 0 : 2;
}
