#include "diff_view.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* ---- lines ---- */

static void find_lines(side *s) {
    size_t count = 1;
    for (size_t i = 0; i < s->size; i++) count += s->source[i] == '\n';
    s->lines = need_memory((count + 1) * sizeof *s->lines);
    size_t line = 1;
    for (size_t i = 0; i < s->size; i++)
        if (s->source[i] == '\n') s->lines[line++] = i + 1;
    s->line_count =
        s->lines[count - 1] == s->size ? count - 1 : count; /* what follows the last line end is no line */
    s->lines[s->line_count] = s->size;
}

const char *view_line(const side *s, size_t line, size_t *size) {
    size_t begin = s->lines[line - 1], end = s->lines[line];
    if (end > begin && s->source[end - 1] == '\n') end--;
    if (end > begin && s->source[end - 1] == '\r') end--;
    *size = end - begin;
    return s->source + begin;
}

/* ---- marks ---- */

typedef struct stretch {
    size_t begin, end;
    long passage;
} stretch;

static int by_place(const void *x, const void *y) {
    const stretch *a = x, *b = y;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return a->passage < b->passage ? -1 : a->passage > b->passage;
}

static const stemma_place *place_in(const side *s, const stemma_place *a, const stemma_place *b,
                                    const diff_view *view) {
    return s == &view->a ? a : b;
}

/* The moved passages as one side has them, in order and apart: of two that overlap the first. */
static stretch *moved_stretches(const diff_view *view, const side *s, size_t *count) {
    stretch *all = need_memory((view->shared_count + 1) * sizeof *all);
    size_t found = 0, kept = 0;
    for (size_t i = 0; i < view->shared_count; i++) {
        const stemma_passage *p = &view->shared[i];
        const stemma_place *place = place_in(s, &p->a, &p->b, view);
        if (p->moved) all[found++] = (stretch){(size_t)place->begin, (size_t)place->end, (long)i};
    }
    qsort(all, found, sizeof *all, by_place);
    for (size_t i = 0; i < found; i++)
        if (kept == 0 || all[i].begin >= all[kept - 1].end) all[kept++] = all[i];
    *count = kept;
    return all;
}

static void add_mark(side *s, mark m) {
    if (m.begin < m.end) s->marks[s->mark_count++] = m;
}

