/* HP 2009, section 4: how much windows, sampling and edits move the four algorithms' similarity. */
#include "changed.h"
#include "hp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t documents_of(const struct lab *lab) {
    return lab->full ? 100 : 24;
}

/* 1 to 50 changes; the quick size looks at every fifth. */
static unsigned step_of(const struct lab *lab) {
    return lab->full ? 1 : 5;
}

static unsigned next_edits(unsigned edits, unsigned step) {
    return edits == 1 && step > 1 ? step : edits + step;
}

typedef stemma_status with_corpus(const struct lab *lab, const struct corpus *corpus, struct table *data,
                                  stemma_error *err);

static stemma_status over_corpus(const struct lab *lab, struct table *data, with_corpus *body,
                                 stemma_error *err) {
    struct corpus corpus;
    TRY(corpus_load(lab, CORPUS_LONG, documents_of(lab), data, &corpus, err));
    stemma_status status = body(lab, &corpus, data, err);
    corpus_release(&corpus);
    return status;
}

/* ---- figure 2: windows ---- */

static const unsigned windows[] = {5, 10, 20, 40, 60, 80, 100};

static stemma_status window_rows(const struct lab *lab, const struct originals *originals, unsigned window,
                                 struct table *data, stemma_error *err) {
    double means[ALGORITHMS_MOST];
    for (unsigned edits = 1; edits <= 50; edits = next_edits(edits, step_of(lab))) {
        TRY(originals_means(originals, STEMMA_MUTATE_INSERT, edits, lab->seed, means, err));
        for (size_t i = 0; i < originals->algorithm_count; i++)
            table_row(data, "%s\t%u\t%u\t%.5f", originals->algorithms[i].name, window, edits, means[i]);
    }
    return STEMMA_OK;
}

static stemma_status window_body(const struct lab *lab, const struct corpus *corpus, struct table *data,
                                 stemma_error *err) {
    static const struct algorithm both[] = {{"Mod_100", "mod n=100", jaccard_of},
                                            {"BSW_400", "bsw n=400", jaccard_of}};
    table_begin(data, "algorithm\twindow\tedits\tsimilarity");
    for (size_t i = 0; i < COUNT(windows); i++) {
        struct originals originals;
        TRY(originals_make(corpus, both, COUNT(both), windows[i], &originals, err));
        stemma_status status = window_rows(lab, &originals, windows[i], data, err);
        originals_release(&originals);
        if (status != STEMMA_OK) return status;
    }
    return STEMMA_OK;
}

static stemma_status run_window(const struct lab *lab, struct table *data, struct table *times,
                                stemma_error *err) {
    (void)times;
    return over_corpus(lab, data, window_body, err);
}

/* Whether a mean falls from each window to the next larger one. */
static bool falls_with_window(const struct table *data, const char *algorithm, unsigned edits) {
    double before = 2;
    for (size_t i = 0; i < COUNT(windows); i++) {
        double now =
            table_at(data, "similarity", "algorithm=%s window=%u edits=%u", algorithm, windows[i], edits);
        if (!(now < before + .01)) return false; /* a mean of few samples may waver by that much */
        before = now;
    }
    return true;
}

static bool falls_with_edits(const struct table *data, const char *where) {
    char few[200], many[200];
    snprintf(few, sizeof few, "%s edits=1", where);
    snprintf(many, sizeof many, "%s edits=50", where);
    return table_look(data, "similarity", few) > table_look(data, "similarity", many);
}

static void judge_window(const struct table *data, const struct table *times, struct verdict *verdict) {
    (void)times;
    for (size_t i = 0; i < 2; i++) {
        const char *algorithm = i ? "BSW_400" : "Mod_100";
        double large = table_at(data, "similarity", "algorithm=%s window=100 edits=50", algorithm);
        double small = table_at(data, "similarity", "algorithm=%s window=5 edits=50", algorithm);
        claim(
            verdict, falls_with_window(data, algorithm, 50),
            "%s: the larger the window, the smaller the similarity after 50 insertions: from %.2f with 5 bytes to "
            "%.2f with 100 (the paper, Mod_100: .97 and .66).",
            algorithm, small, large);
        char where[60];
        snprintf(where, sizeof where, "algorithm=%s window=20", algorithm);
        claim(verdict, falls_with_edits(data, where), "%s: similarity falls with the number of insertions.",
              algorithm);
    }
}

static const struct plot window_plots[] = {
    {"Mod_100: mean similarity by window size in bytes", "algorithm=Mod_100", "edits", "similarity", "window",
     "number of insertions", "average similarity", .y_low = .5, .y_high = 1},
    {"BSW_400: mean similarity by window size in bytes", "algorithm=BSW_400", "edits", "similarity", "window",
     "number of insertions", "average similarity", .y_low = .5, .y_high = 1},
    {0}};
static const struct listing window_lists[] = {
    {"After 50 insertions", "edits=50", "algorithm window edits", "similarity"}, {0}};

const struct experiment hp_window = {
    .name = "hp-window",
    .paper = "hp",
    .place = "figure 2",
    .title = "Window size",
    .what =
        "Each of the documents gets 'a ' inserted 1 to 50 times at random; the mean similarity of original and copy "
        "under Mod_100 and BSW_400, for windows of 5 to 100 bytes.",
    .run = run_window,
    .judge = judge_window,
    .plots = window_plots,
    .listings = window_lists};

/* ---- figures 3 and 4: distinct documents ---- */

enum { GRID = 60 };
#define GRID_STEP .01

