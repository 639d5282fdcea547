/* Broder 1997, section 3: L_i(D), samples whose size is bounded, and the containment of short documents in
 * long ones. */
#include "base/rng.h"
#include "broder.h"
#include "corpus.h"
#include "signs.h"

#include <math.h>
#include <string.h>

enum { PART_LEVEL, PART_MOD100, PART_MOD25, PART_ALL };
static const char recipe_text[] =
    "preset=raw unit=byte window=20 hash=rabin; level; mod n=100; mod n=25; mod n=1";

/* Containment of a in b by L_i, i being that of b: elements of a that are not 0 mod 2^i are left out. */
static double level_containment(const stemma_sketch *a, const stemma_sketch *b) {
    stemma_sketch_part x = part_of(a, PART_LEVEL), y = part_of(b, PART_LEVEL);
    uint64_t mask = ((uint64_t)1 << y.level) - 1;
    size_t common = 0, all = 0, j = 0;
    for (size_t i = 0; i < x.value_count; i++) {
        if (x.values[i] & mask) continue;
        all++;
        while (j < y.value_count && y.values[j] < x.values[i]) j++;
        common += j < y.value_count && y.values[j] == x.values[i];
    }
    return all ? (double)common / (double)all : NAN;
}

/* ---- sizes ---- */

static stemma_status size_rows(const struct corpus *corpus, const stemma_recipe *recipe, struct table *data,
                               stemma_error *err) {
    for (size_t i = 0; i < corpus->count; i++) {
        stemma_sketch *sketch;
        TRY(sketch_make(recipe, corpus->texts[i].bytes, corpus->texts[i].size, &sketch, err));
        stemma_sketch_part level = part_of(sketch, PART_LEVEL);
        table_row(data, "size\t\t%zu\t%zu\t%u\t\t\t\t\t", part_of(sketch, PART_ALL).value_count,
                  level.value_count, level.level);
        stemma_sketch_free(sketch);
    }
    return STEMMA_OK;
}

/* ---- containment ---- */

static const unsigned excerpts[] = {500, 1000, 2000, 4000, 8000};
static const char *const ways[] = {"L_i", "Mod_100", "Mod_25"};

struct errors {
    double count, sum, squares, unknown;
};

static void errors_add(struct errors *errors, double estimate, double truth) {
    if (isnan(estimate)) {
        errors->unknown++;
        return;
    }
    errors->count++;
    errors->sum += estimate - truth;
    errors->squares += (estimate - truth) * (estimate - truth);
}

