/* Texts: where they agree, how far apart they are, and their fragments in files. */
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

static stemma_status run_text(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *text = UNTOUCHED;
    stemma_status status = stemma_text_file(world.text_path, recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status == STEMMA_OK) stemma_text_free(text);
    return status;
}

/* Both texts are part of the operation. */
static stemma_status align_two(const stemma_text *a, const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *b;
    stemma_alignment *alignment = UNTOUCHED;
    stemma_status status = stemma_text_bytes(world.other, TEXT_SIZE, recipe, NULL, &b, error);
    if (status != STEMMA_OK) return status;
    status = stemma_align_texts(a, b, NULL, NULL, &alignment, error);
    check_untouched(status, alignment);
    if (status == STEMMA_OK) stemma_alignment_free(alignment);
    stemma_text_free(b);
    return status;
}

static stemma_status run_align(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *a;
    stemma_status status = stemma_text_bytes(world.text, TEXT_SIZE, recipe, NULL, &a, error);
    if (status != STEMMA_OK) return status;
    status = align_two(a, recipe, error);
    stemma_text_free(a);
    return status;
}

/* In characters: the words of the recipe are folded. */
static stemma_status run_edit(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *a, *b;
    stemma_edit edit = {.blocks = 77};
    stemma_status status = stemma_text_bytes(world.text, TEXT_SIZE, recipe, NULL, &a, error);
    if (status != STEMMA_OK) return status;
    status = stemma_text_bytes(world.text, TEXT_SIZE / 2, recipe, NULL, &b, error);
    if (status == STEMMA_OK) {
        status = stemma_edit_texts(a, b, NULL, NULL, NULL, &edit, error);
        assert_int_equal(status == STEMMA_OK, edit.blocks != 77);
        stemma_text_free(b);
    }
    stemma_text_free(a);
    return status;
}

static stemma_status edit_texts(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_edit);
}

static stemma_status text_file(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_text);
}

/* Pieces of the text are in the other one, and in the large one none are. */
static stemma_status run_find(const stemma_recipe *recipe, stemma_error *error) {
    stemma_finder *finder = UNTOUCHED;
    stemma_findings *findings = UNTOUCHED;
    stemma_target targets[] = {{.path = world.text_path}, {NULL, world.large, TEXT_SIZE}};
    stemma_find_options options = stemma_find_options_default();
    options.block = 1000;
    stemma_status status = stemma_finder_new(targets, 2, recipe, &options, NULL, &finder, error);
    check_untouched(status, finder);
    if (status != STEMMA_OK) return status;
    status = stemma_find_file(finder, world.other_path, NULL, &findings, error);
    check_untouched(status, findings);
    if (status == STEMMA_OK) {
        assert_true(stemma_findings_summary(findings).fragments > 0);
        stemma_findings_free(findings);
    }
    stemma_finder_free(finder);
    return status;
}

static bool take_found(void *context, const stemma_found *found) {
    *(uint64_t *)context += stemma_findings_summary(found->findings).fragments;
    return true;
}

static stemma_status run_find_documents(const stemma_recipe *recipe, stemma_error *error) {
    stemma_finder *finder;
    stemma_target target = {.path = world.text_path};
    uint64_t fragments = 0;
    stemma_status status = stemma_finder_new(&target, 1, recipe, NULL, NULL, &finder, error);
    if (status != STEMMA_OK) return status;
    status = stemma_find_documents(finder, world.other_path, true, NULL, take_found, NULL, &fragments, error);
    assert_true(status != STEMMA_OK || fragments > 0);
    stemma_finder_free(finder);
    return status;
}

static stemma_status find_documents(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_find_documents);
}

static stemma_status find(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_find);
}

static stemma_status align_texts(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_align);
}

/* As many bytes of both texts as the argument says after its first letter; for characters, with one that is
 * not ASCII. */
struct edited {
    char a[4000], b[4000];
    size_t size;
    stemma_edit_unit unit;
};

static struct edited edited(const char *argument) {
    struct edited e = {.size = strtoul(argument + 1, NULL, 10)};
    memcpy(e.a, world.text, e.size);
    memcpy(e.b, world.other + TEXT_SIZE / 4, e.size);
    if (*argument == 'b') return e;
    e.unit = STEMMA_EDIT_CHARACTERS;
    e.a[0] = (char)0xff;
    return e;
}

static stemma_status edit_distance(const char *argument, stemma_error *error) {
    uint64_t distance = 77;
    struct edited e = edited(argument);
    stemma_status status =
        stemma_distance(e.a, e.size, e.b, e.size, e.unit, UINT64_MAX, NULL, &distance, error);
    assert_int_equal(distance == 77, status != STEMMA_OK);
    return status;
}

static stemma_status edit_script(const char *argument, stemma_error *error) {
    stemma_script *script = UNTOUCHED;
    struct edited e = edited(argument);
    stemma_status status =
        stemma_script_new(e.a, e.size, e.b, e.size, e.unit, UINT64_MAX, NULL, &script, error);
    check_untouched(status, script);
    if (status == STEMMA_OK) stemma_script_free(script);
    return status;
}

/* Every kind; the argument's number. */
static stemma_status mutate_text(const char *argument, stemma_error *error) {
    stemma_mutated *mutated = UNTOUCHED;
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = (stemma_mutation_kind)atoi(argument);
    mutation.blocks = 3;
    mutation.other = world.other;
    mutation.other_size = TEXT_SIZE;
    stemma_status status = stemma_mutate(world.text, 3000, &mutation, &mutated, error);
    check_untouched(status, mutated);
    if (status == STEMMA_OK) stemma_mutated_free(mutated);
    return status;
}

const struct operation aligning_operations[] = {
    {"mutate: insert", mutate_text, "0"},
    {"mutate: cut", mutate_text, "6"},
    {"mutate: insert random", mutate_text, "7"},
    {"mutate: insert foreign", mutate_text, "8"},
    {"mutate: embed", mutate_text, "10"},
    {"mutate: shuffle", mutate_text, "11"},
    {"mutate: rewrap", mutate_text, "12"},
    {"mutate: ocr", mutate_text, "15"},
    {"text with offsets", text_file, "preset=text"},
    {"find words", find, ""},
    {"find in documents", find_documents, ""},
    {"find bytes", find, "preset=raw unit=byte window=20"},
    {"edit distance, close", edit_distance, "b300"},
    {"edit distance, far", edit_distance, "b4000"},
    {"edit distance, characters", edit_distance, "c2000"},
    {"edit script", edit_script, "b2000"},
    {"edit script, characters", edit_script, "c1000"},
    {"edit distance of documents", edit_texts, ""},
    {"align words", align_texts, ""},
    {"align bytes", align_texts, "preset=raw unit=byte"},
    {NULL, NULL, NULL},
};
