/*
 * scan_report.h - what a scan found, for people (words), for programs (JSON lines) and for scripts (names).
 *
 * Everything is printed from the scan as it stands: nothing is collected, so that millions of lines need no
 * memory of their own. Each ends early when nobody reads or an interruption was asked for.
 */
#ifndef STEMMA_CLI_SCAN_REPORT_H
#define STEMMA_CLI_SCAN_REPORT_H

#include "options.h"
#include "output.h"
#include "owners.h"

typedef struct scan_report {
    const options *options;
    stemma_scan *scan;
    stemma_scan_summary summary;
    double threshold, contained; /* in force; contained 0: not looked for */
    const char *recipe;
    FILE *out;         /* of JSON lines */
    uint64_t filtered; /* records written by --filter */
    int64_t flushed;   /* when a stream was sent on last */
    uint64_t printed;  /* lines of a stream */
    bool several;      /* data sets, or files besides: records are told apart by theirs */
    owners owners;
    enum exit_code acted; /* what came of acting on files */
} scan_report;

/* ---- names that stand alone ---- */

bool several_sources(const options *o); /* whether records may be of several data sets, or beside files */
bool is_same_source(const char *a, const char *b);
/* Both to be freed. */
char *document_name(const scan_report *r, uint64_t number); /* the id; where there are several, FILE:ID */
char *name_with_source(const char *id, const char *source); /* source NULL: the id */

/* ---- for people ---- */

void report_summary(const scan_report *r);
void report_groups(scan_report *r);
void report_trees(scan_report *r);
stemma_status report_pairs(scan_report *r, stemma_error *error);
stemma_status report_passages(scan_report *r, stemma_error *error);
/* Members of groups that are not redundant. */
typedef struct scan_staying {
    uint64_t inside;  /* archives and mail, from where nothing is removed */
    uint64_t holding; /* more than was compared, such as other documents, which would go with them */
} scan_staying;
scan_staying count_staying(const scan_report *r);
/* "near-duplicate 97 %" */
const char *relation_words(const stemma_scan_member *m, char *buffer, size_t size);
/* The same, where the member may be the kept document in another format. */
const char *form_words(const stemma_scan_member *m, bool another_form, char *buffer, size_t size);
enum exit_code report_problems(const scan_report *r); /* see problems.h */
/* Whether something was told of a document; OK: that it is damaged, and was used. */
bool find_problem(const scan_report *r, const char *name, stemma_status *status);

/* ---- for scripts ---- */

void report_redundant(const scan_report *r);

/* ---- JSON lines ---- */

void json_groups(scan_report *r, uint64_t most);
struct json;
void json_tree_node(const scan_report *r, struct json *j, const stemma_tree *tree, size_t place);
void json_pair(const scan_report *r, const stemma_scan_pair *pair);
void json_passage(const scan_report *r, const stemma_scan_passage *passage);
void json_problems(const scan_report *r);
void json_summary(const scan_report *r);

/* ---- files: the page of --report, the table of --csv ---- */

enum exit_code report_page_check(void); /* before the work: whether this program has the page */
enum exit_code report_page(scan_report *r);
enum exit_code report_table(scan_report *r);

/* A scan and its report: of `stemma scan`, and of `stemma tree`, which has a format. */
enum exit_code scan_command(const options *o);

/* Whether to go on printing. */
bool report_heard(void);

#endif
