/* Broder 1997, sections 2 to 4.2: resemblance itself, and what samples and short fingerprints do to it. */
#include "broder.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "corpus.h"
#include "pairs.h"
#include "signs.h"

#include <math.h>
#include <string.h>

/* ---- section 2: the example ---- */

static stemma_status run_example(const struct lab *lab, struct table *data, struct table *times,
                                 stemma_error *err) {
    static const char a[] = "a rose is a rose is a rose", b[] = "a rose is a flower which is a rose";
    (void)lab;
    (void)times;
    table_begin(data, "option\tw\tresemblance\tcommon\tall");
    for (int labelled = 1; labelled >= 0; labelled--)
        for (unsigned w = 1; w <= 3; w++) {
            stemma_recipe *recipe;
            stemma_comparison c;
            TRY(recipe_make(&recipe, 0, err, "unit=word window=%u labelled=%s", w, labelled ? "yes" : "no"));
            stemma_status status =
                stemma_compare_bytes(a, strlen(a), b, strlen(b), recipe, NULL, NULL, &c, err);
            stemma_recipe_free(recipe);
            if (status != STEMMA_OK) return status;
            table_row(data, "%c\t%u\t%.4f\t%llu\t%llu", labelled ? 'A' : 'B', w, c.resemblance.value,
                      (unsigned long long)c.shingles_common,
                      (unsigned long long)(c.shingles_a + c.shingles_b - c.shingles_common));
        }
    return STEMMA_OK;
}

static void judge_example(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    static const unsigned want[][2] = {{7, 10}, {5, 10}, {3, 10}, {3, 5}, {3, 6}, {3, 7}};
    (void)times;
    bool exact = data->rows == COUNT(want);
    for (size_t i = 0; exact && i < COUNT(want); i++)
        exact = table_number(data, i, "common") == want[i][0] && table_number(data, i, "all") == want[i][1];
    claim(verdict, exact,
          "All six values are the paper's: 7/10, 5/10, 3/10 under option A, 3/5, 3/6, 3/7 under option B.");
}

static const struct listing example_lists[] = {
    {"\"a rose is a rose is a rose\" and \"a rose is a flower which is a rose\"", NULL, "option w",
     .values = "resemblance common all"},
    {0}};
const struct experiment broder_example = {
    .name = "broder-example",
    .paper = "broder",
    .place = "section 2",
    .title = "The rose",
    .what =
        "The paper's example: resemblance of two short documents under both options, for windows of one to three words.",
    .run = run_example,
    .judge = judge_example,
    .listings = example_lists};

/* ---- section 2: a metric ---- */

enum { FAMILY = 6 }; /* a document and changed copies of it */

/* Documents: families whose members resemble each other by degrees, so that triangles of all shapes occur. */
static stemma_status family_sketches(const struct lab *lab, const struct corpus *corpus,
                                     const stemma_recipe *recipe, stemma_sketch **sketches,
                                     stemma_error *err) {
    for (size_t i = 0; i < corpus->count * FAMILY; i++) {
        const struct text *text = &corpus->texts[i / FAMILY];
        stemma_mutation mutation = stemma_mutation_default();
        stemma_mutated *mutated;
        mutation.kind = i % 2 ? STEMMA_MUTATE_REMOVE_WORDS : STEMMA_MUTATE_CUT;
        mutation.share = .04 * (double)(i % FAMILY);
        mutation.seed = mix64(lab->seed) + i;
        TRY(stemma_mutate(text->bytes, text->size, &mutation, &mutated, err));
        size_t size;
        const char *bytes = stemma_mutated_text(mutated, &size);
        stemma_status status = sketch_make(recipe, bytes, size, &sketches[i], err);
        stemma_mutated_free(mutated);
        if (status != STEMMA_OK) return status;
    }
    return STEMMA_OK;
}

typedef double score_fn(const stemma_sketch *a, const stemma_sketch *b, size_t index);

/* Triangles, how many break the inequality, and how much room the tightest leaves. */
static void metric_row(stemma_sketch *const *sketches, size_t count, const char *name, score_fn *score,
                       size_t part, double *distances, struct table *data) {
    size_t broken = 0, all = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            distances[i * count + j] = 1 - score(sketches[i], sketches[j], part);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < i; k++) {
                if (j == i || j == k) continue;
                double room = distances[i * count + j] + distances[j * count + k] - distances[i * count + k];
                broken += room < -1e-12;
                least = fmin(least, room);
                all++;
            }
    table_row(data, "%s\t%zu\t%zu\t%zu\t%.5f", name, count, all, broken,
              fabs(least) < 1e-9 ? 0 : least); /* no -0 */
}

