/*
 * Signatures as a collection keeps them: bytes for ever, as good as those of the documents themselves, and of
 * no harm when they are damaged.
 *
 *   STEMMA_REGENERATE=1 test_stored_signature     writes the golden cells anew
 */
#include "align/distance/distance.h"
#include "align/signature/estimated.h"
#include "base/rng.h"
#include "effort.h"
#include "english.h"
#include "index/stored_signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct stemma_recipe *recipe_of(const char *text) {
    struct stemma_recipe *recipe;
    assert_int_equal(recipe_parse(text, strlen(text), &recipe, NULL), STEMMA_OK);
    return recipe;
}

static struct signature_form form_of(uint32_t symbols) {
    struct schema schema;
    struct signature_form form;
    assert_int_equal(schema_init(&schema, "", NULL), STEMMA_OK);
    assert_int_equal(signature_add_part(&schema, symbols, NULL), STEMMA_OK);
    assert_int_equal(signature_find_part(&schema, &form), 0);
    schema_release(&schema);
    return form;
}

static struct buf cell_of(const struct stemma_recipe *recipe, const struct signature_form *form,
                          const void *text, size_t size) {
    struct text_signer *signer;
    const struct kept_windows *kept;
    struct buf cell = {0};
    assert_int_equal(signature_maker_for(form, &recipe->view, &signer, NULL), STEMMA_OK);
    assert_int_equal(text_signer_text(signer, text, size, &kept, NULL), STEMMA_OK);
    assert_int_equal(stored_signature_pack(form, kept, &cell, NULL), STEMMA_OK);
    text_signer_free(signer);
    return cell;
}

/* Words of English, lower case, one space between them: canonical already. */
static size_t plain_text(uint8_t *text, size_t size, uint64_t seed) {
    size_t made = 0;
    english(text, size, seed);
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (made && text[made - 1] != ' ')) text[made++] = letter ? c | 0x20 : ' ';
    }
    if (made && text[made - 1] == ' ') made--;
    return made;
}

/* ---- the part ---- */

static void test_form(void **state) {
    static const uint32_t refused[] = {0, 1, 8, 15, 17, 100, 65535, 131072};
    struct schema schema;
    struct signature_form form;
    (void)state;
    assert_int_equal(schema_init(&schema, "", NULL), STEMMA_OK);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(signature_add_part(&schema, refused[i], NULL), STEMMA_INVALID);
    assert_int_equal(signature_find_part(&schema, &form), -1);
    schema_release(&schema);
    form = form_of(64);
    assert_true(form.n == 8 && form.rate == 32 && form.alphabet == 4096 && form.most == 64);
    assert_int_equal(form_of(65536).most, 65536);
    /* of which no signature can be read */
    static const uint32_t specs[] = {0,          8,          0x060c0400, 0x060c0441,
                                     0x060c1508, 0x06070408, 0x06110408, 0x110c0408};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        assert_false(signature_form_of(&(struct part){KIND_SIGNATURE, specs[i], FORM_TEXT, 16}, &form));
    assert_true(signature_form_of(&(struct part){KIND_SIGNATURE, 0x060c0408, FORM_TEXT, 16}, &form));
    assert_false(signature_form_of(&(struct part){KIND_SAMPLES, 0x060c0408, FORM_TEXT, 16}, &form));
}

/* ---- cells ---- */

/* The signature that `stemma sketch` makes of the document at the rate of the cell. */
static stemma_sketch *sketch_at(const char *view, const struct signature *at, const void *text, size_t size) {
    char spec[200];
    stemma_recipe *recipe;
    stemma_sketch *sketch;
    snprintf(spec, sizeof spec, "%s; signature n=%u c=%u alphabet=%u", view, at->n, at->c, at->alphabet);
    assert_int_equal(stemma_recipe_parse(spec, &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_bytes(text, size, "", recipe, NULL, &sketch, NULL), STEMMA_OK);
    stemma_recipe_free(recipe);
    return sketch;
}

static struct signature signature_in(const stemma_sketch *sketch) {
    stemma_sketch_part part;
    assert_int_equal(stemma_sketch_get_part(sketch, 0, &part, NULL), STEMMA_OK);
    return (struct signature){.symbols = part.symbols,
                              .count = part.symbol_count,
                              .length = part.length,
                              .agree = part.agree,
                              .n = part.n,
                              .c = part.c,
                              .alphabet = part.alphabet};
}

static void assert_same_signature(const struct signature *a, const struct signature *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->length, b->length);
    assert_true(a->agree == b->agree);
    for (size_t i = 0; i < a->count; i++) assert_int_equal(a->symbols[i], b->symbols[i]);
}

