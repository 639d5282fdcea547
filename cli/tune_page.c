/*
 * The page of `stemma tune --report`: plot, tables and notes as one HTML file that needs nothing else and
 * runs no script.
 */
#include "tune.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "new_file.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>stemma tune</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#5c6570;--line:#d8dce1;--band:#f4f6f8;"
    "--recall:#1f5fbf;--precision:#1d7a3a;--wrong:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#dde2e8;--paper:#14171b;--faint:#98a2ae;--line:#333a42;"
    "--band:#1c2126;--recall:#7fb0ff;--precision:#74d494;--wrong:#ff8a80}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\n"
    "pre{background:var(--band);border:1px solid var(--line);border-radius:4px;padding:.7rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;padding:.2rem .9rem .2rem 0;border-bottom:1px solid var(--line);white-space:nowrap}\n"
    "tr.best{font-weight:bold;background:var(--band)}\n"
    "td.unknown{font-style:italic;font-weight:normal;color:var(--faint)}\n"
    "td span{color:var(--faint);font-weight:normal}\n"
    "svg{width:100%;height:auto;min-width:30rem;max-width:46rem;display:block}\n"
    "svg text{fill:var(--ink);font-size:13px}svg .grid{stroke:var(--line)}\n"
    ".line{fill:none;stroke-width:2.5}.range{opacity:.22;stroke:none}\n"
    ".recall{stroke:var(--recall)}.range.recall,text.recall{fill:var(--recall)}\n"
    ".precision{stroke:var(--precision)}.range.precision,text.precision{fill:var(--precision)}\n"
    ".wrong{stroke:var(--wrong)}.range.wrong,text.wrong{fill:var(--wrong)}\n"
    "svg text[class]{stroke:none}.chosen{stroke:var(--ink);stroke-dasharray:4 4}\n"
    "</style></head><body>\n";

static void put_text(FILE *out, const char *text) {
    char *safe = safe_text(text, strlen(text));
    for (const char *at = safe; *at; at++) {
        if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '&')
            fputs("&amp;", out);
        else
            putc(*at, out);
    }
    free(safe);
}

/* ---- the plot ---- */

enum { LEFT = 50, TOP = 16, WIDTH = 560, HEIGHT = 300 };

typedef struct curve {
    const char *name, *label;
    size_t offset; /* of its share in a row */
} curve;

static const curve curves[] = {{"recall", "recall of copies", offsetof(tune_row, recall)},
                               {"precision", "precision", offsetof(tune_row, precision)},
                               {"wrong", "false removal", offsetof(tune_row, wrong)}};

static const tune_share *share_in(const tune_row *row, const curve *c) {
    return (const tune_share *)((const char *)row + c->offset);
}

static double x_at(const tune_view *view, double threshold) {
    double least = view->rows[0].threshold;
    return LEFT + (threshold - least) / (1 - least) * WIDTH;
}

static double y_at(double share) {
    return TOP + (1 - share) * HEIGHT;
}

static void put_point(FILE *out, const tune_view *view, size_t i, double share) {
    fprintf(out, "%.1f,%.1f ", x_at(view, view->rows[i].threshold), y_at(share));
}

static void put_curve(FILE *out, const tune_view *view, const curve *c) {
    fprintf(out, "<polygon class=\"range %s\" points=\"", c->name);
    for (size_t i = 0; i < view->row_count; i++) put_point(out, view, i, share_in(&view->rows[i], c)->high);
    for (size_t i = view->row_count; i-- > 0;) put_point(out, view, i, share_in(&view->rows[i], c)->low);
    fprintf(out, "\"/>\n<polyline class=\"line %s\" points=\"", c->name);
    for (size_t i = 0; i < view->row_count; i++) put_point(out, view, i, share_in(&view->rows[i], c)->value);
    fputs("\"/>\n", out);
}

