/*
 * Broder 1997, the introduction, at its size: 30 million sketches.
 *
 * Text for 30 million documents is too much to make; their sketches are not. A document that is alone has
 * minima of its own. A changed copy lacks some words and has each minimum of its original with the
 * probability of their resemblance, which is what minima are. From there on everything is the library's:
 * candidates, and components of those whose sketches agree.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "broder.h"
#include "crawl.h"
#include "group/group.h"
#include "join/join.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

enum { VARIANT_BITS = 16, WINDOW = 5 };
static const size_t pairs_memory = (size_t)256 << 20;

/* Documents that are the same are one class. */
struct classes {
    uint32_t count;
    uint64_t *labels;    /* of each: which original, and which of its changed copies; 0: itself */
    uint32_t *documents; /* of each */
    uint32_t *ranks;
    uint8_t *keys;
};

struct sketches {
    uint64_t seed;
    struct vec64 labels; /* of all documents */
    struct planted planted[CRAWL_SIZES];
    struct join_plan plan;
    struct classes classes;
};

/* ---- making them ---- */

static stemma_status draw_cluster(struct sketches *s, uint64_t origin, uint64_t *rng, stemma_error *err) {
    bool mixed;
    size_t size = crawl_draw(rng, s->planted, &mixed);
    uint64_t changed = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t variant = i && crawl_changes(rng, mixed, i) ? ++changed : 0;
        if (!vec64_add(&s->labels, origin << VARIANT_BITS | variant)) return fail_memory(err);
    }
    s->planted->documents += size;
    return STEMMA_OK;
}

static stemma_status draw_documents(struct sketches *s, size_t most, stemma_error *err) {
    uint64_t rng = mix64(s->seed + 5);
    for (uint64_t origin = 0; s->planted->documents < most; origin++) TRY(draw_cluster(s, origin, &rng, err));
    return sort_u64(s->labels.data, s->labels.len) ? STEMMA_OK : fail_memory(err);
}

/* Of a text without some words: shingles survive that none of them stood in. */
static double resemblance_without(double share) {
    double kept = pow(1 - share, WINDOW);
    return kept / (2 - share - kept);
}

static void make_key(const struct sketches *s, uint64_t label, uint8_t *key) {
    uint64_t origin = mix64(s->seed ^ mix64(label >> VARIANT_BITS)), own = mix64(~s->seed ^ mix64(label));
    for (uint32_t i = 0; i < s->plan.minima; i++) key[i] = (uint8_t)rng_next(&origin);
    if (!(label & ((1u << VARIANT_BITS) - 1))) return;
    double resemblance = resemblance_without(crawl_share(&own));
    for (uint32_t i = 0; i < s->plan.minima; i++)
        if (rng_unit(&own) >= resemblance) key[i] = (uint8_t)rng_next(&own);
}

/* Copies are not met one after the other: neighbours in order of labels are far apart. */
static uint32_t place_of(const struct classes *c, uint32_t i) {
    static const uint64_t stride = 2654435761; /* a prime above all counts there may be */
    return (uint32_t)(i * stride % c->count);
}

static uint32_t count_classes(const struct vec64 *labels) {
    uint32_t count = 0;
    for (size_t i = 0; i < labels->len; i++) count += !i || labels->data[i] != labels->data[i - 1];
    return count;
}

static stemma_status classes_make(struct sketches *s, stemma_error *err) {
    struct classes *c = &s->classes;
    c->count = count_classes(&s->labels);
    c->labels = mem_alloc(c->count * sizeof *c->labels);
    c->documents = mem_zero(c->count, sizeof *c->documents);
    c->ranks = mem_alloc(c->count * sizeof *c->ranks);
    c->keys = mem_zero(c->count * s->plan.key_bytes + KERNEL_SLACK, 1);
    if (!c->labels || !c->documents || !c->ranks || !c->keys) return fail_memory(err);
    uint32_t class = 0, place = 0;
    for (size_t i = 0; i < s->labels.len; i++) {
        uint64_t label = s->labels.data[i];
        if (!i || label != s->labels.data[i - 1]) {
            place = place_of(c, class ++);
            c->labels[place] = label;
            c->ranks[place] = place;
            make_key(s, label, c->keys + place * s->plan.key_bytes);
        }
        c->documents[place]++;
    }
    vec64_release(&s->labels);
    return STEMMA_OK;
}

static void sketches_release(struct sketches *s) {
    vec64_release(&s->labels);
    mem_free(s->classes.labels);
    mem_free(s->classes.documents);
    mem_free(s->classes.ranks);
    mem_free(s->classes.keys);
}

/* ---- finding clusters among them ---- */

/* Minima that agree, of all: what strangers agree in by chance is one in 256. */
static stemma_status verify(void *context, const uint64_t *pairs, size_t count, struct numbers *numbers,
                            stemma_error *err) {
    const struct sketches *s = context;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *a = s->classes.keys + (pairs[i] >> 32) * s->plan.key_bytes,
                      *b = s->classes.keys + (uint32_t)pairs[i] * s->plan.key_bytes;
        uint64_t agree = 0;
        for (uint32_t k = 0; k < s->plan.minima; k++) agree += a[k] == b[k];
        numbers[i] = (struct numbers){agree, s->plan.minima, agree};
    }
    return STEMMA_OK;
}

