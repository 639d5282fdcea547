#include "report.h"

#include "base/alloc.h"
#include "base/file.h"
#include "origin.h"
#include "plot.h"
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_MOST 4200

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width,initial-scale=1\"><title>The lab of Stemma</title>\n<style>"
    ":root{color-scheme:light dark;--ink:#222;--soft:#5b5b63;--faint:#d5d5d8;--ground:#fff;--good:#15803d;--other:#b45309;"
    "--bad:#b91c1c}@media(prefers-color-scheme:dark){:root{--ink:#e4e4e7;--soft:#a1a1aa;--faint:#3a3a40;--ground:#17171a;"
    "--good:#6fd08c;--other:#f0b95a;--bad:#ff8080}}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);max-width:66rem;margin:0 auto;"
    "padding:1rem}h1{font-size:1.7rem}h2{font-size:1.35rem;margin-top:3rem;border-top:1px solid var(--faint);"
    "padding-top:1rem}h3{margin:2.2rem 0 .2rem}a{color:inherit}.soft{color:var(--soft)}"
    "ul.points{list-style:none;padding:0}ul.points li{padding-left:1.6rem;text-indent:-1.6rem;margin:.25rem 0}"
    ".note::before{content:'\\00b7'}.holds::before{content:'\\2713';color:var(--good)}.differs::before{content:'\\2260';color:var(--other)}"
    ".fails::before{content:'\\2717';color:var(--bad)}.points li::before{display:inline-block;width:1.6rem;text-indent:0;"
    "font-weight:700}.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.2rem}"
    "figure{margin:0}.pictures figure{max-width:36rem}figure.list{margin:1rem 0}figcaption{font-weight:600;font-size:.95rem}svg{width:100%;height:auto;display:block}"
    ".wide{overflow-x:auto;background:linear-gradient(var(--ground),var(--ground)) 100% 0/1.5rem 100% local no-repeat,"
    "linear-gradient(270deg,var(--faint),transparent) 100% 0/1.2rem 100% scroll no-repeat}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;margin:.4rem 0}"
    "th,td{padding:.15rem .6rem;border-bottom:1px solid var(--faint);text-align:right}table.words td,table.words th{text-align:left}th:first-child,td:first-child"
    "{text-align:left}th{font-weight:600;white-space:nowrap}td{white-space:nowrap}td.paper,th.paper"
    "{color:var(--soft);font-style:italic}";

struct page {
    struct buf out;
    const char *target; /* a folder: it is Markdown, and pictures go there; NULL: HTML */
    bool ok;
    stemma_error *err;
    stemma_status status; /* of writing a picture */
};

#define PUT(page, ...) ((page)->ok = (page)->ok && buf_add_format(&(page)->out, __VA_ARGS__))

static void put_text(struct page *page, const char *text) {
    page->ok = page->ok && (page->target ? buf_add_string(&page->out, text) : add_escaped(&page->out, text));
}

static void put_heading(struct page *page, int level, const char *text) {
    if (page->target)
        PUT(page, "\n%.*s ", level, "####");
    else
        PUT(page, "<h%d>", level);
    put_text(page, text);
    if (page->target)
        PUT(page, "\n\n");
    else
        PUT(page, "</h%d>\n", level);
}

static void put_paragraph(struct page *page, const char *text, bool soft) {
    if (!page->target) PUT(page, soft ? "<p class=\"soft\">" : "<p>");
    put_text(page, text);
    PUT(page, page->target ? "\n\n" : "</p>\n");
}

static void put_point(struct page *page, const struct point *point) {
    static const char *const classes[] = {"note", "holds", "differs", "fails"}, *const signs[] = {"·", "✓",
                                                                                                  "≠", "✗"};
    if (page->target)
        PUT(page, "- %s ", signs[point->finding]);
    else
        PUT(page, "<li class=\"%s\">", classes[point->finding]);
    put_text(page, point->text);
    PUT(page, page->target ? "\n" : "</li>\n");
}

/* Where there is no paper there is nothing to agree with. */
static void put_verdict(struct page *page, const struct verdict *verdict, bool paper) {
    if (paper) put_paragraph(page, finding_sentence(verdict_of(verdict)), false);
    if (!page->target) PUT(page, "<ul class=\"points\">\n");
    for (unsigned i = 0; i < verdict->count; i++) put_point(page, &verdict->points[i]);
    PUT(page, page->target ? "\n" : "</ul>\n");
}

