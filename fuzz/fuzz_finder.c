/*
 * What is reported must be there: fragments come in order and lie inside both, those of raw bytes are the
 * same bytes; and the thorough search finds at least as much.
 *
 * Input: a byte that chooses the recipe, a byte for the length of the target, the target, the file.
 */
#include "fuzz.h"

#include "stemma.h"

static const char *const recipes[] = {"window=2",
                                      "",
                                      "preset=raw unit=byte window=4",
                                      "preset=text unit=char window=3",
                                      "preset=code unit=line window=1",
                                      "preset=text unit=byte window=20"};

/* Where bytes look like a page they are another text to those who read documents. */
static bool has_tokens(const uint8_t *bytes, uint64_t begin, uint64_t end, const stemma_recipe *recipe) {
    stemma_text *text;
    stemma_limits limits = stemma_limits_default();
    limits.encoding = STEMMA_ENCODING_UTF8;
    stemma_status status = stemma_text_bytes(bytes + begin, end - begin, recipe, &limits, &text, NULL);
    if (status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED) return true; /* an archive, to them */
    REQUIRE(status == STEMMA_OK);
    bool has = stemma_text_token_count(text) > 0 || stemma_text_is_extracted(text);
    stemma_text_free(text);
    return has;
}

static uint64_t search(const stemma_target *target, const uint8_t *file, size_t size,
                       const stemma_recipe *recipe, bool raw, bool thorough) {
    stemma_find_options options = stemma_find_options_default();
    stemma_finder *finder;
    stemma_findings *findings;
    size_t count;
    uint64_t reached = 0, found;
    options.least = 1;
    options.block = 7;
    options.thorough = thorough;
    if (stemma_finder_new(target, 1, recipe, &options, NULL, &finder, NULL)) return 0; /* too short */
    REQUIRE(stemma_find_bytes(finder, file, size, NULL, &findings, NULL) == STEMMA_OK);
    const stemma_fragment *all = stemma_findings_fragments(findings, &count);
    for (size_t i = 0; i < count; i++) {
        const stemma_fragment *f = &all[i];
        REQUIRE(f->begin < f->end && f->end <= size && f->begin >= reached);
        REQUIRE(f->target_begin < f->target_end && f->target_end <= target->data_size);
        REQUIRE(has_tokens(file, f->begin, f->end, recipe));
        if (raw)
            REQUIRE(!memcmp(file + f->begin, (const uint8_t *)target->data + f->target_begin, f->tokens));
        reached = f->begin;
    }
    stemma_find_summary summary = stemma_findings_summary(findings);
    REQUIRE(summary.fragments == count && summary.covered <= size && summary.share <= 1);
    found = summary.covered;
    stemma_findings_free(findings);
    stemma_finder_free(finder);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    stemma_recipe *recipe;
    if (size < 2) return 0;
    size_t length = (size_t)data[1] < size - 2 ? data[1] : size - 2;
    REQUIRE(stemma_recipe_parse(recipes[data[0] % 6], &recipe, NULL) == STEMMA_OK);
    stemma_target target = {NULL, data + 2, length};
    const uint8_t *file = data + 2 + length;
    bool raw = data[0] % 6 == 2;
    uint64_t sampled = search(&target, file, size - 2 - length, recipe, raw, false);
    REQUIRE(search(&target, file, size - 2 - length, recipe, raw, true) >= sampled);
    stemma_recipe_free(recipe);
    return 0;
}