static void put_axes(FILE *out, const tune_view *view, const char *measure) {
    char number[32];
    for (int tenth = 0; tenth <= 10; tenth += 2)
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%s</text>\n",
                LEFT, LEFT + WIDTH, y_at(tenth / 10.), y_at(tenth / 10.), LEFT - 8, y_at(tenth / 10.) + 4,
                format_threshold(tenth / 10., number, sizeof number));
    for (size_t i = 0; i < view->row_count; i += 2)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x_at(view, view->rows[i].threshold), TOP + HEIGHT + 20,
                format_threshold(view->rows[i].threshold, number, sizeof number));
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">from this %s on</text>\n", LEFT + WIDTH / 2,
            TOP + HEIGHT + 42, measure);
}

static void put_plot(FILE *out, const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    double chosen = x_at(view, tune_best(t)->threshold);
    fprintf(
        out,
        "<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Recall, precision and false removal against the "
        "threshold\">\n",
        LEFT + WIDTH + 20, TOP + HEIGHT + 76);
    put_axes(out, view, t->aim->by_containment ? "containment" : "resemblance");
    fprintf(out, "<line class=\"chosen\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", chosen, chosen,
            TOP, TOP + HEIGHT);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        if (curves[i].offset == offsetof(tune_row, precision) && !tune_is_precise(t)) continue;
        put_curve(out, view, &curves[i]);
        fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">\xe2\x96\xac %s</text>\n", curves[i].name,
                LEFT + 160 * (int)i, TOP + HEIGHT + 68, curves[i].label);
    }
    fputs("</svg></div>\n", out);
}

/* ---- tables ---- */

static void put_share(FILE *out, tune_share share) {
    char value[32], low[32], high[32];
    bool known = tune_is_known(share);
    fprintf(out, "<td%s>%s%s <span>%s\xe2\x80\x93%s</span>",
            known ? "" : " class=\"unknown\" title=\"not known to .02 to either side\"", known ? "" : "~",
            format_fraction(share.value, value, sizeof value), format_fraction(share.low, low, sizeof low),
            format_fraction(share.high, high, sizeof high));
}

static void put_rows(FILE *out, const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    char number[32];
    fputs(
        "<div class=\"wide\"><table><tr><th>from<th>recall of copies<th>precision<th>false removal<th>natural "
        "pairs\n",
        out);
    for (size_t i = 0; i < view->row_count; i++) {
        const tune_row *row = &view->rows[i];
        fprintf(out, "<tr%s><td>%s", i == t->best_row ? " class=\"best\"" : "",
                format_threshold(row->threshold, number, sizeof number));
        put_share(out, row->recall);
        if (tune_is_precise(t))
            put_share(out, row->precision);
        else
            fputs("<td>not known", out);
        put_share(out, row->wrong);
        fprintf(out, "<td>%zu of %zu\n", row->natural, t->own.natural_count);
    }
    fputs("</table></div>\n", out);
}

static void put_views(FILE *out, const tuning *t) {
    char words[64], number[32], speed[32];
    fputs(
        "<h2>Views, each at its best</h2>\n<p>A view is what is compared of a text: every run of so many words, characters or bytes.</p>\n<div class=\"wide\"><table><tr><th>view<th>from<th>recall of copies<th>false "
        "removal<th>speed\n",
        out);
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        const tune_view *view = &t->views[i];
        const tune_row *row = &view->rows[view->best_row];
        fprintf(out, "<tr%s><td>%s<td>%s", i == t->best_view ? " class=\"best\"" : "",
                tune_view_words(view, words, sizeof words),
                format_threshold(row->threshold, number, sizeof number));
        put_share(out, row->recall);
        put_share(out, row->wrong);
        fprintf(out, "<td>%s/s\n", format_bytes((uint64_t)view->speed, speed, sizeof speed));
    }
    fputs("</table></div>\n", out);
}

