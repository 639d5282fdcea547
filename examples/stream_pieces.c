/* A document that comes in pieces, on standard input, and never is in memory as a whole.
 *
 * How it is cut makes no difference: here the pieces are absurdly small to show it. */
#include <stdio.h>
#include <stemma.h>

static stemma_status sketch_stream(FILE *input, const stemma_recipe *recipe, stemma_sketch **out,
                                   stemma_error *error) {
    char piece[7];
    size_t size;
    stemma_sketcher *sketcher;
    stemma_status status = stemma_sketcher_new(recipe, "standard input", NULL, &sketcher, error);
    if (status != STEMMA_OK) return status;
    while (status == STEMMA_OK && (size = fread(piece, 1, sizeof piece, input)) > 0)
        status = stemma_sketcher_add(sketcher, piece, size, error);
    if (status == STEMMA_OK) status = stemma_sketcher_finish(sketcher, out, error);
    stemma_sketcher_free(sketcher);
    return status;
}

static void print_sketch(const stemma_sketch *sketch) {
    stemma_document_info info = stemma_sketch_info(sketch);
    stemma_sketch_part part;
    printf("%s: %llu bytes, %llu words, digest ", info.name, (unsigned long long)info.bytes,
           (unsigned long long)info.tokens);
    for (int i = 0; i < 8; i++) printf("%02x", info.digest[i]);
    printf("\n");
    for (size_t i = 0; stemma_sketch_get_part(sketch, i, &part, NULL) == STEMMA_OK; i++)
        printf("part %zu: %s, %zu values, %zu bits\n", i, part.scheme, part.value_count, part.bit_count);
}

int main(void) {
    stemma_recipe *recipe;
    stemma_sketch *sketch;
    stemma_error error;
    if (stemma_recipe_parse("window=3; min n=32; oph n=64 bits=2", &recipe, &error) != STEMMA_OK ||
        sketch_stream(stdin, recipe, &sketch, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    print_sketch(sketch);
    stemma_sketch_free(sketch);
    stemma_recipe_free(recipe);
    return 0;
}