/* Rows of the distribution of scores over all pairs. */
static void false_rows(const struct originals *originals, size_t algorithm, unsigned window,
                       struct table *data) {
    size_t counts[GRID + 1] = {0}, pairs = 0, count = originals->corpus->count;
    const struct algorithm *a = &originals->algorithms[algorithm];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double score = a->score(originals->sketches[i], originals->sketches[j], algorithm);
            size_t cell =
                score > 0 ? (size_t)ceil(score / GRID_STEP) : 0; /* NAN: nothing in common is known */
            counts[cell < GRID ? cell : GRID]++;
            pairs++;
        }
    size_t sum = 0;
    for (size_t i = 0; i <= GRID; i++) {
        sum += counts[i];
        table_row(data, "%s\t%u\t%.2f\t%.5f\t%.5f", a->name, window, (double)i * GRID_STEP,
                  (double)sum / (double)pairs, 1 - (double)sum / (double)pairs);
    }
}

static stemma_status false_window(const struct corpus *corpus, const struct algorithm *algorithms,
                                  size_t count, unsigned window, struct table *data, stemma_error *err) {
    struct originals originals;
    TRY(originals_make(corpus, algorithms, count, window, &originals, err));
    for (size_t i = 0; i < count; i++) false_rows(&originals, i, window, data);
    originals_release(&originals);
    return STEMMA_OK;
}

static stemma_status false_body(const struct lab *lab, const struct corpus *corpus, struct table *data,
                                stemma_error *err) {
    static const struct algorithm both[] = {{"Mod_100", "mod n=100", jaccard_of},
                                            {"BSW_400", "bsw n=400", jaccard_of}};
    static const struct algorithm four[] = {{"four:Mod_100", "mod n=100", jaccard_of},
                                            {"four:Min_100", "min n=100", smallest_of},
                                            {"four:Sketch_100", "minhash n=100 bits=64", agreement_of},
                                            {"four:BSW_100", "bsw n=100", jaccard_of}};
    (void)lab;
    table_begin(data, "algorithm\twindow\tsimilarity\tup_to\tabove");
    for (size_t i = 0; i < COUNT(windows); i++)
        TRY(false_window(corpus, both, COUNT(both), windows[i], data, err));
    return false_window(corpus, four, COUNT(four), 20, data, err);
}

static stemma_status run_false(const struct lab *lab, struct table *data, struct table *times,
                               stemma_error *err) {
    (void)times;
    return over_corpus(lab, data, false_body, err);
}

static void judge_false(const struct table *data, const struct table *times, struct verdict *verdict) {
    (void)times;
    double at5 = table_at(data, "above", "algorithm=Mod_100 window=5 similarity=0.20");
    double at20 = table_at(data, "above", "algorithm=Mod_100 window=20 similarity=0.20");
    double any5 = table_at(data, "above", "algorithm=Mod_100 window=5 similarity=0.00");
    double any10 = table_at(data, "above", "algorithm=Mod_100 window=10 similarity=0.00");
    double any20 = table_at(data, "above", "algorithm=Mod_100 window=20 similarity=0.00");
    double any100 = table_at(data, "above", "algorithm=Mod_100 window=100 similarity=0.00");
    claim(
        verdict, at5 > .05,
        "Mod_100 with windows of 5 bytes finds more than 5 %% of the pairs of different documents above 20 %% similar: %.1f %%.",
        100 * at5);
    claim(
        verdict, any5 > .95 && any10 > any20 && any20 >= any100,
        "Practically any two documents share something with small windows (%.0f %% of the pairs with 5 bytes, %.0f %% with "
        "10), fewer do with larger ones (%.0f %% with 20, %.0f %% with 100).",
        100 * any5, 100 * any10, 100 * any20, 100 * any100);
    claim(verdict, at20 < .05,
          "Windows of 20 bytes leave %.2f %% of the pairs above 20 %%: a good trade-off.", 100 * at20);
    double mod = table_at(data, "above", "algorithm=four:Mod_100 window=20 similarity=0.00");
    double bsw = table_at(data, "above", "algorithm=four:BSW_100 window=20 similarity=0.00");
    claim(
        verdict, mod >= bsw,
        "At 20 bytes Mod_100 calls more pairs slightly similar than BSW_100 does: %.0f %% and %.0f %% (the paper: 28 %% and "
        "10 %%).",
        100 * mod, 100 * bsw);
}

static const struct plot false_plots[] = {
    {"Mod_100: distinct documents, by window size in bytes", "algorithm=Mod_100", "similarity", "up_to",
     "window", "similarity", "share of pairs up to it", .y_low = 0, .y_high = 1},
    {"BSW_400: distinct documents, by window size in bytes", "algorithm=BSW_400", "similarity", "up_to",
     "window", "similarity", "share of pairs up to it", .y_low = 0, .y_high = 1},
    {"The four algorithms with windows of 20 bytes (prefix four:)", "window=20", "similarity", "up_to",
     "algorithm", "similarity", "share of pairs up to it", .y_low = .5, .y_high = 1},
    {0}};

const struct experiment hp_false = {
    .name = "hp-distinct",
    .paper = "hp",
    .place = "figures 3 and 4",
    .title = "False similarity of distinct documents",
    .what =
        "All pairs of different documents: how similar they seem, by window size, and under the four algorithms with "
        "windows of 20 bytes. Nothing in common counts as 0.",
    .run = run_false,
    .judge = judge_false,
    .plots = false_plots};
