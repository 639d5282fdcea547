/*
 * What is marked in the originals.
 *
 * Differences are told in tokens; what stands between tokens (white space, punctuation) is divided here. The
 * two texts between the common tokens on either side of a difference are compared from both ends: what is
 * equal there belongs to the common text, the rest is marked. White space at the ends of a mark is left
 * outside, unless white space counts.
 */
#include "diff_view.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* ---- spans ---- */

/* A difference in one original: the tokens that changed, and the room up to the common tokens around them. */
typedef struct room {
    const char *source;
    size_t begin, core_begin, core_end, end;
} room;

span view_room(const side *s, const stemma_place *place) {
    stemma_token token;
    span r = {0, s->size};
    if (place->first_token > 0 && !stemma_text_token(s->text, place->first_token - 1, &token, NULL))
        r.begin = (size_t)token.source_end;
    if (!stemma_text_token(s->text, place->end_token, &token, NULL)) r.end = (size_t)token.source_begin;
    if (r.end < r.begin) r.end = r.begin;
    return r;
}

static room room_of(const side *s, const stemma_place *place) {
    span all = view_room(s, place);
    bool empty = place->first_token == place->end_token;
    return (room){s->source, all.begin, empty ? all.end : (size_t)place->begin,
                  empty ? all.begin : (size_t)place->end, all.end};
}

static bool is_gap(const room *r) {
    return r->core_begin >= r->core_end;
}

/* Two texts that are compared from one end; how much of either agrees. */
typedef struct match {
    const char *a, *b;
    size_t a_size, b_size, a_used, b_used;
    bool exact; /* else any white space is as good as any other */
} match;

static void match_ahead(match *m) {
    m->a_used = m->b_used = 0;
    while (m->a_used < m->a_size && m->b_used < m->b_size) {
        const char *a = m->a + m->a_used, *b = m->b + m->b_used;
        size_t length = utf8_length((const unsigned char *)a, m->a_size - m->a_used);
        if (!length) length = 1;
        if (!m->exact && is_blank(*a) && is_blank(*b)) {
            while (m->a_used < m->a_size && is_blank(m->a[m->a_used])) m->a_used++;
            while (m->b_used < m->b_size && is_blank(m->b[m->b_used])) m->b_used++;
        } else if (length <= m->b_size - m->b_used && !memcmp(a, b, length)) {
            m->a_used += length;
            m->b_used += length;
        } else {
            return;
        }
    }
}

static void match_behind(match *m) {
    m->a_used = m->b_used = 0;
    while (m->a_used < m->a_size && m->b_used < m->b_size) {
        char a = m->a[m->a_size - m->a_used - 1], b = m->b[m->b_size - m->b_used - 1];
        if (!m->exact && is_blank(a) && is_blank(b)) {
            while (m->a_used < m->a_size && is_blank(m->a[m->a_size - m->a_used - 1])) m->a_used++;
            while (m->b_used < m->b_size && is_blank(m->b[m->b_size - m->b_used - 1])) m->b_used++;
        } else if (a == b) {
            m->a_used++;
            m->b_used++;
        } else {
            break;
        }
    }
    /* Not within a character. */
    while (m->a_used && m->b_used && ((unsigned char)m->a[m->a_size - m->a_used] & 0xC0) == 0x80) {
        m->a_used--;
        m->b_used--;
    }
}

static match head_match(const room *a, size_t a_end, const room *b, size_t b_end, bool exact) {
    match m = {a->source + a->begin, b->source + b->begin, a_end - a->begin, b_end - b->begin, 0, 0, exact};
    match_ahead(&m);
    return m;
}

static match tail_match(const room *a, size_t a_begin, const room *b, size_t b_begin, bool exact) {
    match m = {a->source + a_begin, b->source + b_begin, a->end - a_begin, b->end - b_begin, 0, 0, exact};
    match_behind(&m);
    return m;
}

static size_t later(size_t x, size_t y) {
    return x > y ? x : y;
}

