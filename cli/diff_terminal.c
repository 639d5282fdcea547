/*
 * Two documents on a terminal: unified, with the words that changed marked inside the lines, or in two
 * columns.
 *
 * Without colour deleted words are [-so-] and inserted ones {+so+}. A line in which all changes have their
 * place is shown once, with both; else the lines of a stand before those of b that tell the same.
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

/* The columns a text takes on a terminal. */
static size_t display_width(const char *text, size_t size) {
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

/* A stretch in common longer than this, within a line, is shown by its ends: a text may be all one line. */
enum { STRETCH_MOST = 1000, STRETCH_END = 200 };

/* Where the next character begins, if it is one; a character has three bytes more at most. */
static size_t character_from(const char *text, size_t at) {
    for (size_t end = at + 3; at < end && ((unsigned char)text[at] & 0xC0) == 0x80; at++) continue;
    return at;
}

/* As shown_text. */
static char *shown_stretch(const char *text, size_t size) {
    if (size <= STRETCH_MOST) return shown_text(text, size);
    size_t head = character_from(text, STRETCH_END), tail = character_from(text, size - STRETCH_END);
    char count[32], *before = shown_text(text, head), *behind = shown_text(text + tail, size - tail);
    size_t room = strlen(before) + strlen(behind) + 64;
    char *shown = need_memory(room);
    snprintf(shown, room, "%s [... %s bytes ...] %s", before, format_count(tail - head, count, sizeof count),
             behind);
    free(before);
    free(behind);
    return shown;
}

static void print_stretch(const char *text, size_t size) {
    char *shown = shown_stretch(text, size);
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

/* Where a change is in white space alone, a line end is shown as a character. */
static size_t end_for_mark(const printer *p, const side *s, const mark *m, size_t end) {
    const stemma_difference *d = &p->view->differences[m->difference];
    bool tokens = d->a.first_token < d->a.end_token || d->b.first_token < d->b.end_token;
    return s->exact && !tokens && end < s->size ? end + 1 : end;
}

static void print_marked_line(const printer *p, const side *s, size_t line) {
    size_t size, at;
    const char *text = view_line(s, line, &size);
    size_t begin = (size_t)(text - s->source), end = begin + size;
    at = begin;
    for (size_t i = view_mark_from(s, begin); i < s->mark_count && s->marks[i].begin <= end; i++) {
        const mark *m = &s->marks[i];
        if (m->begin > at) print_stretch(s->source + at, m->begin - at);
        print_mark(p, s, m, begin, end_for_mark(p, s, m, end));
        at = m->end < end ? m->end : end;
    }
    print_stretch(s->source + at, end - at);
}

/* ---- unified ---- */

/* `text`: whether something follows. */
static void print_gutter(const printer *p, size_t a, size_t b, char sign, bool text) {
    const char *faint = p->colours.faint, *end = p->colours.end;
    char left[32] = "", right[32] = "";
    if (a) snprintf(left, sizeof left, "%zu", a);
    if (b) snprintf(right, sizeof right, "%zu", b);
    printf("%s%*s %*s", faint, p->digits, left, p->digits, right);
    if (text || sign != ' ') printf(" %c", sign);
    printf("%s%s", end, text ? " " : "");
}

/* All marks of one side that belong to a difference. */
static void print_marks_of(const printer *p, const side *s, size_t difference) {
    span all = s->spans[difference];
    for (size_t i = view_mark_from(s, all.begin); i < s->mark_count && s->marks[i].begin < all.end; i++)
        print_mark(p, s, &s->marks[i], all.begin, all.end);
}

/* What is deleted stands within the line of b: apart from what is beside it, where it was so in a. */
static void print_deleted(const printer *p, size_t difference, size_t begin, size_t end) {
    const side *a = &p->view->a, *b = &p->view->b;
    span deleted = a->spans[difference], place = b->spans[difference];
    bool blank_before = deleted.begin > 0 && is_blank(a->source[deleted.begin - 1]);
    bool blank_behind = deleted.end < a->size && is_blank(a->source[deleted.end]);
    if (deleted.begin == deleted.end) {
        print_marks_of(p, b, difference);
        return;
    }
    if (blank_before && place.begin > begin && !is_blank(b->source[place.begin - 1])) putchar(' ');
    print_marks_of(p, a, difference);
    print_marks_of(p, b, difference);
    if (blank_behind && place.end < end && !is_blank(b->source[place.end])) putchar(' ');
}

/* A line of b with its changes, and those of a that have their place in it. */
static void print_merged_line(const printer *p, const row *r) {
    const diff_view *view = p->view;
    const side *b = &view->b;
    size_t size, at = b->lines[r->b - 1], begin = at, line_end = b->lines[r->b];
    if (r->b == b->line_count) line_end++;
    view_line(b, r->b, &size);
    size_t end = begin + size, first = view_difference_from(view, begin), last = first;
    while (last < view->difference_count && b->spans[last].begin < line_end) last++;
    bool changed = false;
    for (size_t i = first; i < last; i++) changed |= view->in_line[i];
    print_gutter(p, r->a, r->b, changed ? '~' : ' ', changed || size);
    for (size_t i = first; i < last; i++) {
        if (!view->in_line[i]) continue;
        size_t to = b->spans[i].begin < end ? b->spans[i].begin : end;
        if (to > at) print_stretch(b->source + at, to - at);
        print_deleted(p, i, begin, end);
        at = b->spans[i].end;
    }
    if (at < end) print_stretch(b->source + at, end - at);
    putchar('\n');
}

static void print_separate(const printer *p, const side *s, size_t line, char sign) {
    bool is_a = s == &p->view->a;
    if (!line) return;
    size_t size;
    view_line(s, line, &size);
    print_gutter(p, is_a ? line : 0, is_a ? 0 : line, sign, size || (s->exact && view_is_marked(s, line)));
    print_marked_line(p, s, line);
    putchar('\n');
}

/* A row, or a whole block where the lines of a stand before those of b; returns the next. A line of a alone
 * was wrapped otherwise in b, and stands there. */
static size_t print_rows(const printer *p, size_t at) {
    const row *rows = p->view->rows;
    size_t end = at;
    if (!rows[at].separate) {
        if (rows[at].b) print_merged_line(p, &rows[at]);
        return at + 1;
    }
    while (end < p->view->row_count && rows[end].block == rows[at].block) end++;
    for (size_t i = at; i < end; i++) print_separate(p, &p->view->a, rows[i].a, '-');
    for (size_t i = at; i < end; i++) print_separate(p, &p->view->b, rows[i].b, '+');
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

/* Takes `shown`. */
static void cell_add_shown(cell *c, char *shown, const char *colour, FILE *to) {
    size_t length = strlen(shown);
    c->colour_at = need_more(c->colour_at, (c->size + length + 1) * sizeof *c->colour_at);
    for (size_t i = 0; i < length; i++) c->colour_at[c->size + i] = colour;
    c->size += length;
    fwrite(shown, 1, length, to);
    free(shown);
}

static void cell_add(cell *c, const char *text, size_t size, const char *colour, FILE *to) {
    cell_add_shown(c, shown_text(text, size), colour, to);
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
        if (s->marks[i].begin > at)
            cell_add_shown(&c, shown_stretch(s->source + at, s->marks[i].begin - at), "", to);
        cell_add_mark(&c, p, s, &s->marks[i], begin, end, to);
        at = s->marks[i].end < end ? s->marks[i].end : end;
    }
    cell_add_shown(&c, shown_stretch(s->source + at, end - at), "", to);
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
    size_t end = c->text ? cell_fit(c, columns) : c->at, from = c->at, shown = end;
    size_t width = c->text ? display_width(c->text + from, end - from) : 0;
    const char *colour = "";
    while (!fill && shown > from && c->text[shown - 1] == ' ') shown--;
    for (; c->at < shown; c->at++) {
        if (c->colour_at[c->at] != colour) {
            fputs(*colour ? p->colours.end : "", stdout);
            fputs(colour = c->colour_at[c->at], stdout);
        }
        putchar(c->text[c->at]);
    }
    c->at = end;
    if (*colour) fputs(p->colours.end, stdout);
    if (fill && width < columns) printf("%*s", (int)(columns - width), "");
}

static void print_number(const printer *p, size_t line) {
    if (line)
        printf("%s%*zu%s", p->colours.faint, p->digits, line, p->colours.end);
    else
        printf("%*s", p->digits, "");
}

/* A line of both cells; nothing follows what is seen last. */
static void print_columns_line(const printer *p, const row *r, cell *a, cell *b, bool first, size_t columns) {
    bool text = b->at < b->size, right = text || (first && r->b);
    print_number(p, first ? r->a : 0);
    if (right || r->changed || a->at < a->size) putchar(' ');
    cell_print(a, p, columns, right || r->changed);
    if (right || r->changed) printf(" %s%c%s", p->colours.faint, r->changed ? '|' : ' ', p->colours.end);
    if (right) {
        putchar(' ');
        print_number(p, first ? r->b : 0);
    }
    if (text) {
        putchar(' ');
        cell_print(b, p, columns, false);
    }
    putchar('\n');
}

static void print_columns_row(const printer *p, const row *r, size_t columns) {
    cell a = cell_make(p, &p->view->a, r->a), b = cell_make(p, &p->view->b, r->b);
    bool first = true;
    do {
        print_columns_line(p, r, &a, &b, first, columns);
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
