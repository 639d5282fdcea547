/*
 * Broder 1997, the introduction: 30 million documents of a crawl, clustered at a resemblance of 50 %.
 *
 * The crawl is gone; one with its proportions is made, scanned, and compared with what was put into it.
 */
#include "base/file.h"
#include "base/rng.h"
#include "broder.h"
#include "crawl.h"
#include "guard.h"
#include "signs.h"
#include "truth/made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The budget of the full size: 5 GB on disk, 1 GB of memory and two minutes of a processor, which is a
 * thirtieth of the paper's crawl. All three grow with it, and nothing else. */
#define FULL_DOCUMENTS ((size_t)1000000)

/* The crawl is a data set in two files, as a user would have it: a quarter, and the rest. */
enum { PARTS = 2, PATH_MOST = GUARD_PATH_MOST + 16 };

struct crawl {
    struct guard guard;
    char paths[PARTS][PATH_MOST];
    struct output output; /* of the part that is written */
    struct buf line;
    struct maker *maker;
    struct made_document document;
    uint64_t rng, next_original;
    size_t most;
    struct planted planted[CRAWL_SIZES];
};

/* Words are letters and full stops: there is nothing that JSON would have another way for. */
static stemma_status crawl_add(struct crawl *crawl, const void *bytes, size_t size, stemma_error *err) {
    struct buf *line = &crawl->line;
    line->len = 0;
    if (!buf_add_string(line, "{\"text\":\"") || !buf_add(line, bytes, size) ||
        !buf_add_string(line, "\"}\n"))
        return fail_memory(err);
    crawl->planted[0].documents++;
    crawl->planted[0].bytes += size;
    return output_write(&crawl->output, line->data, line->len, err);
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
    size_t size = crawl_draw(&crawl->rng, crawl->planted, &mixed);
    text->len = 0;
    if (!made_document(crawl->maker, crawl->next_original++, &crawl->document) ||
        !made_text(crawl->maker, &crawl->document.words, " ", text))
        return fail_memory(err);
    return add_cluster(crawl, text, size, mixed, err);
}

