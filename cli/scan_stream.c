/* Pairs and shared passages of a scan, printed as they become known; and what could not be read. */
#include "scan_report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judge.h"
#include "problems.h"
#include "recipe_options.h"

enum {
    FLUSH_NANOSECONDS = 200000000, /* a reader waits no longer for what is known */
    EXCERPT_SHOWN = 300,           /* bytes; JSON has all */
    PASSAGES = 100
};

/* Sends on what was printed, if that is due. An error when nobody reads. */
static stemma_status keep_flowing(scan_report *r, stemma_error *error) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    r->printed++;
    if (now - r->flushed >= FLUSH_NANOSECONDS) {
        r->flushed = now;
        flush_output();
    }
    if (report_heard()) return STEMMA_OK;
    return set_error(error, output_lost() ? STEMMA_IO : STEMMA_INTERRUPTED, "the output was closed");
}

/* ---- pairs ---- */

/* A name, and how many more documents have that text. */
static void print_class(const scan_report *r, uint64_t document, bool with_copies) {
    size_t count = 0;
    char text[32], *name = document_name(r, document);
    print_name(stdout, name);
    free(name);
    stemma_scan_copies(r->scan, document, &count);
    if (with_copies && count > 1) printf(" (+%s)", format_count(count - 1, text, sizeof text));
}

static void print_pair(const scan_report *r, const stemma_scan_pair *pair) {
    bool with_copies = pair->relation > STEMMA_SAME_TEXT;
    char resemblance[32], a_in_b[32], b_in_a[32];
    printf("%-16s %11s %8s %8s  ", stemma_relation_name(pair->relation),
           format_fraction(pair->resemblance, resemblance, sizeof resemblance),
           format_fraction(pair->a_in_b, a_in_b, sizeof a_in_b),
           format_fraction(pair->b_in_a, b_in_a, sizeof b_in_a));
    print_class(r, pair->a, with_copies);
    fputs("  ", stdout);
    print_class(r, pair->b, with_copies);
    putchar('\n');
}

static stemma_status take_pair(void *context, const stemma_scan_pair *pair, stemma_error *error) {
    scan_report *r = context;
    if (r->options->json)
        json_pair(r, pair);
    else
        print_pair(r, pair);
    return keep_flowing(r, error);
}

static stemma_status take_copy(scan_report *r, uint64_t document, uint64_t copy, stemma_error *error) {
    bool identical = stemma_scan_same_bytes(r->scan, document, copy);
    stemma_scan_pair pair = {.a = document,
                             .b = copy,
                             .relation = identical ? STEMMA_IDENTICAL : STEMMA_SAME_TEXT,
                             .resemblance = 1,
                             .a_in_b = 1,
                             .b_in_a = 1};
    return take_pair(r, &pair, error);
}

/* A document and its copies are pairs, too: each copy with the first of them. */
static stemma_status take_copies(scan_report *r, uint64_t document, stemma_error *error) {
    size_t count = 0;
    const uint64_t *copies = stemma_scan_copies(r->scan, document, &count);
    stemma_status status = STEMMA_OK;
    if (!copies) return set_error(error, STEMMA_NO_MEMORY, "out of memory");
    if (copies[0] != document) return STEMMA_OK;
    for (size_t i = 1; i < count && !status; i++) status = take_copy(r, document, copies[i], error);
    return status;
}

stemma_status report_pairs(scan_report *r, stemma_error *error) {
    stemma_status status = STEMMA_OK;
    if (!r->options->json && !r->options->quiet) verdict_print_head();
    for (uint64_t i = 0; i < r->summary.documents && !status; i++) status = take_copies(r, i, error);
    return status ? status : stemma_scan_pairs(r->scan, take_pair, r, error);
}

/* ---- passages ---- */

static void print_passage(const scan_report *r, const stemma_scan_passage *passage) {
    char documents[32], tokens[32], offset[32];
    char *text = excerpt_of(passage->text, passage->size, EXCERPT_SHOWN, false),
         *name = document_name(r, passage->example);
    printf("%s%s documents, %s %s, such as ", r->printed ? "\n" : "",
           format_count(passage->documents, documents, sizeof documents),
           format_count(passage->tokens, tokens, sizeof tokens), recipe_unit(r->recipe, passage->tokens));
    print_name(stdout, name);
    printf(" at byte %s\n  %s\n", format_count(passage->offset, offset, sizeof offset), text);
    free(text);
    free(name);
}

static stemma_status take_passage(void *context, const stemma_scan_passage *passage, stemma_error *error) {
    scan_report *r = context;
    if (r->options->json)
        json_passage(r, passage);
    else
        print_passage(r, passage);
    return keep_flowing(r, error);
}

stemma_status report_passages(scan_report *r, stemma_error *error) {
    stemma_status status = stemma_scan_boilerplate(r->scan, 0, PASSAGES, take_passage, r, error);
    if (!status && !r->printed && !r->options->json && !r->options->quiet)
        puts("no passage that many documents share");
    return status;
}

/* ---- problems ---- */

static bool problem_of_scan(const void *scan, uint64_t index, stemma_scan_problem *problem) {
    return stemma_scan_get_problem(scan, index, problem, NULL) == STEMMA_OK;
}

/* Problems are in the order of names. */
bool find_problem(const scan_report *r, const char *name, stemma_status *status) {
    uint64_t low = 0, high = r->summary.problems;
    while (low < high) {
        stemma_scan_problem problem;
        const uint64_t middle = low + (high - low) / 2;
        if (!problem_of_scan(r->scan, middle, &problem)) return false;
        const int order = strcmp(name, problem.name);
        if (order == 0) {
            *status = problem.status;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static bool is_unread(const scan_report *r, const char *name) {
    stemma_status status;
    return find_problem(r, name, &status) && status != STEMMA_OK;
}

/* What cannot be read is a document, too: whether there is one besides. */
static bool others_were_scanned(const scan_report *r) {
    if (r->summary.documents > r->summary.problems - r->summary.damaged) return true;
    for (uint64_t i = 0; i < r->summary.documents; i++)
        if (!is_unread(r, stemma_scan_get_document(r->scan, i).id)) return true;
    return false;
}

/* Whoever goes by names would take one for the other; a filter goes by places. */
static void warn_of_namesakes(const scan_report *r) {
    char text[32];
    if (r->summary.namesakes == 0 || r->options->filter) return;
    complain("warning: %s records have the id of another in their data set; --json tells them apart, by "
             "'offset'",
             format_count(r->summary.namesakes, text, sizeof text));
}

static void warn_of_crowds(const scan_report *r) {
    char text[32];
    if (r->summary.crowded == 0 || !r->options->pairs) return;
    complain("warning: %s texts have something in common with more than --cap: some pairs of them may be "
             "missing",
             format_count(r->summary.crowded, text, sizeof text));
}

enum exit_code report_problems(const scan_report *r) {
    const char *trouble = stemma_scan_get_cache_trouble(r->scan);
    if (trouble) complain("warning: %s", trouble);
    warn_of_namesakes(r);
    warn_of_crowds(r);
    const bool others = others_were_scanned(r);
    const problem_list list = {.get = problem_of_scan,
                               .of = r->scan,
                               .count = r->summary.problems,
                               .documents = others ? 0 : r->summary.documents};
    problems_report(&list, !r->options->quiet && !r->options->json,
                    others ? "; the others were scanned" : "");
    return problems_code(r->options, 0, &list);
}

void json_problems(const scan_report *r) {
    const problem_list list = {.get = problem_of_scan, .of = r->scan, .count = r->summary.problems};
    problems_json(&list, r->out);
}
