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
    if (!s->exact && end > begin && s->source[end - 1] == '\r') end--;
    *size = end - begin;
    return s->source + begin;
}

size_t view_line_of(const side *s, size_t at) {
    size_t line = (size_t)stemma_text_line(s->text, at);
    return line < s->line_count ? line : s->line_count;
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

static void side_init(side *s, const char *name, const stemma_text *text, bool exact) {
    *s = (side){.name = name, .text = text, .exact = exact};
    s->source = stemma_text_source(text, &s->size);
    find_lines(s);
}

void view_init(diff_view *view, const diff_pair *pair) {
    *view = (diff_view){.differences = pair->differences,
                        .difference_count = pair->difference_count,
                        .shared = pair->shared,
                        .shared_count = pair->shared_count};
    side_init(&view->a, pair->a_name, pair->a, pair->exact);
    side_init(&view->b, pair->b_name, pair->b, pair->exact);
    view_find_marks(view);
    view_find_rows(view);
}

static void side_release(side *s) {
    free(s->lines);
    free(s->row_of);
    free(s->spans);
    free(s->marks);
}

void view_release(diff_view *view) {
    side_release(&view->a);
    side_release(&view->b);
    free(view->in_line);
    free(view->rows);
}

/* ---- what does not count ---- */

static bool same_bytes(const diff_view *view, size_t a, size_t b, size_t count) {
    stemma_token a_first, a_last, b_first, b_last;
    if (!count) return true;
    stemma_text_token(view->a.text, a, &a_first, NULL);
    stemma_text_token(view->a.text, a + count - 1, &a_last, NULL);
    stemma_text_token(view->b.text, b, &b_first, NULL);
    stemma_text_token(view->b.text, b + count - 1, &b_last, NULL);
    uint64_t size = a_last.source_end - a_first.source_begin;
    return size == b_last.source_end - b_first.source_begin &&
           !memcmp(view->a.source + a_first.source_begin, view->b.source + b_first.source_begin,
                   (size_t)size);
}

bool view_hides_something(const diff_view *view) {
    size_t a = 0, b = 0;
    for (size_t i = 0; i < view->difference_count; i++) {
        const stemma_difference *d = &view->differences[i];
        if (!same_bytes(view, a, b, d->a.first_token - a)) return true;
        a = d->a.end_token;
        b = d->b.end_token;
    }
    return !same_bytes(view, a, b, stemma_text_token_count(view->a.text) - a);
}