struct outcome {
    struct planted found;
    uint64_t strangers; /* documents in a cluster with another original */
    struct join_counts join;
    uint64_t candidates, spilled;
};

/* Clusters of several classes are mixed; a class of several documents that is in none is one of identical
 * ones. */
static stemma_status count_clusters(const struct sketches *s, const struct group_members *members,
                                    struct outcome *out, stemma_error *err) {
    const struct classes *c = &s->classes;
    struct planted *found = &out->found;
    bool *grouped = mem_zero(c->count, sizeof *grouped);
    if (!grouped) return fail_memory(err);
    for (size_t i = 0; i < members->count; i++) {
        const struct group_member *member = &members->list[i];
        if (!grouped[member->kept]) found->mixed++, found->mixed_documents += c->documents[member->kept];
        grouped[member->kept] = grouped[member->rank] = true;
        found->mixed_documents += c->documents[member->rank];
        if (c->labels[member->rank] >> VARIANT_BITS != c->labels[member->kept] >> VARIANT_BITS)
            out->strangers += c->documents[member->rank];
    }
    for (uint32_t i = 0; i < c->count; i++) {
        found->documents += c->documents[i];
        if (grouped[i] || c->documents[i] < 2) continue;
        found->identical++;
        found->identical_documents += c->documents[i];
    }
    mem_free(grouped);
    return STEMMA_OK;
}

static stemma_status group_pairs(const struct sketches *s, struct sorter *pairs, struct outcome *out,
                                 stemma_error *err) {
    const struct group_rule rule = {.kind = GROUP_COMPONENTS, .threshold = CRAWL_THRESHOLD};
    const struct group_verifier verifier = {.context = (void *)(uintptr_t)s, .verify = verify};
    struct group_members members = {0};
    TRY(group_make(&rule, s->classes.count, pairs, &verifier, &members, err));
    out->candidates = members.candidates;
    stemma_status status = count_clusters(s, &members, out, err);
    group_members_release(&members);
    return status;
}

static stemma_status find_clusters(const struct sketches *s, struct outcome *out, stemma_error *err) {
    const struct classes *c = &s->classes;
    struct join_input input = {.count = c->count, .keys = c->keys, .rank = c->ranks};
    struct sorter_options options = {.memory = pairs_memory};
    struct sorter *pairs;
    TRY(sorter_new(&options, &pairs, err));
    stemma_status status = join_candidates(&s->plan, &input, pairs, &out->join, err);
    if (status == STEMMA_OK) status = sorter_finish(pairs, err);
    if (status == STEMMA_OK) status = group_pairs(s, pairs, out, err);
    out->spilled = sorter_spilled(pairs);
    sorter_free(pairs);
    return status;
}

/* ---- the experiment ---- */

static double process_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_gigabytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? NAN : (double)usage.ru_maxrss * 1024 / 1e9;
}

/* Strangers that a class meets in all bands, since a row has only so many values. */
static double chance_meetings(const struct sketches *s) {
    return s->plan.bands * .5 * s->classes.count * pow(2, -KEY_BITS * (double)s->plan.rows);
}

static void data_rows(const struct sketches *s, const struct outcome *out, struct table *data) {
    char more[128];
    double classes = s->classes.count;
    snprintf(more, sizeof more, "\t%.0f\t%llu\t%.2f\t%.2f\t%.3f", classes, (unsigned long long)out->strangers,
             (double)out->join.looked / classes, chance_meetings(s), (double)out->candidates / classes);
    crawl_row("made", s->planted, "\t\t\t\t\t", data);
    crawl_row("found", &out->found, more, data);
}

static void time_row(const struct sketches *s, const struct outcome *out, double made, double took,
                     struct table *times) {
    double documents = (double)s->planted->documents;
    table_row(times, "%.0f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f", documents, made, took, 1e6 * took / documents,
              peak_gigabytes(), (double)(out->spilled + out->join.spilled) / 1e9);
}

static stemma_status run_sketches(struct sketches *s, size_t most, struct table *data, struct table *times,
                                  stemma_error *err) {
    struct join_options options = {.threshold = CRAWL_THRESHOLD, .seed = s->seed};
    struct outcome out = {0};
    double begin = process_seconds();
    TRY(join_plan_make(&options, &s->plan, err));
    TRY(draw_documents(s, most, err));
    TRY(classes_make(s, err));
    double made = process_seconds();
    TRY(find_clusters(s, &out, err));
    time_row(s, &out, made - begin, process_seconds() - made, times);
    data_rows(s, &out, data);
    return STEMMA_OK;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    size_t most = lab->full ? (size_t)CRAWL_DOCUMENTS : 200000;
    table_begin(data, CRAWL_COLUMNS "\tclasses\tstrangers\tlooks\tby_chance\tcandidates");
    table_begin(times, "documents\tmaking_s\tclustering_s\tus_per_document\tpeak_GB\tGB_disk");
    for (size_t part = 100; part; part /= 10) {
        struct sketches s = {.seed = lab->seed};
        stemma_status status = run_sketches(&s, most / part, data, times, err);
        sketches_release(&s);
        if (status != STEMMA_OK) return status;
    }
    return STEMMA_OK;
}