static stemma_status run_metric(const struct lab *lab, struct table *data, struct table *times,
                                stemma_error *err) {
    struct corpus corpus;
    stemma_recipe *recipe = NULL;
    (void)times;
    TRY(corpus_load(lab, CORPUS_LONG, lab->full ? 100 : 20, data, &corpus, err));
    size_t count = corpus.count * FAMILY;
    stemma_sketch **sketches = mem_zero(count, sizeof *sketches);
    double *distances = mem_zero(count * count, sizeof *distances);
    stemma_status status = sketches && distances ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK)
        status = recipe_make(&recipe, hash_seed(lab), err,
                             "preset=text unit=word window=5; mod n=1; min n=100; minhash n=100 bits=64");
    if (status == STEMMA_OK) status = family_sketches(lab, &corpus, recipe, sketches, err);
    table_begin(data, "distance\tdocuments\ttriangles\tbroken\tleast_room");
    if (status == STEMMA_OK) {
        metric_row(sketches, count, "1_-_resemblance", jaccard_of, 0, distances, data);
        metric_row(sketches, count, "estimate,_Sketch_100", agreement_of, 2, distances, data);
        metric_row(sketches, count, "estimate,_Min_100", smallest_of, 1, distances, data);
    }
    for (size_t i = 0; sketches && i < count; i++) stemma_sketch_free(sketches[i]);
    mem_free(sketches);
    mem_free(distances);
    stemma_recipe_free(recipe);
    corpus_release(&corpus);
    return status;
}

static void judge_metric(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    claim(verdict, table_look(data, "broken", "distance=1_-_resemblance") == 0,
          "None of %.0f triangles of documents breaks the triangle inequality: 1 - resemblance is a metric.",
          table_look(data, "triangles", NULL));
    claim(verdict, table_look(data, "broken", "distance=estimate,_Sketch_100") == 0,
          "The share of Sketch's entries that differ is one, too: no triangle is broken.");
    double broken = table_look(data, "broken", "distance=estimate,_Min_100");
    if (broken > 0)
        differs(
            verdict,
            "Estimates from Min_100 are no metric: %.0f triangles are broken, by %.3f at most. Each pair has a sample "
            "of its own.",
            broken, -table_look(data, "least_room", "distance=estimate,_Min_100"));
}

static const struct listing metric_lists[] = {
    {"Triangles", NULL, "distance documents", .values = "triangles broken least_room"}, {0}};
const struct experiment broder_metric = {
    .name = "broder-metric",
    .paper = "broder",
    .place = "section 2",
    .title = "Resemblance distance is a metric",
    .what =
        "Documents and copies of them with up to a fifth of the words removed or passages cut: d(a, c) <= d(a, b) + d(b, c) "
        "for all triples, with the true distance and with estimates.",
    .run = run_metric,
    .judge = judge_metric,
    .listings = metric_lists};

/* ---- 4.2: the size of the sample ---- */

static const unsigned sample_sizes[] = {25, 50, 100, 200, 400, 800};
static const double aims[] = {.5, .7, .9};
#define EPSILON .05

/* The chance that s draws of probability r give r +- epsilon. */
static double binomial_within(unsigned s, double r, double epsilon) {
    double sum = 0;
    for (double k = ceil(s * (r - epsilon) - 1e-9); k <= floor(s * (r + epsilon) + 1e-9); k++)
        sum += exp(lgamma(s + 1.) - lgamma(k + 1) - lgamma(s - k + 1.) + k * log(r) + (s - k) * log1p(-r));
    return sum;
}

struct sample_sums {
    double within[COUNT(sample_sizes)], expected[COUNT(sample_sizes)], bias[COUNT(sample_sizes)],
        squares[COUNT(sample_sizes)], variance[COUNT(sample_sizes)], r;
};

enum { SAMPLE_BYTES = 16000, SAMPLE_WINDOW = 7 };

static const char sample_sketches[] = "min n=25; min n=50; min n=100; min n=200; min n=400; min n=800";