/* Until so many documents are there, of all parts. */
static stemma_status write_part(struct crawl *crawl, size_t part, size_t until, stemma_error *err) {
    struct buf text = {0};
    TRY(output_open(&crawl->output, crawl->paths[part], err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && crawl->planted[0].documents < until) status = add_some(crawl, &text, err);
    buf_release(&text);
    if (status == STEMMA_OK) return output_commit(&crawl->output, err);
    output_abandon(&crawl->output);
    return status;
}

static stemma_status crawl_make(struct crawl *crawl, stemma_error *err) {
    TRY(guard_folder(&crawl->guard, err));
    for (size_t part = 0; part < PARTS; part++)
        snprintf(crawl->paths[part], sizeof crawl->paths[part], "%s/%zu.jsonl", crawl->guard.folder, part);
    TRY(write_part(crawl, 0, crawl->most / 4, err));
    return write_part(crawl, 1, crawl->most, err);
}

static void crawl_release(struct crawl *crawl) {
    guard_release(&crawl->guard);
    buf_release(&crawl->line);
    vec64_release(&crawl->document.words);
    made_free(crawl->maker);
}

/* ---- what a scan finds in it ---- */

static stemma_status count_groups(const stemma_scan *scan, struct planted found[CRAWL_SIZES],
                                  stemma_error *err) {
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    memset(found, 0, CRAWL_SIZES * sizeof *found);
    for (uint64_t i = 0; i < summary.groups; i++) {
        stemma_scan_group group;
        TRY(stemma_scan_get_group(scan, i, &group, err));
        bool identical = true;
        for (size_t m = 0; m < group.member_count; m++)
            identical = identical && group.members[m].relation == STEMMA_IDENTICAL;
        crawl_count(found, !identical, group.member_count + 1);
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

static stemma_status scan_parts(const struct crawl *crawl, size_t parts, stemma_scan *scan,
                                struct planted *found, struct table *times, stemma_error *err) {
    for (size_t part = 0; part < parts; part++) TRY(stemma_scan_add_path(scan, crawl->paths[part], err));
    double begin = process_seconds();
    TRY(stemma_scan_run(scan, err));
    stemma_scan_summary summary = stemma_scan_get_summary(scan);
    time_row(&summary, process_seconds() - begin, times);
    return count_groups(scan, found, err);
}

static stemma_status scan_crawl(const struct crawl *crawl, size_t parts, struct planted *found,
                                struct table *times, stemma_error *err) {
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    stemma_scan *scan;
    limits.memory = (size_t)4 << 30; /* of every record something has to be known */
    options.threshold = CRAWL_THRESHOLD;
    options.contained = 0;
    options.group = STEMMA_GROUP_COMPONENTS;
    TRY(stemma_scan_new(NULL, &options, &limits, &scan, err));
    stemma_status status = scan_parts(crawl, parts, scan, found, times, err);
    stemma_scan_free(scan);
    return status;
}

static void size_rows(const char *what, struct planted *by_size, struct table *data) {
    for (size_t i = 0; i < CRAWL_SIZES; i++) {
        char size[20];
        snprintf(size, sizeof size, "\t%s", crawl_size_names[i]);
        by_size[i].documents = by_size->documents;
        crawl_row(what, &by_size[i], size, data);
    }
}

static stemma_status run_crawl(struct crawl *crawl, struct table *data, struct table *times,
                               stemma_error *err) {
    struct planted found[CRAWL_SIZES];
    TRY(crawl_make(crawl, err));
    for (size_t parts = 1; parts <= PARTS; parts++) TRY(scan_crawl(crawl, parts, found, times, err));
    size_rows("made", crawl->planted, data);
    size_rows("found", found, data);
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
        .maker = made_new(&options), .rng = mix64(lab->seed + 5), .most = lab->full ? FULL_DOCUMENTS : 12000};
    table_begin(data, CRAWL_COLUMNS "\tsize");
    table_begin(
        times, "documents\tGB\tCPU_s\tMB_per_s\tbytes_kept\thours_at_150_GB\tGB_kept_at_30M\tGB_disk_at_30M");
    stemma_status status = crawl.maker ? run_crawl(&crawl, data, times, err) : fail_memory(err);
    crawl_release(&crawl);
    return status;
}

/* Every size of cluster is found as often as it was made. */
static void judge_sizes(const struct table *data, struct verdict *verdict) {
    double worst = 0;
    for (size_t i = 1; i < CRAWL_SIZES; i++) {
        double made = 0, found = 0;
        for (int mixed = 0; mixed < 2; mixed++) {
            const char *kind = mixed ? "mixed" : "identical";
            made += table_at(data, kind, "crawl=made size=%s", crawl_size_names[i]);
            found += table_at(data, kind, "crawl=found size=%s", crawl_size_names[i]);
        }
        if (made >= 100) worst = fmax(worst, fabs(found / made - 1));
    }
    claim(
        verdict, worst <= .02,
        "Their sizes, too: where a hundred of a size were made, as many are found within %.2f %%. The paper does "
        "not give sizes; ours are geometric, with its means.",
        100 * worst);
}

static void judge_time(const struct table *times, struct verdict *verdict) {
    size_t last = times->rows - 1;
    double quarter = table_number(times, 0, "MB_per_s"), all = table_number(times, last, "MB_per_s");
    claim(verdict, all > quarter / 2,
          "The time grows with the bytes: %.0f MB for each second of CPU for a quarter, %.0f for all, with "
          "reading them. 150 GB would take %.1f hours of CPU.",
          quarter, all, table_number(times, last, "hours_at_150_GB"));
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    note(verdict,
         "The proportions are the paper's because the crawl is made by them: what is shown is that they are "
         "found again.");
    claim(
        verdict, crawl_error(data, "size=all") <= .02,
        "A scan finds the clusters that were put in: %.0f of identical documents (made: %.0f), %.0f mixed ones "
        "(%.0f).",
        table_look(data, "identical", "crawl=found size=all"),
        table_look(data, "identical", "crawl=made size=all"),
        table_look(data, "mixed", "crawl=found size=all"), table_look(data, "mixed", "crawl=made size=all"));
    judge_sizes(data, verdict);
    double share = (table_look(data, "identical_docs_M", "crawl=found size=all") +
                    table_look(data, "mixed_docs_M", "crawl=found size=all")) /
                   30;
    claim(verdict, share > .35 && share < .47,
          "%.0f %% of the documents are in a cluster (the paper: 12.3 of 30 million, 41 %%).", 100 * share);
    if (evidence->times->cells) judge_time(evidence->times, verdict);
}

static const struct listing lists[] = {
    {"Clusters by how many documents they have, as they were made and found", NULL, "size crawl",
     .values = "identical identical_documents mixed mixed_documents"},
    {"What was found, in millions at 30 million documents", "crawl=found", "crawl size",
     .values = "identical_M identical_docs_M mixed_M mixed_docs_M"},
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
        "clusters whose members lack up to one word in twenty. At the full size it has a million documents and 5 GB, a thirtieth of the paper's. It is "
        "written to disk as a data set, and all of it is scanned at a resemblance of .5, every pair verified.",
    .run = run,
    .judge = judge,
    .listings = lists,
    .time_listings = time_lists};