/* ---- pictures ---- */

static stemma_status write_file(const char *path, const struct buf *bytes, stemma_error *err) {
    struct output output;
    TRY(output_open(&output, path, err));
    stemma_status status = output_write(&output, bytes->data, bytes->len, err);
    if (status == STEMMA_OK) return output_commit(&output, err);
    output_abandon(&output);
    return status;
}

static stemma_status write_picture(const struct page *page, const struct plot *plot, const struct table *data,
                                   const struct table *paper, const char *name, stemma_error *err) {
    char path[PATH_MOST];
    struct buf svg = {0};
    snprintf(path, sizeof path, "%s/%s", page->target, name);
    stemma_status status = plot_svg(plot, data, paper, true, &svg, err);
    if (status == STEMMA_OK) status = write_file(path, &svg, err);
    buf_release(&svg);
    return status;
}

static const struct table *paper_for(const struct plot *plot, const struct table *paper) {
    bool known = paper->cells && table_column(paper, plot->x, strlen(plot->x)) != NO_COLUMN &&
                 table_column(paper, plot->y, strlen(plot->y)) != NO_COLUMN;
    return known ? paper : NULL;
}

static void put_picture(struct page *page, const struct plot *plot, const struct table *data,
                        const struct table *paper, const char *name) {
    if (page->status != STEMMA_OK) return;
    if (page->target) {
        page->status = write_picture(page, plot, data, paper, name, page->err);
        PUT(page, "**%s**\n\n![%s](%s)\n\n", plot->title, plot->title, name);
        return;
    }
    PUT(page, "<figure><figcaption>");
    put_text(page, plot->title);
    PUT(page, "</figcaption>\n");
    page->status = plot_svg(plot, data, paper, false, &page->out, page->err);
    PUT(page, "</figure>\n");
}

static void put_pictures(struct page *page, const struct plot *plots, const struct table *data,
                         const struct table *paper, const char *name, const char *what) {
    if (!plots || !data->cells) return;
    if (!page->target) PUT(page, "<div class=\"pictures\">\n");
    for (size_t i = 0; plots[i].title; i++) {
        char file[200];
        snprintf(file, sizeof file, "%s%s-%zu.svg", name, what, i + 1);
        put_picture(page, &plots[i], data, paper_for(&plots[i], paper), file);
    }
    if (!page->target) PUT(page, "</div>\n");
}

/* ---- lists ---- */

enum { LIST_COLUMNS_MOST = 16 };

struct list {
    const struct table *data, *paper;
    size_t columns[LIST_COLUMNS_MOST]; /* of data */
    size_t theirs[LIST_COLUMNS_MOST];  /* of paper, or NO_COLUMN */
    size_t count, keys;
};

static void list_columns(struct list *list, const char *names, bool keys) {
    while (names && *names && list->count < LIST_COLUMNS_MOST) {
        size_t length = strcspn(names, " ");
        list->columns[list->count] = table_column(list->data, names, length);
        list->theirs[list->count] = list->paper->cells ? table_column(list->paper, names, length) : NO_COLUMN;
        list->count += list->columns[list->count] != NO_COLUMN;
        names += length;
        names += strspn(names, " ");
    }
    if (keys) list->keys = list->count;
}

/* The paper's row with the same keys, as far as the paper has them. */
static size_t paper_row(const struct list *list, size_t row) {
    const struct table *paper = list->paper;
    for (size_t theirs = 0; paper->cells && theirs < paper->rows; theirs++) {
        bool same = true, compared = false;
        for (size_t i = 0; i < list->keys; i++) {
            if (list->theirs[i] == NO_COLUMN) continue;
            compared = true;
            same = same && !strcmp(table_cell(list->data, row, list->columns[i]),
                                   table_cell(paper, theirs, list->theirs[i]));
        }
        if (same && compared) return theirs;
    }
    return NO_COLUMN;
}