/* A passage of which some words are changed, in the document that it is from. */
static stemma_status excerpt_trial(const stemma_recipe *recipe, const struct text *text,
                                   const stemma_sketch *whole, size_t size, uint64_t seed,
                                   struct errors *errors, stemma_error *err) {
    const uint8_t *begin = text->bytes + rng_below(&seed, text->size - size + 1);
    stemma_mutated *mutated;
    stemma_sketch *sketch;
    TRY(mutate_text(begin, size, STEMMA_MUTATE_REMOVE_WORDS, size / 200, seed, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    stemma_status status = sketch_make(recipe, bytes, size, &sketch, err);
    stemma_mutated_free(mutated);
    if (status != STEMMA_OK) return status;
    double truth = containment_in(sketch, whole, PART_ALL);
    errors_add(&errors[0], level_containment(sketch, whole), truth);
    errors_add(&errors[1], containment_in(sketch, whole, PART_MOD100), truth);
    errors_add(&errors[2], containment_in(sketch, whole, PART_MOD25), truth);
    stemma_sketch_free(sketch);
    return STEMMA_OK;
}

/* Every trial has hash functions of its own: under one the errors of all passages hang together. */
static stemma_status one_trial(const struct lab *lab, const struct text *text, size_t trial,
                               struct errors errors[][COUNT(ways)], stemma_error *err) {
    stemma_recipe *recipe;
    stemma_sketch *whole = NULL;
    TRY(recipe_make(&recipe, mix64(lab->seed) + trial, err, "%s", recipe_text));
    stemma_status status = sketch_make(recipe, text->bytes, text->size, &whole, err);
    for (size_t e = 0; status == STEMMA_OK && e < COUNT(excerpts); e++)
        status =
            excerpt_trial(recipe, text, whole, excerpts[e], mix64(lab->seed + trial) + e, errors[e], err);
    stemma_sketch_free(whole);
    stemma_recipe_free(recipe);
    return status;
}

static stemma_status containment_rows(const struct lab *lab, const struct text *text, struct table *data,
                                      stemma_error *err) {
    size_t trials = lab->full ? 2000 : 100;
    struct errors errors[COUNT(excerpts)][COUNT(ways)] = {{{0}}};
    for (size_t i = 0; i < trials; i++) TRY(one_trial(lab, text, i, errors, err));
    for (size_t e = 0; e < COUNT(excerpts); e++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            const struct errors *of = &errors[e][w];
            double bias = of->sum / of->count, deviation = sqrt(of->squares / of->count);
            table_row(data, "containment\t%s\t%zu\t\t\t%u\t%.4f\t%.4f\t%.4f\t%.2f", ways[w], text->size,
                      excerpts[e], bias, deviation, of->unknown / (double)trials,
                      fabs(bias) / deviation * sqrt(of->count));
        }
    return STEMMA_OK;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    struct corpus corpus;
    stemma_recipe *recipe;
    (void)times;
    TRY(corpus_load(lab, CORPUS_LONG, lab->full ? 100 : 40, data, &corpus, err));
    table_begin(data, "of\tway\tsize\tsamples\tlevel\texcerpt\tbias\tdeviation\tunknown\tstandard_errors");
    stemma_status status = recipe_make(&recipe, hash_seed(lab), err, "%s", recipe_text);
    if (status == STEMMA_OK) {
        status = size_rows(&corpus, recipe, data, err);
        if (status == STEMMA_OK) status = containment_rows(lab, &corpus.texts[corpus.count - 1], data, err);
        stemma_recipe_free(recipe);
    }
    corpus_release(&corpus);
    return status;
}

static double of_way(const struct table *data, const char *way, unsigned excerpt, const char *column) {
    return table_at(data, column, "of=containment way=%s excerpt=%u", way, excerpt);
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    double mean = table_mean(data, "samples", "of=size"), least = table_least(data, "samples", "of=size");
    double most = table_most(data, "samples", "of=size");
    claim(verdict, least > 50 && most < 300,
          "L_i keeps %.0f elements on average, %.0f to %.0f, whatever the size of the document.", mean, least,
          most);
    if (mean > 100)
        differs(
            verdict,
            "The paper says 50 to 100. Documents of 100 * 2^i to 100 * 2^(i+1) shingles have 100 to 200 that are 0 mod "
            "2^i: its text is off by two.");
    claim(
        verdict, of_way(data, "L_i", 1000, "unknown") > of_way(data, "Mod_100", 1000, "unknown"),
        "Of passages of 1000 bytes in the longest document L_i has no sample at all in %.0f %% of the trials (Mod_100 in %.1f %%): "
        "the \"paucity of samples\".",
        100 * of_way(data, "L_i", 1000, "unknown"), 100 * of_way(data, "Mod_100", 1000, "unknown"));
    claim(verdict, of_way(data, "L_i", 8000, "deviation") > of_way(data, "Mod_100", 8000, "deviation"),
          "Passages of 8000 bytes are measured to +- %.2f by L_i, +- %.2f by Mod_100, +- %.2f by Mod_25.",
          of_way(data, "L_i", 8000, "deviation"), of_way(data, "Mod_100", 8000, "deviation"),
          of_way(data, "Mod_25", 8000, "deviation"));
    double worst = table_most(data, "standard_errors", "of=containment");
    claim(
        verdict, worst < 4.5,
        "Containment by samples is unbiased where there are any: of 15 mean errors the largest is %.1f standard errors.",
        worst);
}

static const struct plot plots[] = {
    {"Elements of L_i by size of the document", "of=size", "size", "samples", NULL, "distinct shingles",
     "elements", .log_x = true, .dots = true, .y_low = 0, .y_high = 220},
    {"Error of containment of a passage in the longest document", "of=containment", "excerpt", "deviation",
     "way", "bytes of the passage", "deviation", .log_x = true},
    {0}};
static const struct listing lists[] = {{"A passage in the longest document; unknown: no sample of it",
                                        "of=containment", "way excerpt",
                                        .values = "bias deviation unknown standard_errors"},
                                       {0}};
const struct experiment broder_levels = {
    .name = "broder-levels",
    .paper = "broder",
    .place = "section 3",
    .title = "L_i(D): samples of bounded size",
    .what =
        "The elements of L_i of documents of all sizes, and the containment of a passage, with some words removed, in the "
        "longest document, by L_i and by Mod_n, each trial with hash functions of its own. Windows of 20 bytes.",
    .run = run,
    .judge = judge,
    .plots = plots,
    .listings = lists};
