/* Sketch documents, forget them, compare them later.     sketch_and_forget BUNDLE
 *
 * The sketches of many documents go into one file, a bundle; comparing needs nothing else. */
#include <stdio.h>
#include <stemma.h>
#include <string.h>

static const char *const documents[][2] = {
    {"draft", "The meeting on Monday agreed to move the archive to the new building before the winter."},
    {"final", "The meeting on Monday agreed to move the archive to the new building before the spring."},
    {"other", "Bread needs flour, water, salt and time; of these time is the one that nobody sells."},
};
enum { COUNT = sizeof documents / sizeof documents[0] };

static stemma_status write_bundle(const char *path, const stemma_recipe *recipe, stemma_error *error) {
    stemma_writer *writer;
    stemma_status status = stemma_writer_open(path, &writer, error);
    if (status != STEMMA_OK) return status;
    for (int i = 0; i < COUNT && status == STEMMA_OK; i++) {
        const char *name = documents[i][0], *text = documents[i][1];
        stemma_sketch *sketch = NULL;
        status = stemma_sketch_bytes(text, strlen(text), name, recipe, NULL, &sketch, error);
        if (status == STEMMA_OK) status = stemma_writer_add(writer, sketch, error);
        stemma_sketch_free(sketch);
    }
    if (status == STEMMA_OK) return stemma_writer_close(writer, error);
    stemma_writer_abandon(writer); /* no file appears */
    return status;
}

static stemma_status compare_bundle(const char *path, stemma_error *error) {
    stemma_sketch *sketches[COUNT] = {0};
    stemma_reader *reader;
    stemma_status status = stemma_reader_open(path, &reader, error);
    if (status != STEMMA_OK) return status;
    for (int i = 0; i < COUNT && status == STEMMA_OK; i++)
        status = stemma_reader_next(reader, &sketches[i], error);
    stemma_reader_free(reader); /* sketches live on */
    for (int i = 1; i < COUNT && status == STEMMA_OK; i++) {
        stemma_comparison found;
        status = stemma_compare_sketches(sketches[0], sketches[i], NULL, &found, error);
        if (status == STEMMA_OK)
            printf("draft and %s: about %.2f, %s\n", stemma_sketch_info(sketches[i]).name,
                   found.resemblance.value, stemma_relation_name(found.relation));
    }
    for (int i = 0; i < COUNT; i++) stemma_sketch_free(sketches[i]);
    return status;
}

int main(int argc, char **argv) {
    stemma_recipe *recipe;
    stemma_error error = {STEMMA_INVALID, "usage: sketch_and_forget BUNDLE"};
    stemma_status status =
        argc == 2 ? stemma_recipe_parse("window=2; min n=64", &recipe, &error) : STEMMA_INVALID;
    if (status == STEMMA_OK) {
        status = write_bundle(argv[1], recipe, &error);
        stemma_recipe_free(recipe); /* the bundle carries it */
        if (status == STEMMA_OK) status = compare_bundle(argv[1], &error);
    }
    if (status != STEMMA_OK) fprintf(stderr, "%s\n", error.message);
    return status == STEMMA_OK ? 0 : 2;
}