static void put_cell(struct page *page, const char *tag, bool paper, const char *text) {
    char shown[200];
    snprintf(shown, sizeof shown, "%s", text);
    for (char *c = shown; *c; c++)
        if (*c == '_') *c = ' ';
    if (page->target)
        PUT(page, "| %s%s%s ", paper && *shown ? "*" : "", shown, paper && *shown ? "*" : "");
    else {
        PUT(page, paper ? "<%s class=\"paper\">" : "<%s>", tag);
        put_text(page, shown);
        PUT(page, "</%s>", tag);
    }
}

static bool has_theirs(const struct list *list, size_t column) {
    return column >= list->keys && list->theirs[column] != NO_COLUMN;
}

static void end_row(struct page *page) {
    PUT(page, page->target ? "|\n" : "</tr>\n");
}

static void put_list_head(struct page *page, const struct list *list) {
    if (!page->target) PUT(page, "<tr>");
    for (size_t i = 0; i < list->count; i++) {
        put_cell(page, "th", false, table_name(list->data, list->columns[i]));
        if (has_theirs(list, i)) put_cell(page, "th", true, "paper");
    }
    end_row(page);
    for (size_t i = 0; page->target && i < list->count; i++)
        PUT(page, has_theirs(list, i) ? "|---:|---:" : i < list->keys ? "|---" : "|---:");
    if (page->target) end_row(page);
}

static void put_list_row(struct page *page, const struct list *list, size_t row) {
    size_t theirs = paper_row(list, row);
    if (!page->target) PUT(page, "<tr>");
    for (size_t i = 0; i < list->count; i++) {
        put_cell(page, "td", false, table_cell(list->data, row, list->columns[i]));
        if (has_theirs(list, i))
            put_cell(page, "td", true,
                     theirs == NO_COLUMN ? "" : table_cell(list->paper, theirs, list->theirs[i]));
    }
    end_row(page);
}

static void put_caption(struct page *page, const char *title) {
    if (page->target)
        PUT(page, "**%s**\n\n", title);
    else {
        PUT(page, "<figure class=\"list\"><figcaption>");
        put_text(page, title);
        PUT(page, "</figcaption><div class=\"wide\" tabindex=\"0\"><table>\n");
    }
}

static void put_list_rows(struct page *page, const struct listing *listing, const struct table *data,
                          const struct table *paper) {
    struct list list = {.data = data, .paper = paper};
    list_columns(&list, listing->keys, true);
    list_columns(&list, listing->values, false);
    put_list_head(page, &list);
    for (size_t row = 0; row < data->rows; row++)
        if (table_matches(data, row, listing->where)) put_list_row(page, &list, row);
}

/* ---- lists across ---- */

/* The different cells of a column, in the order of their first rows. */
struct cells {
    const char *at[LIST_COLUMNS_MOST * 2];
    size_t count;
};

static struct cells different_cells(const struct table *data, const char *where, const char *column) {
    struct cells cells = {0};
    size_t number = table_column(data, column, strlen(column));
    for (size_t row = 0; row < data->rows; row++) {
        const char *cell = table_cell(data, row, number);
        size_t i = 0;
        while (i < cells.count && strcmp(cells.at[i], cell)) i++;
        if (i == cells.count && i < sizeof cells.at / sizeof *cells.at && table_matches(data, row, where))
            cells.at[cells.count++] = cell;
    }
    return cells;
}

static const char *cell_across(const struct table *data, const struct listing *listing, const char *key,
                               const char *across) {
    size_t keys = table_column(data, listing->keys, strlen(listing->keys));
    size_t names = table_column(data, listing->across, strlen(listing->across));
    for (size_t row = 0; row < data->rows; row++)
        if (table_matches(data, row, listing->where) && !strcmp(table_cell(data, row, keys), key) &&
            !strcmp(table_cell(data, row, names), across))
            return table_cell(data, row, table_column(data, listing->values, strlen(listing->values)));
    return "";
}