struct unpacked {
    struct buf cell;
    struct signature_data data;
    struct signature signature;
};

static struct unpacked stored(const struct stemma_recipe *recipe, const struct signature_form *form,
                              const void *text, size_t size) {
    struct unpacked u = {.cell = cell_of(recipe, form, text, size)};
    assert_int_equal(
        stored_signature_unpack(form, (struct cell){u.cell.data, u.cell.len}, &u.data, &u.signature, NULL),
        STEMMA_OK);
    return u;
}

static void unpacked_release(struct unpacked *u) {
    buf_release(&u->cell);
    signature_data_release(&u->data);
}

/* Whatever its length, a text takes few bytes, and the estimate from what is kept of two of them is the one
 * from their own signatures at the same resolution. */
static void test_as_good_as_their_own(void **state) {
    static const char *const views[] = {"", "preset=raw unit=byte", "unit=char window=9 seed=5"};
    static const uint32_t symbols[] = {16, 64, 1024};
    static uint8_t text[60000], other[60000];
    uint64_t rng = 1;
    (void)state;
    for (size_t round = 0; round < effort(300); round++) {
        const char *view = views[round % 3];
        struct stemma_recipe *recipe = recipe_of(view);
        const struct signature_form form = form_of(symbols[round / 3 % 3]);
        const size_t room = 20 + rng_below(&rng, round % 5 ? 3000 : sizeof text - 20);
        const size_t size = plain_text(text, room, rng_next(&rng));
        memcpy(other, text, size);
        for (size_t i = 0; i < size; i += 1 + rng_below(&rng, 200)) other[i] = 'x';
        size_t other_size = size - rng_below(&rng, size / 8 + 1);
        while (other_size && other[other_size - 1] == ' ') other_size--;
        struct unpacked a = stored(recipe, &form, text, size), b = stored(recipe, &form, other, other_size);
        assert_true(a.signature.count <= form.most);
        assert_true(a.cell.len <= 1 + 3 + 2 + (form.most * 12 + 7) / 8);
        stemma_sketch *own_a = sketch_at(view, &a.signature, text, size),
                      *own_b = sketch_at(view, &b.signature, other, other_size);
        struct signature x = signature_in(own_a), y = signature_in(own_b);
        assert_same_signature(&a.signature, &x);
        assert_same_signature(&b.signature, &y);
        struct edit_estimate by_cells, by_sketches;
        assert_int_equal(estimate_edit(&a.signature, &b.signature, &by_cells, NULL), STEMMA_OK);
        assert_int_equal(estimate_edit(&x, &y, &by_sketches, NULL), STEMMA_OK);
        assert_true(by_cells.distance.value == by_sketches.distance.value &&
                    by_cells.distance.low == by_sketches.distance.low &&
                    by_cells.distance.high == by_sketches.distance.high &&
                    by_cells.kind == by_sketches.kind && by_cells.p_unrelated == by_sketches.p_unrelated);
        stemma_sketch_free(own_a);
        stemma_sketch_free(own_b);
        unpacked_release(&a);
        unpacked_release(&b);
        recipe_release(recipe);
    }
}

/* ---- estimates ---- */

struct change {
    stemma_mutation_kind kind;
    double share;
    uint32_t blocks;
};

/* Scattered edits, and blocks, up to what still resembles. */
static const struct change changes[] = {{STEMMA_MUTATE_SUBSTITUTE, .002, 1},
                                        {STEMMA_MUTATE_SUBSTITUTE, .01, 1},
                                        {STEMMA_MUTATE_SUBSTITUTE, .03, 1},
                                        {STEMMA_MUTATE_INSERT, .02, 1},
                                        {STEMMA_MUTATE_REMOVE_WORDS, .02, 1},
                                        {STEMMA_MUTATE_OCR, .01, 1},
                                        {STEMMA_MUTATE_CUT, .05, 1},
                                        {STEMMA_MUTATE_CUT, .2, 3},
                                        {STEMMA_MUTATE_INSERT_FOREIGN, .05, 1},
                                        {STEMMA_MUTATE_INSERT_FOREIGN, .2, 2}};

