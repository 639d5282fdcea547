/*
 * Both documents side by side as one HTML file: no network, no fonts, nothing but what is in it.
 *
 * A table with a row for each pair of lines. Long common stretches are folded into a button, so that a large
 * document with few changes is a small page to lay out. Words are <del>, <ins>, or links to where they were
 * moved; every text is escaped, and the policy lets only the style and the script below run, by their hashes.
 */
#include "diff_print.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#68707a;--line:#d8dce1;--band:#f4f6f8;"
    "--del:#ffe3e0;--del-ink:#8a1c12;--ins:#dcf5e1;--ins-ink:#0d5322;--moved:#e2ecff;--moved-ink:#173f8f;--now:#b45f06}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#dde2e8;--paper:#14171b;--faint:#8d97a3;--line:#333a42;"
    "--band:#1c2126;--del:#4a1f1c;--del-ink:#ffc2ba;--ins:#173a22;--ins-ink:#b5efc4;--moved:#1c3157;"
    "--moved-ink:#c4d8ff;--now:#f2a33c}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 Georgia,'Times New Roman',serif}\n"
    "header,details{padding:.7rem 1rem;font-family:system-ui,sans-serif;font-size:14px}\n"
    "header{position:sticky;top:0;z-index:1;background:var(--band);border-bottom:1px solid var(--line);display:flex;"
    "flex-wrap:wrap;gap:.3rem 1.2rem;align-items:center}\n"
    "h1{font-size:1rem;margin:0;overflow-wrap:anywhere}\n"
    "header p{margin:0}\n"
    "header nav{margin-left:auto;white-space:nowrap}\n"
    "button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:4px;"
    "padding:.1rem .6rem;cursor:pointer}\n"
    "table{width:100%;border-collapse:collapse}\n"
    "#texts{table-layout:fixed}\n"
    "#texts td,#texts th{vertical-align:top;padding:.05rem .5rem;white-space:pre-wrap;overflow-wrap:anywhere;"
    "text-align:left;font-weight:normal}\n"
    "#texts thead th{font-family:system-ui,sans-serif;font-size:13px;color:var(--faint);border-bottom:1px solid "
    "var(--line)}\n"
    "col.n{width:4.2rem}\n"
    "#texts th.n{color:var(--faint);font:12px/1.9 ui-monospace,monospace;text-align:right;user-select:none}\n"
    "td+th.n{border-left:1px solid var(--line)}\n"
    "tr.changed{background:var(--band)}\n"
    "tr.now th.n{color:var(--now);font-weight:bold}\n"
    "tr:focus{outline:2px solid var(--now);outline-offset:-2px}\n"
    "td:target{outline:2px solid var(--moved-ink)}\n"
    "td[id],tr{scroll-margin-top:5rem}\n"
    "del,ins,a.moved{border-radius:2px;padding:0 .1em}\n"
    "del{background:var(--del);color:var(--del-ink);text-decoration:line-through}\n"
    "ins{background:var(--ins);color:var(--ins-ink);text-decoration:underline}\n"
    "a.moved{background:var(--moved);color:var(--moved-ink);text-decoration:underline dotted}\n"
    "a.moved[data-where]::before{content:attr(data-where);font:11px system-ui,sans-serif;margin-right:.4em}\n"
    "#texts td.fold{text-align:center;padding:.4rem;font-family:system-ui,sans-serif}\n"
    "#shared{width:auto;margin:.5rem 0}\n"
    "#shared th,#shared td{padding:.1rem 1.2rem .1rem 0;text-align:left}\n"
    "@media print{header{position:static}nav,#texts td.fold{display:none}tbody[hidden]{display:table-row-group}}\n";

static const char script[] = "'use strict';\n"
                             "const changes=[...document.querySelectorAll('tr.first')];\n"
                             "let now=-1;\n"
                             "function go(step){\n"
                             "  if(!changes.length)return;\n"
                             "  if(now>=0)changes[now].classList.remove('now');\n"
                             "  now=(now+step+changes.length+(now<0&&step<0?1:0))%changes.length;\n"
                             "  const row=changes[now];\n"
                             "  row.classList.add('now');\n"
                             "  row.scrollIntoView({block:'center'});\n"
                             "  row.focus({preventScroll:true});\n"
                             "  document.getElementById('where').textContent=(now+1)+' of '+changes.length;\n"
                             "}\n"
                             "function unfold(button){\n"
                             "  const rows=document.getElementById(button.getAttribute('aria-controls'));\n"
                             "  rows.hidden=!rows.hidden;\n"
                             "  button.setAttribute('aria-expanded',String(!rows.hidden));\n"
                             "}\n"
                             "function reveal(){\n"
                             "  const target=document.getElementById(location.hash.slice(1));\n"
                             "  if(!target)return;\n"
                             "  const rows=target.closest('tbody[hidden]');\n"
                             "  if(rows)unfold(document.querySelector('[aria-controls=\"'+rows.id+'\"]'));\n"
                             "  target.scrollIntoView({block:'center'});\n"
                             "}\n"
                             "document.addEventListener('click',event=>{\n"
                             "  const button=event.target.closest('button');\n"
                             "  if(button&&button.dataset.step)go(Number(button.dataset.step));\n"
                             "  else if(button)unfold(button);\n"
                             "  else if(event.target.closest('a'))setTimeout(reveal,0);\n"
                             "});\n"
                             "document.addEventListener('keydown',event=>{\n"
                             "  if(event.ctrlKey||event.metaKey||event.altKey)return;\n"
                             "  if(event.key==='n'||event.key==='j')go(1);\n"
                             "  if(event.key==='p'||event.key==='k')go(-1);\n"
                             "});\n"
                             "reveal();\n";