static void put_changes(FILE *out, const tuning *t) {
    char words[200];
    size_t copies;
    fputs("<h2>Copies, and what is found of them</h2>\n<div class=\"wide\"><table><tr><th>change<th>found\n",
          out);
    for (size_t i = 0; i < t->aim->change_count; i++) {
        tune_share share = tune_recall_of(t, i, &copies);
        if (!copies) continue;
        fprintf(out, "<tr><td>%s", tune_change_words(&t->aim->changes[i], words, sizeof words));
        put_share(out, share);
        putc('\n', out);
    }
    fputs("</table></div>\n", out);
}

static void put_sketches(FILE *out, const tuning *t) {
    char bytes[32];
    fputs(
        "<h2>By sketches alone</h2>\n<p>For documents that are not kept: bytes in a file of sketches, and how often any two "
        "documents of the sample are taken for copies of each other.</p>\n<div class=\"wide\"><table><tr><th>per document<th>recall of copies<th>any two<th>recipe\n",
        out);
    for (size_t i = 0; i < TUNE_SKETCHES; i++) {
        const tune_sketch *sketch = &t->sketches[i];
        fprintf(out, "<tr%s><td>%s", i == t->best_sketch ? " class=\"best\"" : "",
                format_bytes((uint64_t)(sketch->bytes + .5), bytes, sizeof bytes));
        put_share(out, sketch->recall);
        put_share(out, sketch->wrong);
        fprintf(out, "<td>%s\n", sketch->recipe);
    }
    fputs("</table></div>\n", out);
}

static void put_notes(FILE *out, const tuning *t) {
    char warnings[TUNE_WARNINGS][TUNE_WARNING];
    size_t count = tune_warnings(t, warnings);
    if (!count) return;
    fputs("<h2>Notes</h2>\n<ul>\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", out);
        put_text(out, warnings[i]);
        fputs(".\n", out);
    }
    fputs("</ul>\n", out);
}

static void put_sketch_command(FILE *out, const tuning *t) {
    char *command = tune_sketch_command(t, &t->sketches[t->best_sketch]);
    fputs("</pre>\n<p>Or, where documents are not kept:</p>\n<pre>", out);
    put_text(out, command);
    free(command);
}

static void put_page(FILE *out, const tuning *t) {
    char sampled[32], all[32], copies[32], words[64], share[32], summary[TUNE_SENTENCE],
        expected[TUNE_SENTENCE];
    char *command = tune_command(t);
    fputs(head, out);
    fprintf(
        out,
        "<h1>Finding %s</h1>\n<p><b>%s</b></p>\n<p>%s</p>\n<p>%s of %s documents that differ, with %s changed copies. Recall is of "
        "copies made so; natural pairs are those of the sample that share text of their own. Precision is stated for %s "
        "of the documents being copies; ranges are 95&nbsp;%% intervals. ~: not known to .02 to either side.</p>\n<pre>",
        t->aim->found, tune_summary(t, summary, sizeof summary), tune_expected(t, expected, sizeof expected),
        format_count(t->sample.count, sampled, sizeof sampled), format_count(t->sample.all, all, sizeof all),
        format_count(t->sample.count * t->rounds, copies, sizeof copies),
        format_percent(t->prevalence, share, sizeof share));
    put_text(out, command);
    if (t->best_sketch < TUNE_SKETCHES) put_sketch_command(out, t);
    fprintf(out, "</pre>\n<h2>With %s</h2>\n", tune_view_words(&t->views[t->best_view], words, sizeof words));
    put_plot(out, t);
    put_rows(out, t);
    put_views(out, t);
    put_changes(out, t);
    put_sketches(out, t);
    put_notes(out, t);
    fputs("</body></html>\n", out);
    free(command);
}

enum exit_code tune_write_page(const tuning *t) {
    const char *path = t->options->report;
    new_file file;
    if (!new_file_open(&file, path)) return complain_of_write(path, errno);
    put_page(file.out, t);
    return new_file_keep(&file, t->options->force) ? EXIT_DONE : complain_of_write(path, errno);
}