/* ---- what it shows ---- */

static void judge_size(const struct table *data, size_t row, struct verdict *verdict) {
    char where[64];
    double documents = table_number(data, row, "documents");
    snprintf(where, sizeof where, "documents=%.0f", documents);
    claim(
        verdict, crawl_error(data, where) <= .01 && table_number(data, row, "strangers") == 0,
        "Of %.0f sketches the clusters come out that were put in, within %.3f %%, and %.0f documents beside a "
        "stranger.",
        documents, 100 * crawl_error(data, where), table_number(data, row, "strangers"));
}

/* Both have a size and a draw of their own: they may differ by what clusters counted by chance do. */
static void judge_extrapolation(const struct table *data, size_t small, size_t large,
                                struct verdict *verdict) {
    static const char *const columns[] = {"identical", "mixed"};
    double scale = table_number(data, large, "documents") / table_number(data, small, "documents");
    double worst = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double expected = scale * table_number(data, small, columns[i]),
               error = scale * sqrt(table_number(data, small, columns[i]));
        worst = fmax(worst, fabs(table_number(data, large, columns[i]) - expected) / error);
    }
    claim(
        verdict, worst < 4,
        "From %.0f documents extrapolated, there would be %.0f clusters of identical documents and %.0f mixed "
        "ones; at %.0f there are %.0f and %.0f.",
        table_number(data, small, "documents"), scale * table_number(data, small, "identical"),
        scale * table_number(data, small, "mixed"), table_number(data, large, "documents"),
        table_number(data, large, "identical"), table_number(data, large, "mixed"));
}

/* The square in it, and that it stays small. */
static void judge_work(const struct table *data, size_t small, size_t large, struct verdict *verdict) {
    double near = table_number(data, small, "looks"), looks = table_number(data, large, "looks"),
           chance = table_number(data, large, "by_chance");
    claim(verdict, looks < 1.5 * near + 1.1 * chance,
          "Of %.2f million different sketches each is held against %.1f others, %.1f of which a band brings "
          "together by chance, and %.2f are candidates; of %.2f million against %.1f.",
          table_number(data, large, "classes") / 1e6, looks, chance, table_number(data, large, "candidates"),
          table_number(data, small, "classes") / 1e6, near);
}

static void judge_times(const struct table *times, struct verdict *verdict) {
    size_t last = times->rows - 1;
    double small = table_number(times, 0, "us_per_document"),
           large = table_number(times, last, "us_per_document");
    claim(
        verdict, large < 20 * small,
        "Clustering took %.0f s of CPU and %.1f GB at most for %.0f sketches: %.1f us each, where %.0f take %.1f. "
        "To what a small crawl extrapolates in proportion %.0f s have to be added.",
        table_number(times, last, "clustering_s"), table_number(times, last, "peak_GB"),
        table_number(times, last, "documents"), large, table_number(times, 0, "documents"), small,
        fmax(0, (large - small) * table_number(times, last, "documents") / 1e6));
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    note(verdict,
         "The proportions are the paper's because the crawl is made by them: what is shown is that they are "
         "found again.");
    for (size_t row = 0; row < data->rows; row++)
        if (table_matches(data, row, "crawl=found")) judge_size(data, row, verdict);
    judge_extrapolation(data, 1, data->rows - 1, verdict);
    judge_work(data, 3, data->rows - 1, verdict);
    if (times->cells) judge_times(times, verdict);
}

static const struct listing lists[] = {
    {"Clusters, as they are and in millions at 30 million documents", NULL, "crawl documents",
     .values =
         "identical identical_documents mixed mixed_documents identical_M identical_docs_M mixed_M mixed_docs_M"},
    {"Work for each different sketch", "crawl=found", "documents classes",
     .values = "strangers looks by_chance candidates"},
    {0}};
static const struct listing time_lists[] = {
    {"What it took", NULL, "documents", .values = "making_s clustering_s us_per_document peak_GB GB_disk"},
    {0}};
const struct experiment broder_sketches = {
    .name = "broder-sketches",
    .paper = "broder",
    .place = "introduction",
    .timed = true,
    .title = "The crawl at its size, in sketches",
    .what =
        "The same proportions at 30 million documents (quick: 200,000), made as sketches without text: a changed copy has each "
        "minimum of its original with the probability of their resemblance. Documents that are the same collapse; of the rest a "
        "scan's own candidates are found at .5, and those whose sketches agree are clustered. So what a small crawl extrapolates "
        "is checked at the paper's size, but for reading and shingling 150 GB.",
    .run = run,
    .judge = judge,
    .listings = lists,
    .time_listings = time_lists};