/* The formula is for choices of the permutation: every trial has hash functions of its own. */
static stemma_status sample_trial(const struct pair *pair, uint64_t seed, struct sample_sums *sums,
                                  stemma_error *err) {
    stemma_sketch *x = NULL, *y = NULL;
    stemma_recipe *recipe;
    TRY(recipe_make(&recipe, seed, err, "preset=text unit=word window=%d; %s", SAMPLE_WINDOW,
                    sample_sketches));
    stemma_status status = sketch_make(recipe, pair->a.data, pair->a.len, &x, err);
    if (status == STEMMA_OK) status = sketch_make(recipe, pair->b.data, pair->b.len, &y, err);
    sums->r += pair->r;
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(sample_sizes); i++) {
        double off = smallest_of(x, y, i) - pair->r;
        sums->within[i] += fabs(off) <= EPSILON + 1e-9;
        sums->expected[i] += binomial_within(sample_sizes[i], pair->r, EPSILON);
        sums->bias[i] += off;
        sums->squares[i] += off * off;
        sums->variance[i] += pair->r * (1 - pair->r) / sample_sizes[i];
    }
    stemma_sketch_free(x);
    stemma_sketch_free(y);
    stemma_recipe_free(recipe);
    return status;
}

static stemma_status sample_rows(const struct lab *lab, const struct pairs *pairs, double aim,
                                 struct table *data, stemma_error *err) {
    size_t trials = lab->full ? 4000 : 400;
    struct sample_sums sums = {0};
    struct pair pair = {0};
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; status == STEMMA_OK && i < trials; i++) {
        uint64_t seed = mix64(lab->seed + i) + (uint64_t)(aim * 100);
        status = pair_make(pairs, aim, seed, &pair, err);
        if (status == STEMMA_OK) status = sample_trial(&pair, mix64(seed), &sums, err);
    }
    pair_release(&pair);
    double each = 1 / (double)trials;
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(sample_sizes); i++)
        table_row(data, "%.1f\t%.4f\t%u\t%zu\t%.4f\t%.4f\t%.5f\t%.4f\t%.4f", aim, each * sums.r,
                  sample_sizes[i], trials, each * sums.within[i], each * sums.expected[i],
                  each * sums.bias[i], sqrt(each * sums.squares[i]), sqrt(each * sums.variance[i]));
    return status;
}

static stemma_status run_sample(const struct lab *lab, struct table *data, struct table *times,
                                stemma_error *err) {
    struct corpus corpus;
    struct pairs pairs;
    (void)times;
    TRY(corpus_load(lab, CORPUS_LONG, lab->full ? 100 : 24, data, &corpus, err));
    stemma_status status = pairs_init(&pairs, &corpus, SAMPLE_BYTES, SAMPLE_WINDOW, err);
    table_begin(data, "r\tmean_r\ts\ttrials\twithin\texpected\tbias\tdeviation\texpected_deviation");
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(aims); i++)
        status = sample_rows(lab, &pairs, aims[i], data, err);
    pairs_release(&pairs);
    corpus_release(&corpus);
    return status;
}

static void judge_sample(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    double apart = 0, bias = 0;
    for (size_t row = 0; row < data->rows; row++) {
        double p = table_number(data, row, "expected"), trials = table_number(data, row, "trials");
        /* hypergeometric, so a little more often than binomial: only what is less often counts against it */
        apart = fmax(apart, (p - table_number(data, row, "within")) / sqrt(p * (1 - p) / trials + 1e-6));
        bias = fmax(bias, fabs(table_number(data, row, "bias")) / table_number(data, row, "deviation") *
                              sqrt(trials));
    }
    claim(
        verdict, apart < 4,
        "Estimates are within .05 of the truth at least as often as 4.2 says: at worst %.1f deviations less.",
        apart);
    claim(verdict, bias < 4.5, "They are unbiased: the largest mean error is %.1f standard errors.", bias);
    double half = table_look(data, "within", "r=0.5 s=100"), high = table_look(data, "within", "r=0.9 s=100");
    claim(
        verdict, half < high,
        "A fixed sample errs most near r = .5: %.2f of the estimates from 100 are within .05 there, %.2f at "
        ".9.",
        half, high);
    double at100 = table_look(data, "deviation", "r=0.7 s=100"),
           at200 = table_look(data, "deviation", "r=0.7 s=200");
    claim(verdict, at200 < at100,
          "100 samples give r = .7 with a deviation of %.3f, 200 with %.3f: \"100 seems reasonable and 200 "
          "more than enough\".",
          at100, at200);
}