/* Whether the interval holds the true distance. */
static bool covers(const struct stemma_recipe *recipe, const struct signature_form *form, const uint8_t *text,
                   size_t size, const stemma_mutation *mutation) {
    const struct distance_limits limits = {UINT64_MAX, UINT64_MAX, (size_t)1 << 30, NULL};
    struct distance_result exact;
    struct edit_estimate estimate;
    stemma_mutated *made;
    size_t made_size;
    assert_int_equal(stemma_mutate(text, size, mutation, &made, NULL), STEMMA_OK);
    const char *changed = stemma_mutated_text(made, &made_size);
    assert_int_equal(distance_bytes(text, size, (const uint8_t *)changed, made_size, &limits, &exact, NULL),
                     STEMMA_OK);
    struct unpacked a = stored(recipe, form, text, size), b = stored(recipe, form, changed, made_size);
    assert_int_equal(estimate_edit(&a.signature, &b.signature, &estimate, NULL), STEMMA_OK);
    assert_true(estimate.distance.known);
    unpacked_release(&a);
    unpacked_release(&b);
    stemma_mutated_free(made);
    return estimate.distance.low <= (double)exact.distance &&
           (double)exact.distance <= estimate.distance.high;
}

static void test_intervals_hold_the_distance(void **state) {
    static const size_t sizes[] = {900, 2000, 8000, 30000};
    static uint8_t text[40000], other[40000];
    const struct signature_form form = form_of(64);
    struct stemma_recipe *recipe = recipe_of("preset=raw unit=byte");
    size_t held = 0, all = 0;
    uint64_t rng = 2;
    (void)state;
    for (size_t round = 0; round < effort(25); round++) {
        const size_t other_size = plain_text(other, sizeof other, rng_next(&rng));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t size = plain_text(text, sizes[s], rng_next(&rng));
            for (size_t c = 0; c < sizeof changes / sizeof *changes; c++, all++) {
                stemma_mutation mutation = stemma_mutation_default();
                mutation.kind = changes[c].kind;
                mutation.share = changes[c].share;
                mutation.blocks = changes[c].blocks;
                mutation.seed = rng_next(&rng);
                mutation.other = other;
                mutation.other_size = other_size;
                held += covers(recipe, &form, text, size, &mutation);
            }
        }
    }
    recipe_release(recipe);
    print_message("%zu of %zu intervals hold the distance\n", held, all);
    if (effort_is_full()) assert_true((double)held >= .93 * (double)all);
}

/* ---- bytes ---- */

/* What is no cell is said to be so; what is one, however it came about, can be compared. */
static void try(const struct signature_form *form, const uint8_t *bytes, size_t size) {
    struct signature_data data = {0};
    struct signature signature;
    struct edit_estimate estimate;
    stemma_error error = {0};
    uint8_t *exactly = malloc(size + !size);
    memcpy(exactly, bytes, size);
    stemma_status status =
        stored_signature_unpack(form, (struct cell){exactly, size}, &data, &signature, &error);
    if (status == STEMMA_OK)
        assert_int_equal(estimate_edit(&signature, &signature, &estimate, NULL), STEMMA_OK);
    else
        assert_true(status == STEMMA_CORRUPT && strstr(error.message, "a stored signature is damaged: "));
    signature_data_release(&data);
    free(exactly);
}

static void test_damaged(void **state) {
    static uint8_t text[3000];
    const struct signature_form form = form_of(64);
    struct stemma_recipe *recipe = recipe_of("");
    uint64_t rng = 3;
    (void)state;
    struct buf cell = cell_of(recipe, &form, text, plain_text(text, sizeof text, 1));
    for (size_t bit = 0; bit < 8 * cell.len; bit++) {
        cell.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        try(&form, cell.data, cell.len);
        cell.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size <= cell.len; size++) try(&form, cell.data, size);
    for (size_t round = 0; round < effort(3000); round++) {
        uint8_t any[40];
        const size_t size = rng_below(&rng, sizeof any);
        for (size_t i = 0; i < size; i++) any[i] = (uint8_t)rng_next(&rng);
        if (size) any[0] = (uint8_t)rng_below(&rng, 34);
        try(&form, any, size);
    }
    buf_release(&cell);
    recipe_release(recipe);
}