/* The difference [begin, end), cut where moved passages begin and end. */
static void mark_difference(side *s, size_t begin, size_t end, size_t index, const stretch *moved,
                            size_t moved_count, size_t *next) {
    while (*next < moved_count && moved[*next].end <= begin) ++*next;
    for (size_t k = *next; k < moved_count && moved[k].begin < end; k++) {
        size_t from = moved[k].begin > begin ? moved[k].begin : begin,
               to = moved[k].end < end ? moved[k].end : end;
        add_mark(s, (mark){begin, from, index, NOT_MOVED});
        add_mark(s, (mark){from, to, index, moved[k].passage});
        begin = to;
    }
    add_mark(s, (mark){begin, end, index, NOT_MOVED});
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What is deleted or inserted alone takes along what stands before the next token of its line, a full stop
 * perhaps. */
static size_t end_of(const side *s, const stemma_difference *d, const stemma_place *place) {
    stemma_token next;
    if (d->kind == STEMMA_CHANGE_REPLACE || place->begin == place->end) return (size_t)place->end;
    size_t end = s->size;
    if (stemma_text_token(s->text, place->end_token, &next, NULL) == STEMMA_OK)
        end = (size_t)next.source_begin;
    if (end <= place->end) return (size_t)place->end;
    const char *line_end = memchr(s->source + place->end, '\n', end - (size_t)place->end);
    if (line_end) end = (size_t)(line_end - s->source);
    while (end > place->end && is_blank(s->source[end - 1])) end--;
    return end;
}

static void find_marks(const diff_view *view, side *s) {
    size_t moved_count, next = 0;
    stretch *moved = moved_stretches(view, s, &moved_count);
    s->marks = need_memory((3 * view->difference_count + 2 * moved_count + 1) * sizeof *s->marks);
    for (size_t i = 0; i < view->difference_count; i++) {
        const stemma_difference *d = &view->differences[i];
        const stemma_place *place = place_in(s, &d->a, &d->b, view);
        mark_difference(s, (size_t)place->begin, end_of(s, d, place), i, moved, moved_count, &next);
    }
    free(moved);
}

size_t view_mark_from(const side *s, size_t at) {
    size_t low = 0, high = s->mark_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->marks[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- rows ---- */

static bool is_marked(const side *s, size_t line) {
    size_t at = view_mark_from(s, s->lines[line - 1]);
    return at < s->mark_count && s->marks[at].begin < s->lines[line];
}

static void add_row(diff_view *view, size_t a, size_t b) {
    if (view->row_count == view->row_cap) {
        view->row_cap = view->row_cap ? 2 * view->row_cap : 256;
        view->rows = need_more(view->rows, view->row_cap * sizeof *view->rows);
    }
    bool changed = (a && is_marked(&view->a, a)) || (b && is_marked(&view->b, b));
    view->rows[view->row_count++] = (row){a, b, changed};
}

/* The lines that have no partner, one beside the other as far as they go. */
static void add_rows_before(diff_view *view, size_t *a, size_t *b, size_t a_end, size_t b_end) {
    while (*a < a_end || *b < b_end) {
        size_t left = *a < a_end ? ++*a : 0, right = *b < b_end ? ++*b : 0;
        add_row(view, left, right);
    }
}

/* A token that both have in common and that is the first such on its line in both makes the two lines
 * partners. */
static void add_rows_of_stretch(diff_view *view, size_t a_token, size_t b_token, size_t count, size_t *a,
                                size_t *b) {
    stemma_token in_a, in_b;
    for (size_t i = 0; i < count; i++) {
        stemma_text_token(view->a.text, a_token + i, &in_a, NULL);
        if (in_a.source_begin < view->a.lines[*a]) continue;
        stemma_text_token(view->b.text, b_token + i, &in_b, NULL);
        if (in_b.source_begin < view->b.lines[*b]) continue;
        size_t a_line = (size_t)stemma_text_line(view->a.text, in_a.source_begin);
        size_t b_line = (size_t)stemma_text_line(view->b.text, in_b.source_begin);
        add_rows_before(view, a, b, a_line - 1, b_line - 1);
        add_row(view, ++*a, ++*b);
        if (*a == view->a.line_count || *b == view->b.line_count) return;
    }
}

static void find_rows(diff_view *view) {
    size_t a = 0, b = 0, a_token = 0, b_token = 0;
    for (size_t i = 0; i <= view->difference_count && a < view->a.line_count && b < view->b.line_count; i++) {
        const stemma_difference *d = i < view->difference_count ? &view->differences[i] : NULL;
        size_t end = d ? d->a.first_token : stemma_text_token_count(view->a.text);
        add_rows_of_stretch(view, a_token, b_token, end - a_token, &a, &b);
        if (!d) break;
        a_token = d->a.end_token;
        b_token = d->b.end_token;
    }
    add_rows_before(view, &a, &b, view->a.line_count, view->b.line_count);
}

bool *view_choose_rows(const diff_view *view, size_t context) {
    bool *chosen = need_memory(view->row_count + 1);
    size_t covered = 0; /* rows before this are decided */
    for (size_t i = 0; i < view->row_count; i++) {
        if (!view->rows[i].changed) continue;
        size_t from = i > context ? i - context : 0,
               to = view->row_count - i > context ? i + context + 1 : view->row_count;
        for (size_t k = from > covered ? from : covered; k < to; k++) chosen[k] = true;
        covered = to;
    }
    return chosen;
}

/* ---- the whole ---- */

diff_counts view_count(const diff_view *view) {
    diff_counts counts = {.a_tokens = stemma_text_token_count(view->a.text),
                          .b_tokens = stemma_text_token_count(view->b.text)};
    for (size_t i = 0; i < view->difference_count; i++) {
        const stemma_difference *d = &view->differences[i];
        counts.a_changed += d->a.end_token - d->a.first_token;
        counts.b_changed += d->b.end_token - d->b.first_token;
    }
    for (size_t i = 0; i < view->shared_count; i++) counts.moved += view->shared[i].moved;
    return counts;
}

static void side_init(side *s, const char *name, const stemma_text *text) {
    *s = (side){.name = name, .text = text};
    s->source = stemma_text_source(text, &s->size);
    find_lines(s);
}

void view_init(diff_view *view, const char *a_name, const stemma_text *a, const char *b_name,
               const stemma_text *b, const stemma_alignment *alignment) {
    *view = (diff_view){.alignment = alignment};
    view->differences = stemma_alignment_differences(alignment, &view->difference_count);
    view->shared = stemma_alignment_shared(alignment, &view->shared_count);
    side_init(&view->a, a_name, a);
    side_init(&view->b, b_name, b);
    find_marks(view, &view->a);
    find_marks(view, &view->b);
    find_rows(view);
}

void view_release(diff_view *view) {
    free(view->a.lines);
    free(view->a.marks);
    free(view->b.lines);
    free(view->b.marks);
    free(view->rows);
}
