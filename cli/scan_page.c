/*
 * The page of --report: the page as it was built, then the scan's JSON lines, then the texts of each group,
 * all packed. Groups are written as they are asked for, so that memory is needed for the texts of one group
 * only.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "group_texts.h"
#include "json.h"
#include "new_file.h"
#include "packed.h"
#include "page.h"
#include "scan_report.h"

enum {
    MOST_DOCUMENTS = 200000, /* of groups that are listed: a browser holds about so many with ease */
    MOST_TEXT = 1 << 20      /* bytes of one text: what any scan holds in memory, and people compare by eye */
};

typedef struct page_writer {
    scan_report *report;
    FILE *out;
    uint64_t groups;  /* that are listed */
    size_t text_left; /* bytes of text that may still be taken */
    int cause;        /* errno of what was lost */
} page_writer;

static bool going_on(const page_writer *w) {
    return !w->cause && !stop_requested;
}

static void write_piece(page_writer *w, const char *text, size_t size) {
    if (fwrite(text, 1, size, w->out) < size && !w->cause) w->cause = errno;
}

/* ---- packed pieces of the page ---- */

typedef void write_content(page_writer *w, uint64_t index, FILE *out);

/* A data block: no script, so that browsers only keep it. */
static void write_block(page_writer *w, const char *name, uint64_t index, write_content *content) {
    FILE *in;
    fprintf(w->out, "<script type=\"application/octet-stream\" id=\"%s-%llu\">", name,
            (unsigned long long)index);
    packed *p = packed_open(w->out, &in);
    content(w, index, in);
    int cause = packed_close(p);
    if (cause && !w->cause) w->cause = cause;
    write_piece(w, "</script>\n", 10);
}

/* ---- the data ---- */

static uint64_t count_listed(const scan_report *r) {
    stemma_scan_group group;
    uint64_t documents = 0, i = 0;
    for (; i < r->summary.groups && !stemma_scan_get_group(r->scan, i, &group, NULL); i++)
        if ((documents += group.member_count + 1) > MOST_DOCUMENTS && i > 0) break;
    return i;
}

/* What has to be said again for a document to be read as the scan has read it. */
static void write_reading(json *j, const options *o) {
    if (o->text_field) json_word(j, "text_field", o->text_field);
    if (o->id_field) json_word(j, "id_field", o->id_field);
    if (o->encoding) json_word(j, "encoding", stemma_encoding_name(o->encoding));
}

static void write_head(const page_writer *w, FILE *out) {
    const options *o = w->report->options;
    char made[40];
    time_t now = time(NULL);
    struct tm broken;
    json j = json_begin(out);
    json_word(&j, "report", stemma_version());
    if (gmtime_r(&now, &broken) && strftime(made, sizeof made, "%Y-%m-%dT%H:%M:%SZ", &broken))
        json_word(&j, "made", made);
    json_open(&j, "paths", '[');
    for (size_t i = 0; i < o->operand_count; i++) json_word(&j, NULL, o->operands[i]);
    json_close(&j, ']');
    json_count(&j, "listed", w->groups);
    json_count(&j, "text_budget", o->report_text);
    write_reading(&j, o);
    scan_staying staying = count_staying(w->report);
    json_count(&j, "inside", staying.inside);
    json_count(&j, "holding", staying.holding);
    json_end(&j);
}

static void write_data(page_writer *w, uint64_t index, FILE *out) {
    scan_report *r = w->report;
    (void)index;
    write_head(w, out);
    r->out = out;
    json_groups(r, w->groups);
    json_problems(r);
    json_summary(r);
    r->out = stdout;
}

/* ---- the texts ---- */

static void take_text(page_writer *w, group_texts *texts, uint64_t document) {
    const char *text;
    size_t size;
    bool folded;
    if (!w->text_left || stemma_scan_get_text(w->report->scan, document, &text, &size, &folded, NULL) ||
        size > MOST_TEXT) {
        group_texts_add_none(texts);
        return;
    }
    size_t fresh = group_texts_add(texts, text, size, folded);
    w->text_left -= fresh < w->text_left ? fresh : w->text_left;
}

static void write_texts(page_writer *w, uint64_t index, FILE *out) {
    stemma_scan_group group;
    if (stemma_scan_get_group(w->report->scan, index, &group, NULL)) return;
    group_texts *texts = group_texts_new();
    take_text(w, texts, group.kept);
    for (size_t i = 0; i < group.member_count && going_on(w); i++)
        if (group.members[i].relation == STEMMA_IDENTICAL)
            group_texts_add_first(texts);
        else
            take_text(w, texts, group.members[i].document);
    group_texts_write(texts, out);
    group_texts_free(texts);
}

static void write_page(page_writer *w) {
    size_t size;
    const char *before = page_before(&size);
    write_piece(w, before, size);
    write_block(w, "data", 0, write_data);
    for (uint64_t i = 0; i < w->groups && w->text_left && going_on(w); i++)
        write_block(w, "texts", i, write_texts);
    const char *behind = page_behind(&size);
    write_piece(w, behind, size);
}

/* ---- the file ---- */

enum exit_code report_page(scan_report *r) {
    const options *o = r->options;
    new_file file;
    if (!new_file_open(&file, o->report)) return complain_of_write(o->report, errno);
    page_writer w = {.report = r, .out = file.out, .groups = count_listed(r), .text_left = o->report_text};
    write_page(&w);
    if (!going_on(&w)) {
        new_file_abandon(&file);
        return stop_requested ? EXIT_INTERRUPTED : complain_of_write(o->report, w.cause);
    }
    return new_file_keep(&file, o->force) ? EXIT_DONE : complain_of_write(o->report, errno);
}

enum exit_code report_page_check(void) {
    size_t size;
    if (page_before(&size)) return EXIT_DONE;
    complain("this program was built without the page of --report: that takes npm, see STEMMA_REPORT");
    return EXIT_WRONG;
}
