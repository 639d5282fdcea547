/* Recipes and sketches: making, keeping, reading and searching them. */
#include <string.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

static stemma_status parse(const char *text, stemma_error *error) {
    stemma_recipe *recipe = UNTOUCHED;
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    check_untouched(status, recipe);
    if (status == STEMMA_OK) stemma_recipe_free(recipe);
    return status;
}

static stemma_status with_key(const char *key, stemma_error *error) {
    stemma_recipe *recipe = UNTOUCHED;
    stemma_status status = stemma_recipe_with_key(world.recipe, key, strlen(key), &recipe, error);
    check_untouched(status, recipe);
    if (status == STEMMA_OK) stemma_recipe_free(recipe);
    return status;
}

stemma_status release_sketch(stemma_status status, stemma_sketch *sketch) {
    check_untouched(status, sketch);
    if (status == STEMMA_OK) stemma_sketch_free(sketch);
    return status;
}

static stemma_status run_sketch_bytes(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_bytes(world.text, TEXT_SIZE, "text", recipe, NULL, &sketch, error);
    return release_sketch(status, sketch);
}

static stemma_status run_sketch_spilling(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_file(world.large_path, recipe, &world.spilling, &sketch, error);
    return release_sketch(status, sketch);
}

static stemma_status run_sketcher(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketcher *sketcher = UNTOUCHED;
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketcher_new(recipe, "pieces", NULL, &sketcher, error);
    check_untouched(status, sketcher);
    if (status != STEMMA_OK) return status;
    for (size_t at = 0; at < TEXT_SIZE && status == STEMMA_OK; at += TEXT_SIZE / 4)
        status = stemma_sketcher_add(sketcher, world.text + at, TEXT_SIZE / 4, error);
    if (status == STEMMA_OK) {
        status = stemma_sketcher_finish(sketcher, &sketch, error);
        release_sketch(status, sketch);
    }
    stemma_sketcher_free(sketcher);
    return status;
}

static stemma_status sketch_bytes(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketch_bytes);
}

static stemma_status sketch_spilling(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketch_spilling);
}

static stemma_status sketch_pieces(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketcher);
}

static stemma_status search_among(stemma_signatures *signatures, const stemma_sketch *query,
                                  stemma_error *error) {
    stemma_near *found = UNTOUCHED;
    size_t count;
    stemma_status status = STEMMA_OK;
    for (int i = 0; i < 3 && status == STEMMA_OK; i++)
        status = stemma_signatures_add(signatures, query, error);
    if (status != STEMMA_OK) return status;
    status = stemma_signatures_search(signatures, query, 5, NULL, &found, &count, error);
    check_untouched(status, found);
    if (status == STEMMA_OK) stemma_near_free(found);
    return status;
}

static stemma_status run_search(const stemma_recipe *recipe, stemma_error *error) {
    stemma_signatures *signatures = UNTOUCHED;
    stemma_sketch *sketch;
    stemma_status status = stemma_sketch_bytes(world.text, TEXT_SIZE, "text", recipe, NULL, &sketch, error);
    if (status != STEMMA_OK) return status;
    stemma_recipe *coarse;
    status = stemma_recipe_parse("signature n=8 c=64 alphabet=16384", &coarse, error);
    if (status == STEMMA_OK) {
        status = stemma_signatures_new(coarse, 0, &signatures, error);
        check_untouched(status, signatures);
        stemma_recipe_free(coarse);
    }
    if (status == STEMMA_OK) {
        status = search_among(signatures, sketch, error);
        stemma_signatures_free(signatures);
    }
    stemma_sketch_free(sketch);
    return status;
}

static stemma_status search_signatures(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_search);
}

static stemma_status join(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_union(world.sketch, world.other_sketch, &sketch, error);
    return release_sketch(status, sketch);
}

