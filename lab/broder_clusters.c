/* Broder 1997, section 4.4: greedy clustering in O(rs). */
#include "base/alloc.h"
#include "base/rng.h"
#include "broder.h"
#include "clusters.h"
#include "signs.h"
#include "truth/made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SKETCH = 100 };

struct clustering {
    struct maker *maker;
    struct made_document document;
    struct buf text;
    stemma_recipe *recipe;
    struct clusters *clusters;
    uint32_t *cluster_of;      /* by document */
    uint64_t copies, together; /* near-copies so far, and those in the cluster of their parent */
};

static stemma_status add_document(struct clustering *c, uint64_t number, stemma_error *err) {
    stemma_sketch *sketch;
    c->text.len = 0;
    if (!made_document(c->maker, number, &c->document) ||
        !made_text(c->maker, &c->document.words, "\n", &c->text))
        return fail_memory(err);
    TRY(sketch_make(c->recipe, c->text.data, c->text.len, &sketch, err));
    stemma_sketch_part part = part_of(sketch, 0);
    stemma_status status =
        clusters_add(c->clusters, part.values, part.value_count, &c->cluster_of[number], err);
    stemma_sketch_free(sketch);
    if (c->document.kind == MADE_NEAR) {
        c->copies++;
        c->together += c->cluster_of[number] == c->cluster_of[c->document.parent];
    }
    return status;
}

static void cluster_row(const struct clustering *c, const char *template, struct table *data) {
    struct cluster_work work = clusters_work(c->clusters);
    double r = (double)work.documents, rs = r * SKETCH;
    double steps = (double)(work.lookups + work.meetings + work.merges);
    table_row(data, "%s\t%.0f\t%llu\t%llu\t%llu\t%llu\t%.4f\t%.1f\t%.4f", template, r,
              (unsigned long long)work.clusters, (unsigned long long)work.lookups,
              (unsigned long long)work.meetings, (unsigned long long)work.merges, steps / rs, (r - 1) / 2,
              (double)c->together / (double)c->copies);
}

static stemma_status cluster_all(struct clustering *c, uint64_t count, const char *template,
                                 struct table *data, stemma_error *err) {
    uint64_t next = count / 32;
    for (uint64_t i = 0; i < count; i++) {
        TRY(add_document(c, i, err));
        if (i + 1 != next) continue;
        cluster_row(c, template, data);
        next *= 2;
    }
    return STEMMA_OK;
}

static stemma_status cluster_made(const struct made_options *options, const char *template,
                                  struct table *data, stemma_error *err) {
    struct clustering c = {.maker = made_new(options),
                           .cluster_of = mem_zero(options->count, sizeof *c.cluster_of)};
    stemma_status status = c.maker && c.cluster_of ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK)
        status = recipe_make(&c.recipe, options->seed - 1, err, "preset=text unit=word window=5; min n=%d",
                             SKETCH);
    if (status == STEMMA_OK) status = clusters_new(SKETCH, .5, &c.clusters, err);
    if (status == STEMMA_OK) status = cluster_all(&c, options->count, template, data, err);
    clusters_free(c.clusters);
    stemma_recipe_free(c.recipe);
    mem_free(c.cluster_of);
    buf_release(&c.text);
    vec64_release(&c.document.words);
    made_free(c.maker);
    return status;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    struct made_options options = {.seed = lab->seed,
                                   .count = lab->full ? 128000 : 8000,
                                   .near = .4,
                                   .template_words = 60,
                                   .size = 1600,
                                   .spread = .5,
                                   .edits = -1};
    (void)times;
    table_begin(
        data,
        "template\tdocuments\tclusters\tlookups\tmeetings\tmerges\tsteps_per_rs\tall_pairs_per_rs\tcopies_together");
    table_remark(data, "documents %llu generated, 1.6 KB each, two fifths of them near-copies",
                 (unsigned long long)options.count);
    TRY(cluster_made(&options, "none", data, err));
    options.template_share = .1;
    return cluster_made(&options, "of_a_tenth", data, err);
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    size_t last = data->rows / 2 - 1;
    double first = table_number(data, 0, "steps_per_rs"), end = table_number(data, last, "steps_per_rs");
    double documents = table_number(data, last, "documents");
    claim(
        verdict, end < 1.5 * first,
        "The steps for each fingerprint are %.2f for %.0f documents and %.2f for %.0f: O(rs), where all pairs would take %.0f.",
        first, table_number(data, 0, "documents"), end, documents,
        table_number(data, last, "all_pairs_per_rs"));
    double together = table_number(data, last, "copies_together");
    claim(verdict, together > .7,
          "%.0f %% of the near-copies (resemblance .5 to 1) are in the cluster of what they were made from.",
          100 * together);
    double shared = table_number(data, data->rows - 1, "steps_per_rs");
    if (shared > 2 * end)
        differs(
            verdict,
            "\"Every fingerprint belongs only to a few distinct clusters\" fails where a tenth of the documents begin with one "
            "template: %.1f steps for %.0f documents, and growing with them. What many share has to be left out.",
            shared, documents);
}

static const struct plot plots[] = {{"Steps of greedy clustering for each fingerprint, by template", NULL,
                                     "documents", "steps_per_rs", "template", "documents r", "steps / (r s)",
                                     .log_x = true},
                                    {0}};
static const struct listing lists[] = {
    {"Greedy clustering, s = 100, resemblance .5", NULL, "template documents",
     .values = "clusters lookups meetings merges steps_per_rs all_pairs_per_rs copies_together"},
    {0}};
const struct experiment broder_clusters = {
    .name = "broder-clusters",
    .paper = "broder",
    .place = "4.4",
    .title = "Greedy clustering",
    .what =
        "Sketches in turn, each to the cluster whose first member it resembles most, found through a table of fingerprints; "
        "the steps are counted, with and without a template that a tenth of the documents share.",
    .run = run,
    .judge = judge,
    .plots = plots,
    .listings = lists};