static void put_list_across(struct page *page, const struct listing *listing, const struct table *data) {
    struct cells keys = different_cells(data, listing->where, listing->keys);
    struct cells names = different_cells(data, listing->where, listing->across);
    if (!page->target) PUT(page, "<tr>");
    put_cell(page, "th", false, listing->keys);
    for (size_t i = 0; i < names.count; i++) put_cell(page, "th", false, names.at[i]);
    end_row(page);
    for (size_t i = 0; page->target && i <= names.count; i++) PUT(page, i ? "|---:" : "|---");
    if (page->target) end_row(page);
    for (size_t k = 0; k < keys.count; k++) {
        if (!page->target) PUT(page, "<tr>");
        put_cell(page, "td", false, keys.at[k]);
        for (size_t i = 0; i < names.count; i++)
            put_cell(page, "td", false, cell_across(data, listing, keys.at[k], names.at[i]));
        end_row(page);
    }
}

static void put_list(struct page *page, const struct listing *listing, const struct table *data,
                     const struct table *paper) {
    put_caption(page, listing->title);
    if (listing->across)
        put_list_across(page, listing, data);
    else
        put_list_rows(page, listing, data, paper);
    PUT(page, page->target ? "\n" : "</table></div></figure>\n");
}

static void put_lists(struct page *page, const struct listing *listings, const struct table *data,
                      const struct table *paper) {
    for (size_t i = 0; listings && data->cells && listings[i].title; i++)
        put_list(page, &listings[i], data, paper);
}

/* ---- sections ---- */

static void put_remarks(struct page *page, const struct table *table) {
    char line[2000] = "";
    size_t used = 0;
    for (size_t i = 0; i < table->remarks.len && used + 3 < sizeof line; i++) {
        char c = (char)table->remarks.data[i];
        if (c == '#' || (c == ' ' && (!used || line[used - 1] == ' '))) continue;
        if (c == '\n') line[used++] = ';';
        line[used++] = c == '\n' ? ' ' : c;
    }
    if (used > 2) line[used - 2] = '\0';
    if (*line) put_paragraph(page, line, true);
}

static void put_section(struct page *page, const struct results *results) {
    const struct experiment *e = results->experiment;
    char heading[300];
    snprintf(heading, sizeof heading, *e->place ? "%s (%s)" : "%s", e->title, e->place);
    if (!page->target) PUT(page, "<section id=\"%s\">\n", e->name);
    put_heading(page, 3, heading);
    put_paragraph(page, e->what, false);
    put_verdict(page, &results->verdict, *e->place);
    put_pictures(page, e->plots, &results->data, &results->paper, e->name, "");
    put_pictures(page, e->time_plots, &results->times, &results->paper, e->name, "-times");
    put_lists(page, e->listings, &results->data, &results->paper);
    put_lists(page, e->time_listings, &results->times, &results->paper);
    put_remarks(page, &results->data);
    if (results->times.cells) put_remarks(page, &results->times);
    if (!page->target) PUT(page, "</section>\n");
}

static const char *finding_word(enum finding finding) {
    return finding == FINDING_HOLDS     ? "agrees"
           : finding == FINDING_DIFFERS ? "differs, explained"
                                        : "disagrees";
}

static bool is_quick(const struct table *data) {
    static const char remark[] = "# size quick\n";
    return data->remarks.len && memmem(data->remarks.data, data->remarks.len, remark, sizeof remark - 1);
}

static void put_summary_row(struct page *page, const struct results *results) {
    const struct experiment *e = results->experiment;
    const char *word = *e->place ? finding_word(verdict_of(&results->verdict)) : "";
    const char *size = is_quick(&results->data) ? "quick" : "full";
    if (page->target)
        PUT(page, "| %s | %s | %s | %s | %s |\n", e->name, e->title, e->place, size, word);
    else
        PUT(page, "<tr><td><a href=\"#%s\">%s</a></td><td>%s</td><td>%s</td><td>%s</td></tr>\n", e->name,
            e->title, e->place, size, word);
}

static void put_summary(struct page *page, const struct results *all, size_t count) {
    if (page->target)
        PUT(page, "| name | experiment | in the paper | size | |\n|---|---|---|---|---|\n");
    else
        PUT(page,
            "<div class=\"wide\"><table class=\"words\"><tr><th>experiment<th>in the paper<th>size<th></tr>\n");
    for (size_t i = 0; i < count; i++) put_summary_row(page, &all[i]);
    PUT(page, page->target ? "\n" : "</table></div>\n");
}

