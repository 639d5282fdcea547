/*
 * Two documents on a terminal: unified, with the words that changed marked inside the lines, or in two
 * columns.
 *
 * Without colour deleted words are [-so-] and inserted ones {+so+}. A line in which all changes have their
 * place is shown once, with both; else the line of a stands before that of b, and one without changes is left
 * out.
 */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "diff_print.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "command.h"

typedef struct printer {
    const diff_view *view;
    palette colours;
    int digits; /* of a line number */
} printer;

/* ---- text ---- */

size_t display_width(const char *text, size_t size) {
    size_t width = 0;
    for (size_t at = 0; at < size;) {
        wchar_t character;
        mbstate_t state = {0};
        size_t length = utf8_length((const unsigned char *)text + at, size - at);
        size_t read = length > 1 ? mbrtowc(&character, text + at, length, &state) : 1;
        int columns = read == length && length > 1 ? wcwidth(character) : 1;
        width += columns < 0 ? 1 : (size_t)columns;
        at += length ? length : 1;
    }
    return width;
}

/* Text that a terminal may get, with four spaces for a TAB. Free the result. */
static char *shown_text(const char *text, size_t size) {
    char *shown = NULL;
    size_t shown_size;
    FILE *to = need(open_memstream(&shown, &shown_size));
    for (size_t at = 0; at < size;) {
        const char *tab = memchr(text + at, '\t', size - at);
        size_t plain = tab ? (size_t)(tab - text) - at : size - at;
        char *safe = safe_text(text + at, plain);
        fprintf(to, "%s%s", safe, tab ? "    " : "");
        free(safe);
        at += plain + (tab != NULL);
    }
    fclose(to);
    return need(shown);
}

static void print_text(const char *text, size_t size) {
    char *shown = shown_text(text, size);
    fputs(shown, stdout);
    free(shown);
}

/* ---- marks ---- */

/* What goes before and behind a marked text. */
typedef struct signs {
    const char *colour, *before, *behind;
    char moved[64]; /* "moved to line 12: ", or nothing */
} signs;

static signs signs_of(const printer *p, const side *s, const mark *m) {
    bool deleted = s == &p->view->a, coloured = *p->colours.end;
    signs found = {deleted ? p->colours.bad : p->colours.good, deleted ? "[-" : "{+", deleted ? "-]" : "+}",
                   ""};
    if (coloured) found.before = found.behind = "";
    if (m->moved == NOT_MOVED) return found;
    const stemma_passage *passage = &p->view->shared[m->moved];
    found.colour = p->colours.moved;
    snprintf(found.moved, sizeof found.moved, "moved %s line %llu: ", deleted ? "to" : "from",
             (unsigned long long)(deleted ? passage->b.first_line : passage->a.first_line));
    return found;
}

/* The part of a mark that lies in [begin, end). */
static void print_mark(const printer *p, const side *s, const mark *m, size_t begin, size_t end) {
    signs around = signs_of(p, s, m);
    size_t from = m->begin > begin ? m->begin : begin, to = m->end < end ? m->end : end;
    if (to <= from) return;
    printf("%s%s%s", around.colour, around.before, m->begin >= begin ? around.moved : "");
    print_text(s->source + from, to - from);
    printf("%s%s", around.behind, p->colours.end);
}

static void print_marked_line(const printer *p, const side *s, size_t line) {
    size_t size, at;
    const char *text = view_line(s, line, &size);
    size_t begin = (size_t)(text - s->source), end = begin + size;
    at = begin;
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].begin < end; i++) {
        if (s->marks[i].begin > at) print_text(s->source + at, s->marks[i].begin - at);
        print_mark(p, s, &s->marks[i], begin, end);
        at = s->marks[i].end < end ? s->marks[i].end : end;
    }
    print_text(s->source + at, end - at);
}

/* ---- unified ---- */

static void print_gutter(const printer *p, size_t a, size_t b, char sign) {
    const char *faint = p->colours.faint, *end = p->colours.end;
    char left[32] = "", right[32] = "";
    if (a) snprintf(left, sizeof left, "%zu", a);
    if (b) snprintf(right, sizeof right, "%zu", b);
    printf("%s%*s %*s %c%s ", faint, p->digits, left, p->digits, right, sign, end);
}

/* Whether a line shows every change that touches its partner, and whole. */
static bool shows_all(const diff_view *view, const side *s, size_t line, const side *partner,
                      size_t partner_line) {
    size_t begin = s->lines[line - 1], end = s->lines[line], low = partner->lines[partner_line - 1],
           high = partner->lines[partner_line];
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].begin < end; i++) {
        const stemma_difference *d = &view->differences[s->marks[i].difference];
        const stemma_place *there = partner == &view->a ? &d->a : &d->b;
        if (s->marks[i].begin < begin || s->marks[i].end > end) return false;
        if (there->begin < low || there->end > high || there->begin == high) return false;
    }
    return true;
}

static bool is_one_line(const diff_view *view, const row *r) {
    return r->a && r->b && shows_all(view, &view->a, r->a, &view->b, r->b) &&
           shows_all(view, &view->b, r->b, &view->a, r->a);
}