static stemma_status write_to(const char *path, stemma_error *error) {
    stemma_writer *writer = UNTOUCHED;
    stemma_status status = stemma_writer_open(path, &writer, error);
    check_untouched(status, writer);
    if (status != STEMMA_OK) return status;
    status = stemma_writer_add(writer, world.sketch, error);
    if (status == STEMMA_OK) status = stemma_writer_add(writer, world.other_sketch, error);
    if (status == STEMMA_OK) return stemma_writer_close(writer, error);
    stemma_writer_abandon(writer);
    return status;
}

static stemma_status write_new(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_status status = write_to(world.new_path, error);
    /* When it failed, the check for files left behind finds one that stands there nevertheless. */
    if (status == STEMMA_OK) assert_int_equal(unlink(world.new_path), 0);
    return status;
}

static stemma_status write_over(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_status status = write_to(world.bundle_path, error);
    static char now[1 << 20];
    FILE *file = fopen(world.bundle_path, "rb");
    assert_non_null(file);
    size_t size = fread(now, 1, sizeof now, file);
    fclose(file);
    assert_int_equal(size, world.bundle_size);
    assert_memory_equal(now, world.bundle, size);
    return status;
}

static stemma_status read_all(stemma_status status, stemma_reader *reader, stemma_error *error) {
    check_untouched(status, reader);
    if (status != STEMMA_OK) return status;
    for (int i = 0; i < 2 && status == STEMMA_OK; i++) {
        stemma_sketch *sketch = UNTOUCHED;
        status = stemma_reader_next(reader, &sketch, error);
        release_sketch(status, sketch);
    }
    stemma_reader_free(reader);
    return status;
}

static stemma_status read_file(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_reader *reader = UNTOUCHED;
    stemma_status status = stemma_reader_open(world.bundle_path, &reader, error);
    return read_all(status, reader, error);
}

static stemma_status read_bytes(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_reader *reader = UNTOUCHED;
    stemma_status status = stemma_reader_open_bytes(world.bundle, world.bundle_size, &reader, error);
    return read_all(status, reader, error);
}

static stemma_status is_bundle(const char *unused, stemma_error *error) {
    (void)unused;
    bool found = false;
    stemma_status status = stemma_is_bundle(world.bundle_path, &found, error);
    assert_int_equal(found, status == STEMMA_OK);
    return status;
}

const struct operation sketches_operations[] = {
    {"parse the default recipe", parse, ""},
    {"parse a recipe of every scheme", parse, every_scheme},
    {"recipe with a key", with_key, "0123456789abcdef"},
    {"sketch mod", sketch_bytes, "mod n=4"},
    {"sketch min", sketch_bytes, "min n=64"},
    {"sketch minmod", sketch_bytes, "minmod n=32 mod=2"},
    {"sketch level", sketch_bytes, "level"},
    {"sketch minhash", sketch_bytes, "minhash n=16 bits=64"},
    {"sketch minhash of 1 bit", sketch_bytes, "minhash n=64 bits=1"},
    {"sketch oph", sketch_bytes, "oph n=64 bits=64"},
    {"sketch oph of 2 bits", sketch_bytes, "oph n=64 bits=2"},
    {"sketch bsw", sketch_bytes, "bsw n=16"},
    {"sketch bsw-chunk", sketch_bytes, "bsw-chunk n=16"},
    {"sketch simhash", sketch_bytes, "simhash bits=64"},
    {"sketch signature", sketch_bytes, "signature c=4"},
    {"sketch signature with positions", sketch_bytes, "signature c=4 positions=yes"},
    {"sketch signature2011", sketch_bytes, "signature2011 c=4"},
    {"sketch every scheme", sketch_bytes, every_scheme},
    {"sketch labelled, spilling", sketch_spilling, "preset=raw unit=byte window=20 labelled=yes; mod n=64"},
    {"sketch in pieces", sketch_pieces, every_scheme},
    {"search signatures", search_signatures, "signature n=8 c=16"},
    {"union", join, ""},
    {"write a new bundle", write_new, ""},
    {"write over a bundle", write_over, ""},
    {"read a bundle", read_file, ""},
    {"read a bundle in memory", read_bytes, ""},
    {"ask for a bundle", is_bundle, ""},
    {NULL, NULL, NULL},
};
