#include "align/tokens/readable.h"

#include "base/alloc.h"

#include <stdbool.h>

/* How far a change is moved, at most: on periodic text it could go anywhere. */
enum { SLIDE_MOST = 256 };

/* A word of so many bytes says little. */
enum { SHORT_WORD = 3 };

/* ---- sliding ---- */

/* A change in one text only, and the room it has there: [begin, end) may move within [low, high). */
struct slider {
    const uint32_t *ids;
    const void *text;
    size_t begin, end, low, high;
};

static size_t slide_up(const struct slider *s) {
    size_t by = 0;
    while (by < SLIDE_MOST && s->begin - by > s->low && s->ids[s->begin - by - 1] == s->ids[s->end - by - 1])
        by++;
    return by;
}

static size_t slide_down(const struct slider *s) {
    size_t by = 0;
    while (by < SLIDE_MOST && s->end + by < s->high && s->ids[s->begin + by] == s->ids[s->end + by]) by++;
    return by;
}

/* How far down to move (up: negative) so that the seams at both ends are strongest;
 * the latest of the best. */
static ptrdiff_t best_slide(const struct slider *s, const struct readable *how) {
    ptrdiff_t up = (ptrdiff_t)slide_up(s), down = (ptrdiff_t)slide_down(s), best = 0;
    unsigned strongest = 0;
    for (ptrdiff_t by = -up; by <= down; by++) {
        unsigned strength =
            how->seam(s->text, s->begin + (size_t)by) + how->seam(s->text, s->end + (size_t)by);
        if (strength < strongest) continue;
        strongest = strength;
        best = by;
    }
    return up || down ? best : 0;
}

/* One token at least stays between two changes. */
static void slide_hunk(const struct id_pair *pair, const struct readable *how, struct hunk_list *list,
                       size_t index) {
    struct hunk *hunk = &list->hunks[index];
    bool inserted = hunk->a_begin == hunk->a_end;
    if (!inserted && hunk->b_begin != hunk->b_end) return;
    bool is_first = index == 0, is_last = index + 1 == list->count;
    struct slider s =
        inserted ? (struct slider){pair->b.ids, how->b, hunk->b_begin, hunk->b_end, 0, pair->b.count}
                 : (struct slider){pair->a.ids, how->a, hunk->a_begin, hunk->a_end, 0, pair->a.count};
    if (!is_first) s.low = (inserted ? hunk[-1].b_end : hunk[-1].a_end) + 1;
    if (!is_last) s.high = (inserted ? hunk[1].b_begin : hunk[1].a_begin) - 1;
    ptrdiff_t by = best_slide(&s, how);
    hunk->a_begin += (size_t)by;
    hunk->a_end += (size_t)by;
    hunk->b_begin += (size_t)by;
    hunk->b_end += (size_t)by;
}

/* ---- joining ---- */

static size_t changed(const struct hunk *hunk) {
    return hunk->a_end - hunk->a_begin + hunk->b_end - hunk->b_begin;
}

static bool glued_between(const struct readable *how, const struct hunk *left, const struct hunk *right) {
    bool a_left = left->a_begin < left->a_end, b_left = left->b_begin < left->b_end;
    bool a_right = right->a_begin < right->a_end, b_right = right->b_begin < right->b_end;
    return (!a_left || how->glued(how->a, left->a_end)) && (!b_left || how->glued(how->b, left->b_end)) &&
           (!a_right || how->glued(how->a, right->a_begin)) &&
           (!b_right || how->glued(how->b, right->b_begin));
}

/* What is given up between two changes must be little against the smaller of them: half of it where all are
 * short words, else a quarter; or one token, where it is glued to both. So the tokens changed grow to three
 * times as many at most. */
static bool should_join(const struct readable *how, const struct hunk *left, const struct hunk *right) {
    size_t common = right->a_begin - left->a_end;
    size_t smaller = changed(left) < changed(right) ? changed(left) : changed(right);
    if (common > how->join_most) return false;
    if (common == 1 && glued_between(how, left, right)) return true;
    size_t price = 2;
    for (size_t i = left->a_end; i < right->a_begin; i++)
        if (how->length(how->a, i) > SHORT_WORD) price = 4;
    return common * price <= smaller;
}

static void join_hunks(const struct readable *how, struct hunk_list *list) {
    size_t last = 0;
    for (size_t i = 1; i < list->count; i++) {
        struct hunk *left = &list->hunks[last], *right = &list->hunks[i];
        if (should_join(how, left, right)) {
            left->a_end = right->a_end;
            left->b_end = right->b_end;
        } else {
            list->hunks[++last] = *right;
        }
    }
    if (list->count) list->count = last + 1;
}

void make_readable(const struct id_pair *pair, const struct readable *how, struct hunk_list *list) {
    for (size_t i = 0; i < list->count; i++) slide_hunk(pair, how, list, i);
    join_hunks(how, list);
}

/* ---- moved passages ---- */

/* The first hunk that ends in b at `at` or behind it. */
static size_t hunk_from(const struct hunk_list *list, size_t at) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->hunks[middle].b_end < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the hunks that are to be joined with the next: those around stretches within the run. A stretch that
 * the run itself aligns is no chance. */
static void join_within(const struct common_run *run, const struct hunk_list *list, bool *with_next) {
    size_t first = hunk_from(list, run->b), end = first, kept = 0;
    for (; end + 1 < list->count && list->hunks[end + 1].b_begin <= run->b + run->length; end++) {
        const struct hunk *left = &list->hunks[end];
        if (left->a_end + run->b == left->b_end + run->a) return;
        kept += list->hunks[end + 1].b_begin - left->b_end;
    }
    if (2 * kept > run->length) return;
    for (size_t i = first; i < end; i++) with_next[i] = true;
}

stemma_status keep_moves_whole(const struct common_runs *runs, struct hunk_list *list, stemma_error *err) {
    bool *with_next = mem_zero(list->count, sizeof *with_next);
    if (!with_next) return fail_memory(err);
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].moved) join_within(&runs->runs[i], list, with_next);
    size_t kept = 0;
    for (size_t i = 0, end; i < list->count; i = end) {
        struct hunk joined = list->hunks[i];
        for (end = i + 1; with_next[end - 1]; end++) continue;
        joined.a_end = list->hunks[end - 1].a_end;
        joined.b_end = list->hunks[end - 1].b_end;
        list->hunks[kept++] = joined;
    }
    list->count = kept;
    mem_free(with_next);
    return STEMMA_OK;
}