/* SHA-256 of the two, in base64: a test holds them to it. */
#define STYLE_HASH  "1jTi6r9bPBOKkmqtO39KnbFp3Ad+1RBprtRVVXpLuHM="
#define SCRIPT_HASH "vQZVy5PpL2ylU46fbk/IDz2NYKM1CHAMKU+nZTWDIJQ="

/* ---- text ---- */

/* What is not fit to be shown as \xHH, then what HTML gives a meaning. */
static void write_escaped(FILE *out, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const char *tab = memchr(text + at, '\t', size - at);
        size_t plain = tab ? (size_t)(tab - text) - at : size - at;
        char *safe = safe_text(text + at, plain);
        for (const char *c = safe; *c; c++) {
            const char *entity = *c == '&'    ? "&amp;"
                                 : *c == '<'  ? "&lt;"
                                 : *c == '>'  ? "&gt;"
                                 : *c == '"'  ? "&quot;"
                                 : *c == '\'' ? "&#39;"
                                              : NULL;
            if (entity)
                fputs(entity, out);
            else
                fputc(*c, out);
        }
        free(safe);
        if (tab) fputc('\t', out);
        at += plain + (tab != NULL);
    }
}

static void write_name(FILE *out, const char *name) {
    write_escaped(out, name, strlen(name));
}

/* ---- cells ---- */

typedef struct page {
    FILE *out;
    const diff_view *view;
    size_t folds; /* so far */
} page;

/* `first`: where the passage begins, it says where it was moved. */
static void write_moved(const page *p, const side *s, const mark *m, bool first, const char *text,
                        size_t size) {
    bool is_a = s == &p->view->a;
    const stemma_passage *passage = &p->view->shared[m->moved];
    unsigned long long line = is_a ? passage->b.first_line : passage->a.first_line;
    fprintf(p->out, "<a class=\"moved\" href=\"#%c%llu\"", is_a ? 'b' : 'a', line);
    if (first) fprintf(p->out, " data-where=\"moved %s line %llu\"", is_a ? "to" : "from", line);
    fputc('>', p->out);
    write_escaped(p->out, text, size);
    fputs("</a>", p->out);
}

static void write_mark(const page *p, const side *s, const mark *m, size_t begin, size_t end) {
    size_t from = m->begin > begin ? m->begin : begin, to = m->end < end ? m->end : end;
    const char *tag = s == &p->view->a ? "del" : "ins";
    if (to <= from) return;
    if (m->moved != NOT_MOVED) {
        write_moved(p, s, m, m->begin >= begin, s->source + from, to - from);
        return;
    }
    fprintf(p->out, "<%s>", tag);
    write_escaped(p->out, s->source + from, to - from);
    fprintf(p->out, "</%s>", tag);
}

static void write_cell(const page *p, const side *s, size_t line) {
    char letter = s == &p->view->a ? 'a' : 'b';
    size_t size;
    if (!line) {
        fputs("<th class=\"n\"></th><td></td>", p->out);
        return;
    }
    const char *text = view_line(s, line, &size);
    size_t begin = (size_t)(text - s->source), end = begin + size, at = begin;
    fprintf(p->out, "<th class=\"n\" scope=\"row\">%zu</th><td id=\"%c%zu\">", line, letter, line);
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].begin < end; i++) {
        if (s->marks[i].begin > at) write_escaped(p->out, s->source + at, s->marks[i].begin - at);
        write_mark(p, s, &s->marks[i], begin, end);
        at = s->marks[i].end < end ? s->marks[i].end : end;
    }
    write_escaped(p->out, s->source + at, end - at);
    fputs("</td>", p->out);
}

/* ---- rows ---- */

static void write_row(const page *p, size_t index) {
    const row *r = &p->view->rows[index];
    bool first = r->changed && (index == 0 || !r[-1].changed);
    fputs(first        ? "<tr class=\"changed first\" tabindex=\"-1\">"
          : r->changed ? "<tr class=\"changed\">"
                       : "<tr>",
          p->out);
    write_cell(p, &p->view->a, r->a);
    write_cell(p, &p->view->b, r->b);
    fputs("</tr>\n", p->out);
}

static void write_range(const page *p, size_t begin, size_t end) {
    for (size_t i = begin; i < end && !stop_requested && !ferror(p->out); i++) write_row(p, i);
}

