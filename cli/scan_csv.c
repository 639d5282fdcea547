/* Groups as a table (--csv): one document a line, with the columns that review platforms load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "new_file.h"
#include "scan_report.h"

typedef struct table {
    scan_report *report;
    FILE *out;
    bool tabs;  /* TSV: nothing is quoted, so what divides is escaped */
    bool begun; /* something stands in this line */
} table;

static const char *const columns[] = {"document",    "group",     "pivot",    "similarity", "relation",
                                      "resemblance", "contained", "contains", "bytes",      "modified",
                                      "owner",       "source",    "redundant"};

/* ---- cells ---- */

static void divide(table *t) {
    if (t->begun) fputc(t->tabs ? '\t' : ',', t->out);
    t->begun = true;
}

static void end_line(table *t) {
    fputs(t->tabs ? "\n" : "\r\n", t->out);
    t->begun = false;
}

static void put_byte(const table *t, unsigned char byte) {
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    const char *found = t->tabs && byte ? strchr(special, byte) : NULL;
    if (found)
        fprintf(t->out, "\\%c", letters[found - special]);
    else if (byte == '"' && !t->tabs)
        fputs("\"\"", t->out);
    else
        fputc(byte, t->out);
}

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return end > text && !*end;
}

/* Spreadsheets would run what begins so, quoted or not; an apostrophe makes it text. */
static bool is_formula(const char *text) {
    return *text && strchr("=+-@\t\r", *text) && !is_number(text);
}

static void put_text(table *t, const char *text) {
    const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
    bool quoted = !t->tabs && strpbrk(text, "\",\r\n");
    divide(t);
    if (quoted) fputc('"', t->out);
    if (is_formula(text)) fputc('\'', t->out);
    while (at < end) {
        size_t length = utf8_length(at, (size_t)(end - at));
        if (!length) fputs("\xEF\xBF\xBD", t->out);
        for (size_t i = 0; i < length; i++) put_byte(t, at[i]);
        at += length ? length : 1;
    }
    if (quoted) fputc('"', t->out);
}

static void put_count(table *t, uint64_t value) {
    divide(t);
    fprintf(t->out, "%llu", (unsigned long long)value);
}

static void put_share(table *t, double value) {
    divide(t);
    fprintf(t->out, "%.6f", value);
}

static void put_time(table *t, int64_t nanoseconds) {
    char text[40] = "";
    struct tm broken;
    time_t seconds = (time_t)(nanoseconds / 1000000000 - (nanoseconds % 1000000000 < 0));
    if (nanoseconds && gmtime_r(&seconds, &broken))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &broken);
    put_text(t, text);
}

static void put_owner(table *t, const stemma_scan_document *d) {
    const char *name = d->has_owner ? owner_name(&t->report->owners, d->owner) : "";
    if (name)
        put_text(t, name);
    else
        put_count(t, d->owner);
}

/* ---- lines ---- */

/* Whole percent, rounded down, of what the relation is about. */
static unsigned similarity(const stemma_scan_member *m) {
    return (unsigned)(100 * (m->relation == STEMMA_CONTAINED ? m->contained : m->resemblance));
}

static void put_line(table *t, uint64_t group, const char *pivot, const stemma_scan_member *m,
                     const char *relation) {
    stemma_scan_document d = stemma_scan_get_document(t->report->scan, m->document);
    put_text(t, d.id);
    put_count(t, group);
    put_text(t, pivot);
    put_count(t, similarity(m));
    put_text(t, relation);
    put_share(t, m->resemblance);
    put_share(t, m->contained);
    put_share(t, m->contains);
    put_count(t, d.bytes);
    put_time(t, d.modified);
    put_owner(t, &d);
    put_text(t, d.source ? d.source : "");
    put_text(t, m->redundant ? "yes" : "no");
    end_line(t);
}

static void put_group(table *t, uint64_t index, const stemma_scan_group *group) {
    const stemma_scan_member kept = {
        .document = group->kept, .resemblance = 1, .contained = 1, .contains = 1};
    const char *pivot = stemma_scan_get_document(t->report->scan, group->kept).id;
    put_line(t, index + 1, pivot, &kept, "kept");
    for (size_t i = 0; i < group->member_count && !stop_requested; i++)
        put_line(t, index + 1, pivot, &group->members[i], stemma_relation_name(group->members[i].relation));
}

static void put_table(table *t) {
    const scan_report *r = t->report;
    stemma_scan_group group;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) put_text(t, columns[i]);
    end_line(t);
    for (uint64_t i = 0; i < r->summary.groups && !stop_requested && !ferror(t->out); i++) {
        if (stemma_scan_get_group(r->scan, i, &group, NULL)) break;
        put_group(t, i, &group);
    }
}

/* ---- the file ---- */

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcasecmp(text + length - tail, end);
}

/* Of a lost output main() speaks. */
static enum exit_code print_table(scan_report *r) {
    table t = {.report = r, .out = stdout};
    put_table(&t);
    output_lost();
    return stop_requested ? EXIT_INTERRUPTED : EXIT_DONE;
}

enum exit_code report_table(scan_report *r) {
    const options *o = r->options;
    new_file file;
    if (!strcmp(o->csv, "-")) return print_table(r);
    if (!new_file_open(&file, o->csv)) return complain_of_write(o->csv, errno);
    table t = {.report = r, .out = file.out, .tabs = ends_in(o->csv, ".tsv")};
    put_table(&t);
    int cause = ferror(file.out) ? errno : 0;
    if (stop_requested || cause) {
        new_file_abandon(&file);
        return stop_requested ? EXIT_INTERRUPTED : complain_of_write(o->csv, cause);
    }
    return new_file_keep(&file, o->force) ? EXIT_DONE : complain_of_write(o->csv, errno);
}