static size_t earlier(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Where a gap without changed tokens is best cut when either end of it agrees with the other side: a full
 * stop stays with what is before it, the sign of a list with what follows. */
static size_t cut_of(const room *gap, size_t first, size_t last) {
    size_t blank = gap->begin;
    while (blank < gap->end && !is_blank(gap->source[blank])) blank++;
    return blank < first ? first : earlier(blank, last);
}

static void trim(const room *r, span *s, bool exact) {
    size_t low = is_gap(r) ? s->begin : later(r->core_end, s->begin),
           high = is_gap(r) ? s->end : r->core_begin;
    if (exact) return;
    while (s->end > low && is_blank(r->source[s->end - 1])) s->end--;
    while (s->begin < earlier(high, s->end) && is_blank(r->source[s->begin])) s->begin++;
}

/* What is left of both rooms when what they share at both ends is taken away. */
static void find_spans(const room *a, const room *b, bool exact, span *in_a, span *in_b) {
    size_t a_head = is_gap(a) ? a->end : a->core_begin, b_head = is_gap(b) ? b->end : b->core_begin;
    size_t a_tail = is_gap(a) ? a->begin : a->core_end, b_tail = is_gap(b) ? b->begin : b->core_end;
    match head = head_match(a, a_head, b, b_head, exact), tail = tail_match(a, a_tail, b, b_tail, exact);
    const room *gap = is_gap(a) == is_gap(b) ? NULL : is_gap(a) ? a : b;
    size_t head_used = gap == a ? head.a_used : head.b_used, tail_used = gap == a ? tail.a_used : tail.b_used;
    if (gap && head_used + tail_used > gap->end - gap->begin) {
        size_t cut = cut_of(gap, gap->end - tail_used, gap->begin + head_used);
        head = head_match(a, gap == a ? cut : a_head, b, gap == b ? cut : b_head, exact);
    }
    tail =
        tail_match(a, later(a_tail, a->begin + head.a_used), b, later(b_tail, b->begin + head.b_used), exact);
    *in_a = (span){a->begin + head.a_used, a->end - tail.a_used};
    *in_b = (span){b->begin + head.b_used, b->end - tail.b_used};
    trim(a, in_a, exact);
    trim(b, in_b, exact);
}

/* ---- marks ---- */

typedef struct stretch {
    span bytes;
    size_t first_token, end_token;
    long passage;
} stretch;

static int by_place(const void *x, const void *y) {
    const stretch *a = x, *b = y;
    if (a->bytes.begin != b->bytes.begin) return a->bytes.begin < b->bytes.begin ? -1 : 1;
    return a->passage < b->passage ? -1 : a->passage > b->passage;
}

/* The moved passages as one side has them, in order and apart: of two that overlap the first. */
static stretch *moved_stretches(const diff_view *view, const side *s, size_t *count) {
    stretch *all = need_memory((view->shared_count + 1) * sizeof *all);
    size_t found = 0, kept = 0;
    for (size_t i = 0; i < view->shared_count; i++) {
        const stemma_passage *p = &view->shared[i];
        const stemma_place *place = s == &view->a ? &p->a : &p->b;
        if (p->moved)
            all[found++] = (stretch){
                {(size_t)place->begin, (size_t)place->end}, place->first_token, place->end_token, (long)i};
    }
    qsort(all, found, sizeof *all, by_place);
    for (size_t i = 0; i < found; i++)
        if (kept == 0 || all[i].bytes.begin >= all[kept - 1].bytes.end) all[kept++] = all[i];
    *count = kept;
    return all;
}

static void add_mark(side *s, mark m) {
    if (m.begin < m.end) s->marks[s->mark_count++] = m;
}

/* The span of a difference, cut where moved passages begin and end; punctuation alone beside one is part of
 * it. */
static void mark_difference(side *s, size_t index, const stemma_place *place, const stretch *moved,
                            size_t moved_count, size_t *next) {
    size_t begin = s->spans[index].begin, end = s->spans[index].end, token = place->first_token;
    while (*next < moved_count && moved[*next].end_token <= place->first_token) ++*next;
    for (size_t k = *next; k < moved_count && moved[k].first_token < place->end_token; k++) {
        bool from_here = moved[k].first_token <= token, to_end = moved[k].end_token >= place->end_token;
        size_t from = from_here ? begin : moved[k].bytes.begin, to = to_end ? end : moved[k].bytes.end;
        add_mark(s, (mark){begin, from, index, NOT_MOVED});
        add_mark(s, (mark){from, to, index, moved[k].passage});
        begin = to;
        token = moved[k].end_token;
    }
    add_mark(s, (mark){begin, end, index, NOT_MOVED});
}

static void mark_side(const diff_view *view, side *s) {
    size_t moved_count, next = 0;
    stretch *moved = moved_stretches(view, s, &moved_count);
    s->marks = need_memory((3 * view->difference_count + 2 * moved_count + 1) * sizeof *s->marks);
    for (size_t i = 0; i < view->difference_count; i++) {
        const stemma_difference *d = &view->differences[i];
        mark_difference(s, i, s == &view->a ? &d->a : &d->b, moved, moved_count, &next);
    }
    free(moved);
}

void view_find_marks(diff_view *view) {
    view->a.spans = need_memory((view->difference_count + 1) * sizeof *view->a.spans);
    view->b.spans = need_memory((view->difference_count + 1) * sizeof *view->b.spans);
    for (size_t i = 0; i < view->difference_count; i++) {
        room a = room_of(&view->a, &view->differences[i].a), b = room_of(&view->b, &view->differences[i].b);
        find_spans(&a, &b, view->a.exact, &view->a.spans[i], &view->b.spans[i]);
    }
    mark_side(view, &view->a);
    mark_side(view, &view->b);
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
