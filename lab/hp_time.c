/* HP 2009, figure 11: the time that 500 KB take, by algorithm and parameters. */
#include "cpu_time.h"
#include "hp.h"
#include "signs.h"

#include "base/buf.h"
#include "corpus.h"

#include <math.h>
#include <stdio.h>

#define SIZE ((size_t)500000)

static const struct scheme {
    const char *name, *spec;
} schemes[] = {
    {"Mod", "mod n=%u"}, {"Min", "min n=%u"}, {"BSW", "bsw n=%u"}, {"Sketch", "minhash n=%u bits=64"}};
static const unsigned sizes[] = {10, 50, 100, 200, 500}, windows[] = {20, 100};

static stemma_status sketch_once(const stemma_recipe *recipe, const uint8_t *text, size_t *values,
                                 stemma_error *err) {
    stemma_sketch *sketch;
    TRY(sketch_make(recipe, text, SIZE, &sketch, err));
    *values = part_of(sketch, 0).value_count;
    stemma_sketch_free(sketch);
    return STEMMA_OK;
}

static stemma_status time_one(const struct scheme *scheme, unsigned n, unsigned window, uint64_t seed,
                              const uint8_t *text, struct table *data, struct table *times,
                              stemma_error *err) {
    stemma_recipe *recipe;
    char spec[60];
    size_t values = 0;
    double seconds;
    stemma_status status;
    snprintf(spec, sizeof spec, scheme->spec, n);
    TRY(recipe_make(&recipe, seed, err, "preset=raw unit=byte window=%u hash=rabin; %s", window, spec));
    CPU_TIME(seconds, status, sketch_once(recipe, text, &values, err));
    stemma_recipe_free(recipe);
    if (status != STEMMA_OK) return status;
    table_row(data, "%s\t%u\t%u\t%zu", scheme->name, n, window, values);
    table_row(times, "%s\t%u\t%u\t%.3f", scheme->name, n, window, 1000 * seconds);
    return STEMMA_OK;
}

/* How many windows differ, of which Mod_n keeps one in n. */
static stemma_status count_windows(unsigned window, const uint8_t *text, struct table *data,
                                   stemma_error *err) {
    stemma_recipe *recipe;
    size_t values = 0;
    TRY(recipe_make(&recipe, 0, err, "preset=raw unit=byte window=%u hash=rabin; mod n=1", window));
    stemma_status status = sketch_once(recipe, text, &values, err);
    stemma_recipe_free(recipe);
    table_row(data, "all_windows\t1\t%u\t%zu", window, values);
    return status;
}

/* The longest documents, one behind the other. */
static stemma_status take_text(const struct lab *lab, struct table *data, struct buf *text,
                               stemma_error *err) {
    struct corpus corpus;
    TRY(corpus_load(lab, CORPUS_LONG, lab->full ? 100 : 24, data, &corpus, err));
    bool ok = true;
    for (size_t i = 0; ok && text->len < SIZE; i++) {
        const size_t from = corpus.count - 1 - i % corpus.count;
        ok = buf_add(text, corpus.texts[from].bytes, corpus.texts[from].size);
    }
    corpus_release(&corpus);
    return ok ? STEMMA_OK : fail_memory(err);
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    struct buf text = {0};
    stemma_status status = take_text(lab, data, &text, err);
    table_begin(data, "algorithm\tn\twindow\tvalues");
    table_begin(times, "algorithm\tn\twindow\tms");
    for (size_t w = 0; status == STEMMA_OK && w < COUNT(windows); w++)
        status = count_windows(windows[w], text.data, data, err);
    for (size_t s = 0; s < COUNT(schemes); s++)
        for (size_t w = 0; w < COUNT(windows); w++)
            for (size_t i = 0; status == STEMMA_OK && i < COUNT(sizes); i++)
                status =
                    time_one(&schemes[s], sizes[i], windows[w], hash_seed(lab), text.data, data, times, err);
    buf_release(&text);
    return status;
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    double mod = table_look(data, "values", "algorithm=Mod n=100 window=20"),
           all = table_look(data, "values", "algorithm=all_windows window=20");
    claim(verdict, fabs(100 * mod / all - 1) < .1,
          "Mod_100 keeps about one window in a hundred: %.0f of %.0f that differ.", mod, all);
    if (!times->cells) return;
    double sketch = table_look(times, "ms", "algorithm=Sketch n=100 window=20");
    double least = table_look(times, "ms", "algorithm=Mod n=100 window=20");
    double ten = table_look(times, "ms", "algorithm=Sketch n=10 window=20");
    claim(verdict, sketch > least,
          "Sketch_100 takes %.0f times as long as Mod_100: n hash functions instead of one.", sketch / least);
    claim(verdict, sketch > ten, "Sketch_n grows with n: %.1f ms at 10, %.1f ms at 100.", ten, sketch);
    double wide = table_look(times, "ms", "algorithm=Sketch n=100 window=100");
    if (wide < 2 * sketch)
        differs(
            verdict,
            "The window costs Sketch little here (%.1f ms with 20 bytes, %.1f with 100): its hashes are of one Rabin "
            "fingerprint, where the paper's hash each window anew.",
            sketch, wide);
}

static const struct plot plots[] = {{"CPU time of 500 KB, windows of 20 bytes", "window=20", "n", "ms",
                                     "algorithm", "n", "ms", .log_x = true, .log_y = true},
                                    {"CPU time of 500 KB, windows of 100 bytes", "window=100", "n", "ms",
                                     "algorithm", "n", "ms", .log_x = true, .log_y = true},
                                    {0}};
static const struct listing lists[] = {
    {"Entries of the signature of 500 KB by n, windows of 20 bytes", "window=20", "n", "values", "algorithm"},
    {"The same, windows of 100 bytes", "window=100", "n", "values", "algorithm"},
    {0}};
const struct experiment hp_time = {
    .name = "hp-time",
    .paper = "hp",
    .place = "figure 11",
    .timed = true,
    .title = "Processing time",
    .what =
        "The CPU time to make signatures of a file of 500 KB, the longest documents one behind the other, by "
        "algorithm, n and window.",
    .run = run,
    .judge = judge,
    .time_plots = plots,
    .listings = lists};
