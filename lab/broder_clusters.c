/* Broder 1997, section 4.4: greedy clustering in O(rs). */
#include "base/alloc.h"
#include "broder.h"
#include "clusters.h"
#include "pile.h"
#include "signs.h"

enum { SKETCH = 100 };

/* What too many clusters have leads nowhere. */
static const struct {
    const char *name;
    uint32_t most;
} commons[] = {{"nothing", UINT32_MAX}, {"of_over_100_clusters", 100}};

struct clustering {
    const struct pile *pile;
    struct buf text;
    stemma_recipe *recipe;
    struct clusters *clusters;
    uint32_t *cluster_of;      /* by document */
    uint64_t copies, together; /* edited copies so far, and those in the cluster of their original */
};

static stemma_status add_document(struct clustering *c, size_t number, stemma_error *err) {
    stemma_sketch *sketch;
    TRY(pile_text(c->pile, number, &c->text, err));
    TRY(sketch_make(c->recipe, c->text.data, c->text.len, &sketch, err));
    stemma_sketch_part part = part_of(sketch, 0);
    stemma_status status =
        clusters_add(c->clusters, part.values, part.value_count, &c->cluster_of[number], err);
    stemma_sketch_free(sketch);
    uint32_t parent = c->pile->parents[number];
    c->copies += parent != PILE_ORIGINAL;
    c->together += parent != PILE_ORIGINAL && c->cluster_of[number] == c->cluster_of[parent];
    return status;
}

static void cluster_row(const struct clustering *c, const char *left_out, struct table *data) {
    struct cluster_work work = clusters_work(c->clusters);
    double r = (double)work.documents, rs = r * SKETCH;
    double steps = (double)(work.lookups + work.meetings + work.merges);
    table_row(data, "%s\t%.0f\t%llu\t%llu\t%llu\t%llu\t%.4f\t%.1f\t%.4f", left_out, r,
              (unsigned long long)work.clusters, (unsigned long long)work.lookups,
              (unsigned long long)work.meetings, (unsigned long long)work.merges, steps / rs, (r - 1) / 2,
              (double)c->together / (double)c->copies);
}

static stemma_status cluster_all(struct clustering *c, const char *left_out, struct table *data,
                                 stemma_error *err) {
    size_t next = c->pile->count / 32;
    for (size_t i = 0; i < c->pile->count; i++) {
        TRY(add_document(c, i, err));
        if (i + 1 != next) continue;
        cluster_row(c, left_out, data);
        next *= 2;
    }
    return STEMMA_OK;
}

static stemma_status cluster_pile(const struct lab *lab, const struct pile *pile, size_t way,
                                  struct table *data, stemma_error *err) {
    struct clustering c = {.pile = pile, .cluster_of = mem_zero(pile->count, sizeof *c.cluster_of)};
    stemma_status status = c.cluster_of ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK)
        status =
            recipe_make(&c.recipe, hash_seed(lab), err, "preset=text unit=word window=5; min n=%d", SKETCH);
    if (status == STEMMA_OK) status = clusters_new(SKETCH, .5, commons[way].most, &c.clusters, err);
    if (status == STEMMA_OK) status = cluster_all(&c, commons[way].name, data, err);
    clusters_free(c.clusters);
    stemma_recipe_free(c.recipe);
    mem_free(c.cluster_of);
    buf_release(&c.text);
    return status;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    const struct pile_options options = {.count = lab->full ? 128000 : 8000, .copies = .4};
    struct pile pile;
    (void)times;
    TRY(pile_load(lab, &options, data, &pile, err));
    table_begin(
        data,
        "left_out\tdocuments\tclusters\tlookups\tmeetings\tmerges\tsteps_per_rs\tall_pairs_per_rs\tcopies_together");
    stemma_status status = STEMMA_OK;
    for (size_t way = 0; status == STEMMA_OK && way < COUNT(commons); way++)
        status = cluster_pile(lab, &pile, way, data, err);
    pile_release(&pile);
    return status;
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    size_t half = data->rows / 2, last = data->rows - 1;
    double few = table_number(data, 0, "documents"), many = table_number(data, last, "documents");
    double first = table_number(data, 0, "steps_per_rs"), end = table_number(data, half - 1, "steps_per_rs");
    double rare_first = table_number(data, half, "steps_per_rs"),
           rare_end = table_number(data, last, "steps_per_rs");
    double all_pairs = table_number(data, last, "all_pairs_per_rs");
    double together = table_number(data, half - 1, "copies_together"),
           rare_together = table_number(data, last, "copies_together");
    if (end < 1.5 * first)
        claim(
            verdict, true,
            "The steps for each fingerprint are %.2f for %.0f documents and %.2f for %.0f: O(rs), where all pairs would take "
            "%.0f.",
            first, few, end, many, all_pairs);
    else
        differs(
            verdict,
            "\"Every fingerprint belongs only to a few distinct clusters\" does not hold of documents that share phrases: the "
            "steps for each fingerprint grow with the documents, from %.2f for %.0f to %.2f for %.0f (all pairs: %.0f).",
            first, few, end, many, all_pairs);
    claim(
        verdict, rare_end < 2.5 * rare_first,
        "Where what more than 100 clusters have leads nowhere it is O(rs): %.2f steps for %.0f documents, %.2f for %.0f.",
        rare_first, few, rare_end, many);
    claim(
        verdict, together > .7 && rare_together > together - .05,
        "%.0f %% of the edited copies (resemblance .5 to 1) are in the cluster of what they were made from, and %.0f %% without "
        "common fingerprints.",
        100 * together, 100 * rare_together);
}

static const struct plot plots[] = {{"Steps of greedy clustering for each fingerprint, by what is left out",
                                     NULL, "documents", "steps_per_rs", "left_out", "documents r",
                                     "steps / (r s)", .log_x = true},
                                    {0}};
static const struct listing lists[] = {
    {"Greedy clustering, s = 100, resemblance .5", NULL, "left_out documents",
     .values = "clusters lookups meetings merges steps_per_rs all_pairs_per_rs copies_together"},
    {0}};
const struct experiment broder_clusters = {
    .name = "broder-clusters",
    .paper = "broder",
    .place = "4.4",
    .title = "Greedy clustering",
    .what =
        "Sketches of 5-word shingles in turn, each to the cluster whose first member it resembles most, found through a table "
        "of fingerprints; the steps are counted. Two fifths of the documents are edited copies of earlier ones. Once as the "
        "paper has it, and once without going to the clusters of a fingerprint that more than 100 have.",
    .run = run,
    .judge = judge,
    .plots = plots,
    .listings = lists};