/* All marks of one side that belong to a difference; returns where the last ends. */
static size_t print_marks_of(const printer *p, const side *s, size_t difference, size_t begin, size_t end) {
    size_t at = begin;
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].difference == difference;
         i++) {
        print_mark(p, s, &s->marks[i], begin, end);
        at = s->marks[i].end;
    }
    return at;
}

static bool is_followed_by_space(const side *s, size_t at) {
    return at < s->size && (s->source[at] == ' ' || s->source[at] == '\t');
}

static void print_merged_line(const printer *p, const row *r) {
    const diff_view *view = p->view;
    size_t size, a_end = view->a.lines[r->a];
    const char *text = view_line(&view->b, r->b, &size);
    size_t at = (size_t)(text - view->b.source), end = at + size;
    size_t a_mark = view_mark_from(&view->a, view->a.lines[r->a - 1]), b_mark = view_mark_from(&view->b, at);
    size_t first = SIZE_MAX;
    if (a_mark < view->a.mark_count) first = view->a.marks[a_mark].difference;
    if (b_mark < view->b.mark_count && view->b.marks[b_mark].difference < first)
        first = view->b.marks[b_mark].difference;
    print_gutter(p, r->a, r->b, '~');
    for (size_t i = first; i < view->difference_count && view->differences[i].b.begin <= end; i++) {
        const stemma_difference *d = &view->differences[i];
        if (d->a.begin >= a_end || d->b.begin < at) break;
        print_text(view->b.source + at, (size_t)d->b.begin - at);
        size_t gone = print_marks_of(p, &view->a, i, (size_t)d->a.begin, a_end);
        if (d->kind == STEMMA_CHANGE_DELETE && is_followed_by_space(&view->a, gone)) putchar(' ');
        at = print_marks_of(p, &view->b, i, (size_t)d->b.begin, end);
    }
    if (at < end) print_text(view->b.source + at, end - at);
    putchar('\n');
}

static bool line_is_marked(const side *s, size_t line) {
    if (!line) return false;
    size_t at = view_mark_from(s, s->lines[line - 1]);
    return at < s->mark_count && s->marks[at].begin < s->lines[line];
}

static void print_separate(const printer *p, const side *s, size_t line, char sign) {
    if (!line_is_marked(s, line)) return;
    bool is_a = s == &p->view->a;
    print_gutter(p, is_a ? line : 0, is_a ? 0 : line, sign);
    print_marked_line(p, s, line);
    putchar('\n');
}

/* Rows from `begin` on that change and cannot be shown as one line each; returns their end. */
static size_t separate_rows(const diff_view *view, size_t begin) {
    size_t end = begin;
    while (end < view->row_count && view->rows[end].changed && !is_one_line(view, &view->rows[end])) end++;
    return end;
}

static size_t print_rows(const printer *p, size_t at) {
    const diff_view *view = p->view;
    const row *r = &view->rows[at];
    if (!r->changed) {
        if (!r->b) return at + 1; /* a line of a that was wrapped otherwise in b */
        print_gutter(p, r->a, r->b, ' ');
        print_marked_line(p, &view->b, r->b);
        putchar('\n');
        return at + 1;
    }
    size_t end = separate_rows(view, at);
    if (end == at) {
        print_merged_line(p, r);
        return at + 1;
    }
    for (size_t i = at; i < end; i++) print_separate(p, &view->a, view->rows[i].a, '-');
    for (size_t i = at; i < end; i++) print_separate(p, &view->b, view->rows[i].b, '+');
    return end;
}

static printer printer_init(const diff_view *view) {
    size_t most = view->a.line_count > view->b.line_count ? view->a.line_count : view->b.line_count;
    return (printer){view, palette_choose(), snprintf(NULL, 0, "%zu", most)};
}

static void print_names(const printer *p) {
    printf("%s--- ", p->colours.strong);
    print_name(stdout, p->view->a.name);
    printf("%s\n%s+++ ", p->colours.end, p->colours.strong);
    print_name(stdout, p->view->b.name);
    printf("%s\n", p->colours.end);
}

/* Lines that are left out are counted. */
static void print_skipped(const printer *p, size_t rows) {
    char count[32];
    if (rows)
        printf("%s@@ %s line%s in common @@%s\n", p->colours.faint, format_count(rows, count, sizeof count),
               rows == 1 ? "" : "s", p->colours.end);
}

void print_unified(const diff_view *view, size_t context) {
    printer p = printer_init(view);
    bool *chosen = view_choose_rows(view, context);
    size_t skipped = 0;
    print_names(&p);
    for (size_t i = 0; i < view->row_count && !stop_requested && !output_lost();) {
        if (!chosen[i]) {
            skipped++;
            i++;
            continue;
        }
        print_skipped(&p, skipped);
        skipped = 0;
        i = print_rows(&p, i);
    }
    print_skipped(&p, skipped);
    free(chosen);
}

/* ---- two columns ---- */

