/*
 * Which lines stand beside each other, and which changes can be shown within a line.
 *
 * A token that both documents have in common pairs the lines it stands in. Where lines were wrapped anew the
 * two sides drift apart, and meet again where a line begins with the same token in both: there a block of
 * rows begins.
 */
#include "diff_view.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* ---- rows ---- */

bool view_is_marked(const side *s, size_t line) {
    size_t at = view_mark_from(s, s->lines[line - 1]);
    return at < s->mark_count && s->marks[at].begin < s->lines[line];
}

static void add_row(diff_view *view, size_t a, size_t b) {
    if (view->row_count == view->row_cap) {
        view->row_cap = view->row_cap ? 2 * view->row_cap : 256;
        view->rows = need_more(view->rows, view->row_cap * sizeof *view->rows);
    }
    bool changed = (a && view_is_marked(&view->a, a)) || (b && view_is_marked(&view->b, b));
    if (a) view->a.row_of[a] = view->row_count;
    if (b) view->b.row_of[b] = view->row_count;
    view->rows[view->row_count++] = (row){.a = a, .b = b, .changed = changed};
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

static void pair_lines(diff_view *view) {
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

/* ---- blocks ---- */

/* How far both documents are read: the first token that is not before the next line, and the first
 * difference that does not end before these. */
typedef struct reader {
    size_t a_token, b_token, difference;
} reader;

static size_t token_from(const side *s, size_t token, size_t lines_read) {
    stemma_token found;
    while (!stemma_text_token(s->text, token, &found, NULL) && found.source_begin < s->lines[lines_read])
        token++;
    return token;
}

static void read_to(const diff_view *view, reader *r, size_t a_lines, size_t b_lines) {
    r->a_token = token_from(&view->a, r->a_token, a_lines);
    r->b_token = token_from(&view->b, r->b_token, b_lines);
    for (; r->difference < view->difference_count; r->difference++) {
        const stemma_difference *d = &view->differences[r->difference];
        if (d->a.end_token > r->a_token || d->b.end_token > r->b_token) break;
    }
}

/* Whether the alignment leads from one place to the other: both lie in the same common stretch, or at its
 * end. */
static bool is_aligned(const diff_view *view, const reader *r) {
    const stemma_difference *before = r->difference ? &view->differences[r->difference - 1] : NULL;
    size_t a = before ? before->a.end_token : 0, b = before ? before->b.end_token : 0;
    size_t end = r->difference < view->difference_count ? view->differences[r->difference].a.first_token
                                                        : stemma_text_token_count(view->a.text);
    return r->a_token <= end && r->a_token - a == r->b_token - b;
}

static size_t find_blocks(diff_view *view) {
    reader r = {0};
    size_t a = 0, b = 0, block = 0;
    for (size_t i = 0; i < view->row_count; i++) {
        read_to(view, &r, a, b);
        if (i > 0 && is_aligned(view, &r)) block++;
        view->rows[i].block = block;
        if (view->rows[i].a) a = view->rows[i].a;
        if (view->rows[i].b) b = view->rows[i].b;
    }
    return block + 1;
}

/* ---- changes within a line ---- */

static bool has_line_end(const side *s, span place) {
    return memchr(s->source + place.begin, '\n', place.end - place.begin);
}

/* Whether no token of the line is common to both. */
static bool fills_line(const side *s, const stemma_place *place, size_t line) {
    span room = view_room(s, place);
    size_t size, begin = s->lines[line - 1];
    view_line(s, line, &size);
    return place->first_token < place->end_token && room.begin <= begin && room.end >= begin + size;
}

static bool is_in_line(const diff_view *view, size_t index) {
    const stemma_difference *d = &view->differences[index];
    span a = view->a.spans[index], b = view->b.spans[index];
    size_t a_line = view_line_of(&view->a, a.begin), b_line = view_line_of(&view->b, b.begin);
    if (!a_line || !b_line || has_line_end(&view->a, a) || has_line_end(&view->b, b)) return false;
    size_t a_row = view->a.row_of[a_line], b_row = view->b.row_of[b_line];
    if (a_row == b_row) return true;
    return view->rows[a_row].block == view->rows[b_row].block && !fills_line(&view->a, &d->a, a_line) &&
           !fills_line(&view->b, &d->b, b_line);
}

static void separate_lines(const diff_view *view, const side *s, span place, bool *separate) {
    if (place.begin == place.end) return;
    size_t last = view_line_of(s, place.end - 1);
    for (size_t line = view_line_of(s, place.begin); line <= last; line++)
        separate[view->rows[s->row_of[line]].block] = true;
}

static void choose_manner(diff_view *view, size_t blocks) {
    bool *separate = need_memory(blocks);
    view->in_line = need_memory(view->difference_count);
    for (size_t i = 0; i < view->difference_count; i++) {
        if ((view->in_line[i] = is_in_line(view, i))) {
            view->rows[view->b.row_of[view_line_of(&view->b, view->b.spans[i].begin)]].changed = true;
            continue;
        }
        separate_lines(view, &view->a, view->a.spans[i], separate);
        separate_lines(view, &view->b, view->b.spans[i], separate);
    }
    for (size_t i = 0; i < view->row_count; i++) view->rows[i].separate = separate[view->rows[i].block];
    free(separate);
}

void view_find_rows(diff_view *view) {
    view->a.row_of = need_memory((view->a.line_count + 1) * sizeof *view->a.row_of);
    view->b.row_of = need_memory((view->b.line_count + 1) * sizeof *view->b.row_of);
    pair_lines(view);
    choose_manner(view, find_blocks(view));
}

size_t view_difference_from(const diff_view *view, size_t at) {
    size_t low = 0, high = view->difference_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (view->b.spans[middle].begin < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- which to show ---- */

bool *view_choose_rows(const diff_view *view, size_t context) {
    bool *chosen = need_memory(view->row_count + 1);
    size_t covered = 0; /* rows before this are decided */
    for (size_t i = 0; i < view->row_count; i++) {
        if (!view->rows[i].changed && !view->rows[i].separate) continue;
        size_t from = i > context ? i - context : 0,
               to = view->row_count - i > context ? i + context + 1 : view->row_count;
        for (size_t k = from > covered ? from : covered; k < to; k++) chosen[k] = true;
        covered = to;
    }
    return chosen;
}