static const struct plot sample_plots[] = {
    {"Estimates within .05 of the truth, by resemblance", NULL, "s", "within", "r", "sample size s", "share",
     .log_x = true, .y_low = 0, .y_high = 1},
    {"The same by the formula of 4.2", NULL, "s", "expected", "r", "sample size s", "p(s, r, .05)",
     .log_x = true, .y_low = 0, .y_high = 1},
    {"Standard deviation of the estimate", NULL, "s", "deviation", "r", "sample size s", "deviation",
     .log_x = true, .log_y = true},
    {0}};
static const struct listing sample_lists[] = {
    {"Samples and the formula", NULL, "r s",
     .values = "mean_r within expected bias deviation expected_deviation"},
    {0}};
const struct experiment broder_sample = {
    .name = "broder-sample",
    .paper = "broder",
    .place = "4.2",
    .title = "The size of the sample",
    .what =
        "Passages of 16,000 bytes, and copies of them from which words were removed at random until the resemblance of their "
        "7-word shingles is next to .5, .7 and .9: how far MIN_s estimates are off, every trial with hash functions of its "
        "own, beside p(s, r, epsilon) of the paper (whose sum goes up to s (r + epsilon)) for the resemblance that the pair "
        "has.",
    .run = run_sample,
    .judge = judge_sample,
    .plots = sample_plots,
    .listings = sample_lists};

/* ---- 4.1: the width of fingerprints ---- */

static const unsigned widths[] = {14, 16, 18, 20, 22, 24, 28, 32, 40};

static size_t cut_values(const stemma_sketch *sketch, unsigned width, uint64_t *out) {
    stemma_sketch_part part = part_of(sketch, 0);
    size_t count = 0;
    for (size_t i = 0; i < part.value_count; i++) { /* ascending values stay ascending */
        uint64_t value = part.values[i] >> (64 - width);
        if (!count || out[count - 1] != value) out[count++] = value;
    }
    return count;
}

/* Resemblance of fingerprints cut to `width` bits. */
static stemma_status cut_resemblance(const stemma_sketch *a, const stemma_sketch *b, unsigned width,
                                     double *out, stemma_error *err) {
    size_t room = part_of(a, 0).value_count + part_of(b, 0).value_count;
    uint64_t *values = mem_alloc(room * sizeof *values);
    if (!values) return fail_memory(err);
    size_t first = cut_values(a, width, values), second = cut_values(b, width, values + first);
    struct value_overlap overlap = values_overlap(values, first, values + first, second);
    *out = (double)overlap.common / (double)overlap.all;
    mem_free(values);
    return STEMMA_OK;
}

struct width_sums {
    double most[COUNT(widths)], sum[COUNT(widths)], bound[COUNT(widths)], over[COUNT(widths)];
    size_t pairs;
};

static stemma_status width_pair(const stemma_sketch *a, const stemma_sketch *b, struct width_sums *sums,
                                stemma_error *err) {
    struct value_overlap whole = values_overlap(part_of(a, 0).values, part_of(a, 0).value_count,
                                                part_of(b, 0).values, part_of(b, 0).value_count);
    double r = (double)whole.common / (double)whole.all;
    sums->pairs++;
    for (size_t i = 0; i < COUNT(widths); i++) {
        double cut, bound = (double)whole.all / pow(2, (double)widths[i] - 11);
        TRY(cut_resemblance(a, b, widths[i], &cut, err));
        sums->most[i] = fmax(sums->most[i], fabs(cut - r));
        sums->sum[i] += fabs(cut - r);
        sums->bound[i] = fmax(sums->bound[i], bound);
        sums->over[i] += fabs(cut - r) >= bound;
    }
    return STEMMA_OK;
}

