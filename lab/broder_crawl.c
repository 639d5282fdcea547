/*
 * Broder 1997, the introduction: 30 million documents of a crawl, clustered at a resemblance of 50 %.
 *
 * The crawl is gone; one with its proportions is made, scanned, and compared with what was put into it.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "broder.h"
#include "crawl.h"
#include "signs.h"
#include "truth/made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct crawl {
    struct text_list {
        struct buf *texts;
        size_t count, room;
    } list;
    struct maker *maker;
    struct made_document document;
    uint64_t rng, next_original;
    size_t most;
    struct planted planted;
};

static stemma_status crawl_add(struct crawl *crawl, const void *bytes, size_t size, stemma_error *err) {
    struct text_list *list = &crawl->list;
    struct buf text = {0};
    if (!mem_grow((void **)&list->texts, &list->room, list->count + 1, sizeof *list->texts) ||
        !buf_add(&text, bytes, size))
        return fail_memory(err);
    list->texts[list->count++] = text;
    crawl->planted.documents++;
    crawl->planted.bytes += size;
    return STEMMA_OK;
}

static stemma_status add_changed(struct crawl *crawl, const struct buf *original, stemma_error *err) {
    stemma_mutation mutation = stemma_mutation_default();
    stemma_mutated *mutated;
    size_t size;
    mutation.kind = STEMMA_MUTATE_REMOVE_WORDS;
    mutation.share = crawl_share(&crawl->rng);
    mutation.seed = rng_next(&crawl->rng);
    TRY(stemma_mutate(original->data, original->len, &mutation, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    stemma_status status = crawl_add(crawl, bytes, size, err);
    stemma_mutated_free(mutated);
    return status;
}

/* An original and its copies. */
static stemma_status add_cluster(struct crawl *crawl, const struct buf *original, size_t size, bool mixed,
                                 stemma_error *err) {
    TRY(crawl_add(crawl, original->data, original->len, err));
    for (size_t i = 1; i < size; i++) {
        if (crawl_changes(&crawl->rng, mixed, i))
            TRY(add_changed(crawl, original, err));
        else
            TRY(crawl_add(crawl, original->data, original->len, err));
    }
    return STEMMA_OK;
}

static stemma_status add_some(struct crawl *crawl, struct buf *text, stemma_error *err) {
    bool mixed;
    size_t size = crawl_draw(&crawl->rng, &crawl->planted, &mixed);
    text->len = 0;
    if (!made_document(crawl->maker, crawl->next_original++, &crawl->document) ||
        !made_text(crawl->maker, &crawl->document.words, "\n", text))
        return fail_memory(err);
    return add_cluster(crawl, text, size, mixed, err);
}

static stemma_status crawl_make(struct crawl *crawl, stemma_error *err) {
    struct buf text = {0};
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && crawl->list.count < crawl->most) status = add_some(crawl, &text, err);
    buf_release(&text);
    return status;
}

static void crawl_release(struct crawl *crawl) {
    for (size_t i = 0; i < crawl->list.count; i++) buf_release(&crawl->list.texts[i]);
    mem_free(crawl->list.texts);
    vec64_release(&crawl->document.words);
    made_free(crawl->maker);
}

/* ---- what a scan finds in it ---- */

static stemma_status count_groups(const stemma_scan *scan, struct planted *found, stemma_error *err) {
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    for (uint64_t i = 0; i < summary.groups; i++) {
        stemma_scan_group group;
        TRY(stemma_scan_get_group(scan, i, &group, err));
        bool identical = true;
        for (size_t m = 0; m < group.member_count; m++)
            identical = identical && group.members[m].relation == STEMMA_IDENTICAL;
        *(identical ? &found->identical : &found->mixed) += 1;
        *(identical ? &found->identical_documents : &found->mixed_documents) += group.member_count + 1;
    }
    found->documents = summary.documents;
    return STEMMA_OK;
}

static double process_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void time_row(const stemma_scan_summary *summary, double seconds, struct table *times) {
    double documents = (double)summary->documents, bytes = (double)summary->bytes;
    table_row(times, "%.0f\t%.2f\t%.2f\t%.0f\t%.0f\t%.2f\t%.2f\t%.1f", documents, bytes / 1e9, seconds,
              bytes / seconds / 1e6, (double)summary->resident_bytes / documents,
              CRAWL_BYTES / bytes * seconds / 3600,
              CRAWL_DOCUMENTS / documents * (double)summary->resident_bytes / 1e9,
              CRAWL_DOCUMENTS / documents * (double)summary->spilled_bytes / 1e9);
}