/* Whether rows were made by the same program on the same day and machine. */
static bool same_origin(const struct table *origin, size_t a, size_t b) {
    bool same = true;
    for (size_t column = 1; column < origin->columns; column++)
        same = same && !strcmp(table_cell(origin, a, column), table_cell(origin, b, column));
    return same;
}

/* In one sentence where all are from one run; else each run has its own, with its experiments. */
static void put_origin(struct page *page, const struct table *origin) {
    for (size_t row = 0; row < origin->rows; row++) {
        char line[2000];
        size_t first = 0, alike = 0;
        while (!same_origin(origin, first, row)) first++;
        for (size_t other = 0; other < origin->rows; other++) alike += same_origin(origin, other, row);
        if (first < row) continue;
        size_t used = (size_t)snprintf(line, sizeof line, "Made on %s by stemma-lab %s on %s",
                                       table_cell(origin, row, 1), table_cell(origin, row, 2),
                                       table_cell(origin, row, 3));
        for (size_t other = row; alike < origin->rows && other < origin->rows && used < sizeof line; other++)
            if (same_origin(origin, other, row))
                used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", other == row ? ": " : ", ",
                                         table_cell(origin, other, 0));
        if (used + 2 < sizeof line) memcpy(line + used, ".", 2);
        put_paragraph(page, line, true);
    }
}

static void put_body(struct page *page, const struct results *all, size_t count, const struct table *origin) {
    const char *paper = "";
    put_heading(page, 1, "The lab of Stemma");
    put_paragraph(
        page,
        "The experiments of five papers on near-duplicate documents, made again by stemma-lab. Lines and dots are ours; "
        "hollow circles, and figures in italics, are the papers'. Every number follows from the seed and the documents "
        "named below each section, times aside, which have tables of their own.",
        false);
    put_origin(page, origin);
    put_summary(page, all, count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(paper, all[i].experiment->paper))
            put_heading(page, 2, paper_title(all[i].experiment->paper));
        paper = all[i].experiment->paper;
        put_section(page, &all[i]);
    }
}

/* ---- all of it ---- */

static stemma_status read_all(const char *folder, struct results *all, size_t *count, stemma_error *err) {
    *count = 0;
    for (size_t i = 0; i < experiment_count; i++) {
        stemma_status status = results_read(experiments[i], folder, &all[*count], err);
        if (status == STEMMA_OK)
            ++*count;
        else if (status != STEMMA_NOT_FOUND)
            return status;
    }
    return *count ? STEMMA_OK
                  : fail(err, STEMMA_NOT_FOUND, "'%s' has no results: see 'stemma-lab run'", folder);
}

static stemma_status write_page(struct page *page, const char *path, const struct results *all, size_t count,
                                const struct table *origin, stemma_error *err) {
    if (!page->target) PUT(page, "%s%s</style>\n", page_head, plot_style);
    put_body(page, all, count, origin);
    if (!page->target) PUT(page, "</html>\n");
    if (page->status != STEMMA_OK) return page->status;
    return page->ok ? write_file(path, &page->out, err) : fail_memory(err);
}

static stemma_status report(const char *folder, const char *path, const char *target, stemma_error *err) {
    struct results *all = mem_zero(experiment_count, sizeof *all);
    if (!all) return fail_memory(err);
    size_t count;
    struct table origin = {0};
    struct page page = {.target = target, .ok = true, .err = err};
    stemma_status status = read_all(folder, all, &count, err);
    if (status == STEMMA_OK) status = origins_read(folder, &origin, err);
    if (status == STEMMA_OK) status = write_page(&page, path, all, count, &origin, err);
    table_release(&origin);
    for (size_t i = 0; i < count; i++) results_release(&all[i]);
    mem_free(all);
    buf_release(&page.out);
    return status;
}

stemma_status report_html(const char *folder, const char *path, stemma_error *err) {
    return report(folder, path, NULL, err);
}

stemma_status report_markdown(const char *folder, const char *target, stemma_error *err) {
    char path[PATH_MOST];
    if (mkdir(target, 0777) && errno != EEXIST) return fail_errno(err, "make", target, errno);
    snprintf(path, sizeof path, "%s/README.md", target);
    return report(folder, path, target, err);
}