/* A line as it is printed, with its marks; what is between is not counted as width. */
typedef struct cell {
    char *text;             /* NULL: no line */
    const char **colour_at; /* by byte of text: the colour that begins there, "" none, NULL as before */
    size_t size, at;
} cell;

static void cell_add(cell *c, const char *text, size_t size, const char *colour, FILE *to) {
    char *shown = shown_text(text, size);
    size_t length = strlen(shown);
    c->colour_at = need_more(c->colour_at, (c->size + length + 1) * sizeof *c->colour_at);
    for (size_t i = 0; i < length; i++) c->colour_at[c->size + i] = colour;
    c->size += length;
    fwrite(shown, 1, length, to);
    free(shown);
}

static void cell_add_mark(cell *c, const printer *p, const side *s, const mark *m, size_t begin, size_t end,
                          FILE *to) {
    signs around = signs_of(p, s, m);
    size_t from = m->begin > begin ? m->begin : begin, to_end = m->end < end ? m->end : end;
    if (to_end <= from) return;
    cell_add(c, around.before, strlen(around.before), around.colour, to);
    if (m->begin >= begin) cell_add(c, around.moved, strlen(around.moved), around.colour, to);
    cell_add(c, s->source + from, to_end - from, around.colour, to);
    cell_add(c, around.behind, strlen(around.behind), around.colour, to);
}

static cell cell_make(const printer *p, const side *s, size_t line) {
    cell c = {0};
    size_t size, text_size;
    if (!line) return c;
    const char *text = view_line(s, line, &size);
    size_t begin = (size_t)(text - s->source), end = begin + size, at = begin;
    FILE *to = need(open_memstream(&c.text, &text_size));
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].begin < end; i++) {
        if (s->marks[i].begin > at) cell_add(&c, s->source + at, s->marks[i].begin - at, "", to);
        cell_add_mark(&c, p, s, &s->marks[i], begin, end, to);
        at = s->marks[i].end < end ? s->marks[i].end : end;
    }
    cell_add(&c, s->source + at, end - at, "", to);
    fclose(to);
    need(c.text);
    return c;
}

static void cell_release(cell *c) {
    free(c->text);
    free(c->colour_at);
}

/* How much of the cell fits: whole words where there is room for one. */
static size_t cell_fit(const cell *c, size_t columns) {
    size_t end = c->at, width = 0, word_end = 0;
    while (end < c->size) {
        size_t length = utf8_length((const unsigned char *)c->text + end, c->size - end);
        if (!length) length = 1;
        width += display_width(c->text + end, length);
        if (width > columns) return word_end ? word_end : end > c->at ? end : end + length;
        end += length;
        if (c->text[end - 1] == ' ') word_end = end;
    }
    return end;
}

/* The next piece of the cell that fits, filled up with spaces where another column follows. */
static void cell_print(cell *c, const printer *p, size_t columns, bool fill) {
    size_t end = c->text ? cell_fit(c, columns) : c->at, from = c->at;
    size_t width = c->text ? display_width(c->text + from, end - from) : 0;
    const char *colour = "";
    for (; c->at < end; c->at++) {
        if (c->colour_at[c->at] != colour) {
            fputs(*colour ? p->colours.end : "", stdout);
            fputs(colour = c->colour_at[c->at], stdout);
        }
        putchar(c->text[c->at]);
    }
    if (*colour) fputs(p->colours.end, stdout);
    if (fill && width < columns) printf("%*s", (int)(columns - width), "");
}

static void print_number(const printer *p, size_t line) {
    if (line)
        printf("%s%*zu%s ", p->colours.faint, p->digits, line, p->colours.end);
    else
        printf("%*s ", p->digits, "");
}

static void print_columns_row(const printer *p, const row *r, size_t columns) {
    cell a = cell_make(p, &p->view->a, r->a), b = cell_make(p, &p->view->b, r->b);
    bool first = true;
    do {
        print_number(p, first ? r->a : 0);
        cell_print(&a, p, columns, true);
        printf(" %s%c%s ", p->colours.faint, r->changed ? '|' : ' ', p->colours.end);
        print_number(p, first ? r->b : 0);
        cell_print(&b, p, columns, false);
        putchar('\n');
        first = false;
    } while (a.at < a.size || b.at < b.size);
    cell_release(&a);
    cell_release(&b);
}

void print_columns(const diff_view *view, size_t context, size_t columns) {
    printer p = printer_init(view);
    size_t around = 2 * ((size_t)p.digits + 1) + 3,
           each = columns > around + 20 ? (columns - around) / 2 : 10;
    bool *chosen = view_choose_rows(view, context);
    size_t skipped = 0;
    print_names(&p);
    for (size_t i = 0; i < view->row_count && !stop_requested && !output_lost(); i++) {
        if (!chosen[i]) {
            skipped++;
            continue;
        }
        print_skipped(&p, skipped);
        skipped = 0;
        print_columns_row(&p, &view->rows[i], each);
    }
    print_skipped(&p, skipped);
    free(chosen);
}
