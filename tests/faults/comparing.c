/* Two documents: comparisons, estimates, overlaps. */
#include "align/signature/edit_regions.h"
#include "align/signature/estimated.h"
#include "base/rng.h"
#include "estimate/overlap.h"
#include "kernels/kernels.h"
#include "shingle/whole.h"
#include "sketch/recipe.h"

#include <string.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

/* A comparison is a value, not a pointer: all of its bytes must stay. */
struct comparing {
    stemma_comparison found, before;
};

static struct comparing comparing(void) {
    struct comparing both;
    memset(&both, 0xa5, sizeof both);
    return both;
}

static stemma_status compared(stemma_status status, const struct comparing *both) {
    if (status != STEMMA_OK) assert_memory_equal(&both->found, &both->before, sizeof both->found);
    return status;
}

static stemma_status run_compare_bytes(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status = stemma_compare_bytes(world.text, TEXT_SIZE, world.other, TEXT_SIZE, recipe, NULL,
                                                NULL, &both.found, error);
    return compared(status, &both);
}

static stemma_status run_compare_files(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status =
        stemma_compare_files(world.text_path, world.other_path, recipe, NULL, NULL, &both.found, error);
    return compared(status, &both);
}

static stemma_status run_compare_spilling(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status = stemma_compare_files(world.large_path, world.text_path, recipe, NULL,
                                                &world.spilling, &both.found, error);
    return compared(status, &both);
}

static stemma_status compare_bytes(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_bytes);
}

static stemma_status compare_files(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_files);
}

static stemma_status compare_spilling(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_spilling);
}

static stemma_status compare_sketches(const char *unused, stemma_error *error) {
    (void)unused;
    struct comparing both = comparing();
    return compared(stemma_compare_sketches(world.sketch, world.other_sketch, NULL, &both.found, error),
                    &both);
}

/* Signatures at two rates, so that one is made coarser; "runs":
 * so few symbols that runs of them are chained. */
static stemma_status estimate_signatures(const char *how, stemma_error *error) {
    enum { SYMBOLS = 600 };
    static uint16_t fine[SYMBOLS], other[SYMBOLS];
    uint64_t rng = 1;
    bool runs = strcmp(how, "runs") == 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        fine[i] = (uint16_t)(runs ? rng_below(&rng, 4) : 2 * rng_below(&rng, 32768));
        other[i] = (uint16_t)(i / 50 == 3 ? rng_below(&rng, 4) : runs ? fine[i] : fine[i] / 2);
    }
    struct signature a = {.symbols = fine, .count = SYMBOLS, .length = 40000, .agree = .07, .n = 8, .c = 64};
    a.alphabet = runs ? 4 : 65536;
    struct signature b = a;
    b.symbols = other;
    if (!runs) b.c = 128, b.alphabet = 32768;
    struct edit_estimate estimate = {.blocks = 77};
    stemma_status status = estimate_edit(&a, &b, &estimate, error);
    if (status != STEMMA_OK) assert_int_equal(estimate.blocks, 77);
    if (status != STEMMA_OK) return status;
    struct edit_regions regions = {.count = 77};
    status = find_edit_regions(&a, &b, &regions, error);
    if (status == STEMMA_OK)
        edit_regions_release(&regions);
    else
        assert_int_equal(regions.count, 77);
    return status;
}

static stemma_status canonical(struct whole *whole, const char *text, const uint8_t **out, size_t *size,
                               stemma_error *error) {
    return whole_canon(whole, (const uint8_t *)text, TEXT_SIZE, out, size, error);
}

static stemma_status overlap_texts(struct overlap_base *base, struct whole *a, struct whole *b,
                                   stemma_error *error) {
    const uint8_t *text, *other;
    size_t size, other_size;
    struct overlap out = {.common = 77}, ignored;
    stemma_status status = canonical(a, world.text, &text, &size, error);
    if (status == STEMMA_OK) status = canonical(b, world.other, &other, &other_size, error);
    const struct overlap_aim aim = {.7, .9};
    bool hopeless;
    if (status != STEMMA_OK) return status;
    overlap_base_set(base, text, size);
    status = overlap_with(base, other, other_size / 2, &aim, &ignored, &hopeless, error);
    if (status == STEMMA_OK) status = overlap_with(base, other, other_size, NULL, &out, NULL, error);
    assert_int_equal(out.common == 77, status != STEMMA_OK);
    return status;
}

static stemma_status run_overlap(const stemma_recipe *recipe, stemma_error *error) {
    struct whole *a = NULL, *b = NULL;
    struct overlap_base *base = NULL;
    stemma_status status = whole_new(&recipe->view, &recipe->tables, &a, error);
    if (status == STEMMA_OK) status = whole_new(&recipe->view, &recipe->tables, &b, error);
    if (status == STEMMA_OK) status = overlap_base_new(&recipe->view, &recipe->tables, &base, error);
    if (status == STEMMA_OK) status = overlap_texts(base, a, b, error);
    overlap_base_free(base);
    whole_free(a);
    whole_free(b);
    return status;
}

static stemma_status overlap(const char *text, stemma_error *error) {
    return with_recipe(text, error, run_overlap);
}

const struct operation comparing_operations[] = {
    {"compare bytes, words", compare_bytes, ""},
    {"compare bytes, Rabin", compare_bytes, "preset=raw unit=byte window=20 hash=rabin"},
    {"compare bytes, labelled", compare_bytes, "labelled=yes"},
    {"compare files, words", compare_files, ""},
    {"compare files, lines", compare_files, "preset=code unit=line window=2"},
    {"compare files, spilling", compare_spilling, "preset=raw unit=byte window=20"},
    {"compare files, labelled, spilling", compare_spilling, "preset=raw unit=byte window=20 labelled=yes"},
    {"compare sketches", compare_sketches, ""},
    {"estimate from signatures", estimate_signatures, ""},
    {"estimate from signatures, by runs", estimate_signatures, "runs"},
    {"overlap, words", overlap, ""},
    {"overlap, bytes", overlap, "preset=raw unit=byte window=20 hash=rabin"},
    {"overlap, labelled", overlap, "unit=line window=2 labelled=yes"},
    {"compare signatures", compare_sketches, "signature c=8"},
    {NULL, NULL, NULL},
};
