/*
 * Two documents, aligned under any recipe: putting the differences in their places turns one into the other,
 * passages are equal, apart and sorted, and every place lies within its document.
 *
 * Input: one byte that chooses the recipe, one for the least passage, then the documents with "|||"
 * between them.
 */
#include "fuzz.h"

#include "stemma.h"

static const char *const recipes[] = {
    "",
    "preset=raw unit=byte",
    "unit=char",
    "preset=code unit=line",
    "preset=raw unit=line",
    "fold=nfc+space unit=word",
};

static void check_equal(const stemma_text *a, size_t in_a, const stemma_text *b, size_t in_b) {
    stemma_token x, y;
    size_t size;
    REQUIRE(!stemma_text_token(a, in_a, &x, NULL) && !stemma_text_token(b, in_b, &y, NULL));
    REQUIRE(x.end - x.begin == y.end - y.begin);
    REQUIRE(
        !memcmp(stemma_text_data(a, &size) + x.begin, stemma_text_data(b, &size) + y.begin, x.end - x.begin));
}

static void check_place(const stemma_text *text, const stemma_place *place) {
    size_t size;
    stemma_text_source(text, &size);
    REQUIRE(place->begin <= place->end && place->end <= size);
    REQUIRE(place->first_line >= 1 && place->first_line <= place->last_line);
    REQUIRE(place->last_line <= stemma_text_line(text, size));
    REQUIRE(place->first_token <= place->end_token && place->end_token <= stemma_text_token_count(text));
}

static void check_differences(const stemma_text *a, const stemma_text *b, const stemma_alignment *alignment) {
    size_t count, in_a = 0, in_b = 0, a_count = stemma_text_token_count(a),
                  b_count = stemma_text_token_count(b);
    const stemma_difference *differences = stemma_alignment_differences(alignment, &count);
    for (size_t i = 0; i < count; i++) {
        const stemma_difference *d = &differences[i];
        check_place(a, &d->a);
        check_place(b, &d->b);
        REQUIRE(d->a.first_token >= in_a && d->a.first_token - in_a == d->b.first_token - in_b);
        REQUIRE((d->a.first_token == d->a.end_token) == (d->kind == STEMMA_CHANGE_INSERT));
        REQUIRE((d->b.first_token == d->b.end_token) == (d->kind == STEMMA_CHANGE_DELETE));
        while (in_a < d->a.first_token) check_equal(a, in_a++, b, in_b++);
        in_a = d->a.end_token;
        in_b = d->b.end_token;
    }
    REQUIRE(a_count - in_a == b_count - in_b);
    while (in_a < a_count) check_equal(a, in_a++, b, in_b++);
}

static void check_shared(const stemma_text *a, const stemma_text *b, const stemma_alignment *alignment,
                         size_t least) {
    size_t count;
    const stemma_passage *shared = stemma_alignment_shared(alignment, &count);
    bool *taken = calloc(stemma_text_token_count(b) + 1, sizeof *taken);
    REQUIRE(taken);
    for (size_t i = 0; i < count; i++) {
        const stemma_passage *p = &shared[i];
        check_place(a, &p->a);
        check_place(b, &p->b);
        REQUIRE(p->tokens >= least && (i == 0 || p->tokens <= shared[i - 1].tokens));
        REQUIRE(p->a.end_token - p->a.first_token == p->tokens &&
                p->b.end_token - p->b.first_token == p->tokens);
        for (size_t k = 0; k < p->tokens; k++) {
            check_equal(a, p->a.first_token + k, b, p->b.first_token + k);
            REQUIRE(!taken[p->b.first_token + k]);
            taken[p->b.first_token + k] = true;
        }
    }
    free(taken);
}

/* NULL where bytes say what they are and are not: a broken archive, say. */
static stemma_text *text_of(const uint8_t *bytes, size_t size, const stemma_recipe *recipe) {
    stemma_text *text = NULL;
    stemma_status status = stemma_text_bytes(bytes, size, recipe, NULL, &text, NULL);
    REQUIRE(!status || status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED);
    return text;
}

static void align(const stemma_text *a, const stemma_text *b, size_t least) {
    stemma_align_options options = {.size = sizeof options, .least = least};
    stemma_alignment *alignment;
    REQUIRE(!stemma_align_texts(a, b, &options, NULL, &alignment, NULL));
    check_differences(a, b, alignment);
    check_shared(a, b, alignment, least);
    stemma_alignment_free(alignment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    stemma_recipe *recipe;
    REQUIRE(!stemma_recipe_parse(recipes[data[0] % (sizeof recipes / sizeof recipes[0])], &recipe, NULL));
    struct documents d = split_documents(data + 2, size - 2);
    stemma_text *a = text_of(d.a, d.a_size, recipe);
    stemma_text *b = text_of(d.b, d.b_size, recipe);
    if (a && b) align(a, b, data[1] % 12 + 1u);
    stemma_text_free(a);
    stemma_text_free(b);
    stemma_recipe_free(recipe);
    return 0;
}