static stemma_status width_pairs(const struct lab *lab, const struct corpus *corpus,
                                 const stemma_recipe *recipe, struct width_sums *sums, stemma_error *err) {
    stemma_sketch *before = NULL;
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; status == STEMMA_OK && i < corpus->count; i++) {
        stemma_sketch *sketch = NULL, *changed = NULL;
        stemma_mutated *mutated = NULL;
        const struct text *text = &corpus->texts[i];
        size_t size;
        status = sketch_make(recipe, text->bytes, text->size, &sketch, err);
        if (status == STEMMA_OK)
            status = mutate_text(text->bytes, text->size, STEMMA_MUTATE_REMOVE_WORDS, 20 + 15 * i,
                                 lab->seed + i, &mutated, err);
        if (status == STEMMA_OK) {
            const char *bytes = stemma_mutated_text(mutated, &size);
            status = sketch_make(recipe, bytes, size, &changed, err);
        }
        if (status == STEMMA_OK) status = width_pair(sketch, changed, sums, err);
        if (status == STEMMA_OK && before)
            status = width_pair(sketch, before, sums, err); /* unrelated ones, too */
        stemma_mutated_free(mutated);
        stemma_sketch_free(changed);
        stemma_sketch_free(before);
        before = sketch;
    }
    stemma_sketch_free(before);
    return status;
}

static stemma_status run_width(const struct lab *lab, struct table *data, struct table *times,
                               stemma_error *err) {
    struct corpus corpus;
    struct width_sums sums = {0};
    stemma_recipe *recipe = NULL;
    (void)times;
    TRY(corpus_load(lab, CORPUS_LONG, lab->full ? 100 : 24, data, &corpus, err));
    stemma_status status = STEMMA_OK;
    for (unsigned f = 0; status == STEMMA_OK && f < (lab->full ? 10 : 3); f++) {
        status = recipe_make(&recipe, hash_seed(lab) * 10 + f, err,
                             "preset=text unit=word window=7 hash=rabin; mod n=1");
        if (status == STEMMA_OK) status = width_pairs(lab, &corpus, recipe, &sums, err);
        stemma_recipe_free(recipe);
    }
    corpus_release(&corpus);
    table_begin(data, "error\tbits\tpairs\tvalue\tbeyond_bound");
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(widths); i++) {
        table_row(data, "mean\t%u\t%zu\t%.8f\t%.4f", widths[i], sums.pairs, sums.sum[i] / (double)sums.pairs,
                  sums.over[i] / (double)sums.pairs);
        table_row(data, "largest\t%u\t%zu\t%.8f\t", widths[i], sums.pairs, sums.most[i]);
        table_row(data, "bound\t%u\t%zu\t%.8f\t", widths[i], sums.pairs, fmin(sums.bound[i], 1));
    }
    return status;
}

static void judge_width(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    double beyond = 0, least = NAN;
    for (size_t i = COUNT(widths); i-- > 0;)
        if (table_at(data, "value", "error=bound bits=%u", widths[i]) < 1) {
            beyond = fmax(beyond, table_at(data, "beyond_bound", "error=mean bits=%u", widths[i]));
            least = widths[i];
        }
    claim(
        verdict, beyond == 0,
        "From %.0f bits on no pair errs by more than the bound |A u B| / 2^(l - 11); with fewer it is above 1 and says "
        "nothing.",
        least);
    double narrow = table_look(data, "value", "error=mean bits=16"),
           wide = table_look(data, "value", "error=mean bits=24");
    claim(verdict, narrow > wide, "The mean error falls from %.4f with 16 bits to %.6f with 24.", narrow,
          wide);
    claim(verdict, table_look(data, "value", "error=largest bits=40") < .001,
          "With the paper's 40 bits the largest error is %.6f.",
          table_look(data, "value", "error=largest bits=40"));
}

static const struct plot width_plots[] = {{"Error by collisions of fingerprints", NULL, "bits", "value",
                                           "error", "bits of a fingerprint", "error of resemblance",
                                           .log_y = true},
                                          {0}};
const struct experiment broder_width = {
    .name = "broder-width",
    .paper = "broder",
    .place = "4.1",
    .title = "The width of fingerprints",
    .what =
        "Rabin fingerprints of 7-word shingles cut to 14 to 40 bits: how far the resemblance of the short fingerprints is from "
        "that of the shingles, for copies with words removed and for unrelated documents, beside the bound of 4.1. The bound is "
        "over choices of f: pairs are judged under ten (quick: three). Its f makes fingerprints of l bits; ours have 64, the "
        "first l of which are kept.",
    .run = run_width,
    .judge = judge_width,
    .plots = width_plots};