/* Each for one reason. */
static void test_refused(void **state) {
    static const struct {
        const char *hex, *why;
    } cells[] = {{"", "it is empty"},
                 {"0400", "no such rate"},
                 {"2000", "no such rate"},
                 {"05", "no such length"},
                 {"0580", "no such length"},
                 {"058000", "no such length"},
                 {"0509", "it is cut off"},
                 {"050900", "it is cut off"},
                 {"0509010011", "bytes behind its symbols"},
                 {"050901000110", "bits behind its symbols"},
                 {"050901000000000000", "more symbols than windows"},
                 {"05090000", "no such text"},
                 {"05000100", "no such text"}};
    const struct signature_form form = form_of(16);
    struct signature_data data = {0};
    struct signature signature;
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        uint8_t bytes[32];
        const size_t size = strlen(cells[i].hex) / 2;
        stemma_error error = {0};
        for (size_t b = 0; b < size; b++) sscanf(cells[i].hex + 2 * b, "%2hhx", &bytes[b]);
        assert_int_equal(
            stored_signature_unpack(&form, (struct cell){bytes, size}, &data, &signature, &error),
            STEMMA_CORRUPT);
        if (!strstr(error.message, cells[i].why)) fail_msg("%s: %s", cells[i].hex, error.message);
    }
    uint8_t many[7 + 26] = {5, 0xff, 1, 1, 0}; /* 17 symbols of a text of 255 characters */
    stemma_error error = {0};
    assert_int_equal(stored_signature_unpack(&form, (struct cell){many, 5 + 26}, &data, &signature, &error),
                     STEMMA_CORRUPT);
    assert_non_null(strstr(error.message, "too many symbols"));
    signature_data_release(&data);
}

/* ---- for ever ---- */

/* Words of several scripts, canonical already. */
static size_t mixed_text(uint8_t *text, size_t size, uint64_t seed) {
    static const char *const words[] = {"the ",
                                        "stra\xc3\x9f"
                                        "e ",
                                        "\xe4\xb8\xad \xe6\x96\x87 ",
                                        "\xd0\xbc\xd0\xb8\xd1\x80 ",
                                        "\xe0\xb8\x81 ",
                                        "2024 "};
    size_t made = 0;
    for (const char *word = words[0]; made + strlen(word) <= size; word = words[rng_below(&seed, 6)]) {
        memcpy(text + made, word, strlen(word));
        made += strlen(word);
    }
    return made ? made - 1 : 0; /* no space at the end */
}

static void make_lines(struct buf *out) {
    static const char *const views[] = {"", "preset=raw unit=byte", "preset=code unit=line window=2 seed=7"};
    static const size_t sizes[] = {0, 5, 100, 2000, 20000};
    static uint8_t text[20001];
    for (size_t v = 0; v < sizeof views / sizeof *views; v++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct stemma_recipe *recipe = recipe_of(views[v]);
            const struct signature_form form = form_of(s % 2 ? 64 : 16);
            const size_t size = (v ? plain_text : mixed_text)(text, sizes[s], 40 + s);
            struct buf cell = cell_of(recipe, &form, text, size);
            for (size_t i = 0; i < cell.len; i++) assert_true(buf_add_format(out, "%02x", cell.data[i]));
            assert_true(buf_add_format(out, "  %zu bytes, %s\n", size, views[v]));
            buf_release(&cell);
            recipe_release(recipe);
        }
}

static void test_golden(void **state) {
    static char was[1 << 16];
    static const char path[] = GOLDEN_DIR "/signatures.txt";
    struct buf lines = {0};
    (void)state;
    make_lines(&lines);
    FILE *file = getenv("STEMMA_REGENERATE") ? fopen(path, "wb") : NULL;
    if (file) {
        assert_int_equal(fwrite(lines.data, 1, lines.len, file), lines.len);
        fclose(file);
    }
    file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(was, 1, sizeof was, file);
    fclose(file);
    assert_int_equal(size, lines.len);
    assert_memory_equal(was, lines.data, size);
    buf_release(&lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_as_good_as_their_own),
        cmocka_unit_test(test_intervals_hold_the_distance),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