static stemma_status scan_texts(const struct crawl *crawl, size_t count, stemma_scan *scan,
                                struct planted *found, struct table *times, stemma_error *err) {
    for (size_t i = 0; i < count; i++) {
        char id[24];
        snprintf(id, sizeof id, "%zu", i);
        TRY(stemma_scan_add_text(scan, id, crawl->list.texts[i].data, crawl->list.texts[i].len, err));
    }
    double begin = process_seconds();
    TRY(stemma_scan_run(scan, err));
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    time_row(&summary, process_seconds() - begin, times);
    return count_groups(scan, found, err);
}

static stemma_status scan_crawl(const struct crawl *crawl, size_t count, struct planted *found,
                                struct table *times, stemma_error *err) {
    stemma_scan_options options = stemma_scan_options_default();
    stemma_scan *scan;
    *found = (struct planted){0};
    options.threshold = CRAWL_THRESHOLD;
    options.contained = 0;
    options.group = STEMMA_GROUP_COMPONENTS;
    TRY(stemma_scan_new(NULL, &options, NULL, &scan, err));
    stemma_status status = scan_texts(crawl, count, scan, found, times, err);
    stemma_scan_free(scan);
    return status;
}

static stemma_status run_crawl(struct crawl *crawl, struct table *data, struct table *times,
                               stemma_error *err) {
    struct planted found;
    TRY(crawl_make(crawl, err));
    TRY(scan_crawl(crawl, crawl->list.count / 4, &found, times, err));
    TRY(scan_crawl(crawl, crawl->list.count, &found, times, err));
    crawl_row("made", &crawl->planted, "", data);
    crawl_row("found", &found, "", data);
    return STEMMA_OK;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    const struct made_options options = {.seed = lab->seed,
                                         .count = UINT32_MAX,
                                         .size = lab->full ? 4200 : 1600,
                                         .spread = .6,
                                         .template_share = .1,
                                         .template_words = 20};
    struct crawl crawl = {
        .maker = made_new(&options), .rng = mix64(lab->seed + 5), .most = lab->full ? 200000 : 12000};
    table_begin(data, CRAWL_COLUMNS);
    table_begin(
        times, "documents\tGB\tCPU_s\tMB_per_s\tbytes_kept\thours_at_150_GB\tGB_kept_at_30M\tGB_disk_at_30M");
    stemma_status status = crawl.maker ? run_crawl(&crawl, data, times, err) : fail_memory(err);
    crawl_release(&crawl);
    return status;
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    note(verdict,
         "The proportions are the paper's because the crawl is made by them: what is shown is that they are "
         "found again.");
    claim(
        verdict, crawl_error(data, "") <= .02,
        "A scan finds the clusters that were put in: %.0f of identical documents (made: %.0f), %.0f mixed ones "
        "(%.0f).",
        table_look(data, "identical", "crawl=found"), table_look(data, "identical", "crawl=made"),
        table_look(data, "mixed", "crawl=found"), table_look(data, "mixed", "crawl=made"));
    double share = (table_look(data, "identical_docs_M", "crawl=found") +
                    table_look(data, "mixed_docs_M", "crawl=found")) /
                   30;
    claim(verdict, share > .35 && share < .47,
          "%.0f %% of the documents are in a cluster (the paper: 12.3 of 30 million, 41 %%).", 100 * share);
    if (!times->cells) return;
    size_t last = times->rows - 1;
    double quarter = table_number(times, 0, "MB_per_s"), all = table_number(times, last, "MB_per_s");
    claim(verdict, all > quarter / 2,
          "The time grows with the bytes: %.0f MB for each second of CPU for a quarter, %.0f for all. 150 GB "
          "would take %.1f hours of CPU.",
          quarter, all, table_number(times, last, "hours_at_150_GB"));
}

static const struct listing lists[] = {
    {"Clusters, as they are and in millions at 30 million documents", NULL, "crawl documents",
     .values =
         "identical identical_documents mixed mixed_documents identical_M identical_docs_M mixed_M mixed_docs_M"},
    {0}};
static const struct listing time_lists[] = {
    {"The scan, extrapolated in proportion", NULL, "documents GB",
     .values = "CPU_s MB_per_s bytes_kept hours_at_150_GB GB_kept_at_30M GB_disk_at_30M"},
    {0}};
const struct experiment broder_crawl = {
    .name = "broder-crawl",
    .paper = "broder",
    .place = "introduction",
    .timed = true,
    .title = "A crawl in small",
    .what =
        "A generated crawl with the proportions of the paper's: documents that are alone, clusters of identical ones, and mixed "
        "clusters whose members lack up to one word in twenty. All of it is scanned at a resemblance of .5, every pair verified.",
    .run = run,
    .judge = judge,
    .listings = lists,
    .time_listings = time_lists};