static void write_fold(page *p, size_t begin, size_t end) {
    size_t id = ++p->folds;
    char count[32];
    fprintf(
        p->out,
        "<tbody><tr><td class=\"fold\" colspan=\"4\"><button type=\"button\" aria-expanded=\"false\" "
        "aria-controls=\"fold%zu\">%s lines in common</button></td></tr></tbody>\n<tbody id=\"fold%zu\" hidden>\n",
        id, format_count(end - begin, count, sizeof count), id);
    write_range(p, begin, end);
    fputs("</tbody>\n", p->out);
}

/* Fewer lines than this are shown: a button would take as much room. */
enum { FOLD_LEAST = 3 };

static void write_rows(page *p, size_t context) {
    const diff_view *view = p->view;
    bool *chosen = view_choose_rows(view, context);
    for (size_t i = 0, end; i < view->row_count && !stop_requested && !ferror(p->out); i = end) {
        for (end = i; end < view->row_count && chosen[end] == chosen[i]; end++) continue;
        if (!chosen[i] && end - i >= FOLD_LEAST) {
            write_fold(p, i, end);
            continue;
        }
        fputs("<tbody>\n", p->out);
        write_range(p, i, end);
        fputs("</tbody>\n", p->out);
    }
    free(chosen);
}

/* ---- around them ---- */

static void write_head(const page *p) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-" STYLE_HASH
        "'; script-src 'sha256-" SCRIPT_HASH "'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
        p->out);
    write_name(p->out, p->view->a.name);
    fputs(" and ", p->out);
    write_name(p->out, p->view->b.name);
    fprintf(p->out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
}

static void write_header(const page *p, const char *unit) {
    diff_counts n = view_count(p->view);
    size_t tokens = n.a_tokens + n.b_tokens;
    double changed = tokens ? (double)(n.a_changed + n.b_changed) / (double)tokens : 0;
    fputs("<header>\n<h1>", p->out);
    write_name(p->out, p->view->a.name);
    fputs(" &rarr; ", p->out);
    write_name(p->out, p->view->b.name);
    fputs("</h1>\n<p>", p->out);
    write_summary(p->out, p->view, unit);
    fprintf(p->out, "; %.3g %% of all %s changed.</p>\n", 100 * changed, unit);
    fputs(
        "<nav aria-label=\"changes\"><span id=\"where\" role=\"status\"></span> "
        "<button type=\"button\" data-step=\"-1\" aria-keyshortcuts=\"p\">Previous (p)</button> "
        "<button type=\"button\" data-step=\"1\" aria-keyshortcuts=\"n\">Next (n)</button></nav>\n</header>\n",
        p->out);
}

static void write_link(const page *p, char letter, const stemma_place *place) {
    fprintf(p->out, "<td><a href=\"#%c%llu\">%llu&ndash;%llu</a></td>", letter,
            (unsigned long long)place->first_line, (unsigned long long)place->first_line,
            (unsigned long long)place->last_line);
}

/* The longest passages, with links to both of their places. */
static void write_shared(const page *p, const char *unit) {
    enum { MOST = 200 };
    char count[32];
    size_t shown = p->view->shared_count < MOST ? p->view->shared_count : MOST;
    fprintf(
        p->out,
        "<details>\n<summary>%s passage%s in common</summary>\n<table id=\"shared\"><thead><tr><th>%s</th>"
        "<th>lines of the first</th><th>lines of the second</th><th></th></tr></thead><tbody>\n",
        format_count(p->view->shared_count, count, sizeof count), p->view->shared_count == 1 ? "" : "s",
        unit);
    for (size_t i = 0; i < shown; i++) {
        const stemma_passage *passage = &p->view->shared[i];
        fprintf(p->out, "<tr><td>%s</td>", format_count(passage->tokens, count, sizeof count));
        write_link(p, 'a', &passage->a);
        write_link(p, 'b', &passage->b);
        fprintf(p->out, "<td>%s</td></tr>\n", passage->moved ? "moved or copied" : "");
    }
    fputs("</tbody></table>\n", p->out);
    if (shown < p->view->shared_count) fprintf(p->out, "<p>These are the %zu longest.</p>\n", shown);
    fputs("</details>\n", p->out);
}

void write_page(FILE *out, const diff_view *view, const char *unit, size_t context) {
    page p = {.out = out, .view = view};
    write_head(&p);
    write_header(&p, unit);
    write_shared(&p, unit);
    fputs(
        "<main>\n<table id=\"texts\" aria-label=\"both documents side by side\"><colgroup><col class=\"n\"><col><col "
        "class=\"n\"><col></colgroup>\n<thead><tr><th class=\"n\"></th><th scope=\"col\">",
        out);
    write_name(out, view->a.name);
    fputs("</th><th class=\"n\"></th><th scope=\"col\">", out);
    write_name(out, view->b.name);
    fputs("</th></tr></thead>\n", out);
    write_rows(&p, context);
    fprintf(out, "</table>\n</main>\n<script>%s</script>\n</body>\n</html>\n", script);
}
