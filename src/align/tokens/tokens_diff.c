#include "align/tokens/tokens_diff.h"

#include "align/tokens/anchors.h"
#include "align/tokens/gap.h"
#include "base/alloc.h"

/* Lengths of the runs that cut a stretch, level by level. Long ones are not misled by words that wander; the
 * last level is repeated, since in a smaller stretch more tokens are alone. */
static const size_t anchor_lengths[] = {16, 4, 1, 1};
enum { LEVELS = sizeof anchor_lengths / sizeof *anchor_lengths };

/* Below this many tokens the exact search is cheaper than a table. */
enum { SMALL_GAP = 128 };

struct diff {
    const struct id_pair *pair;
    struct gap_search search;
    struct anchor_finder finder;
};

static stemma_status align(struct diff *diff, struct gap gap, int level, stemma_error *err);

/* Between two anchors the next level; an anchor goes on as long as the texts do. */
static stemma_status align_between(struct diff *diff, const struct gap *gap, const struct anchor_list *list,
                                   int level, stemma_error *err) {
    const struct id_pair *pair = diff->pair;
    struct gap rest = *gap;
    for (size_t i = 0; i < list->count; i++) {
        size_t a = list->anchors[i].a, b = list->anchors[i].b;
        if (a < rest.a_begin || b < rest.b_begin) continue; /* within the anchor before it */
        TRY(align(diff, (struct gap){rest.a_begin, a, rest.b_begin, b}, level + 1, err));
        for (; a < gap->a_end && b < gap->b_end && pair->a.ids[a] == pair->b.ids[b]; a++, b++)
            diff->search.kept.a[a] = diff->search.kept.b[b] = true;
        rest.a_begin = a;
        rest.b_begin = b;
    }
    return align(diff, rest, level + 1, err);
}

static stemma_status align(struct diff *diff, struct gap gap, int level, stemma_error *err) {
    TRY(check_stop(diff->search.stop, err));
    gap_trim(&diff->search, &gap);
    size_t a_width = gap.a_end - gap.a_begin, b_width = gap.b_end - gap.b_begin;
    if (a_width == 0 || b_width == 0) return STEMMA_OK;
    if (level == LEVELS || a_width + b_width <= SMALL_GAP) return gap_align(&diff->search, gap, err);
    struct anchor_list list;
    TRY(anchors_find(&diff->finder, &gap, anchor_lengths[level], &list, err));
    stemma_status status = align_between(diff, &gap, &list, level, err);
    mem_free(list.anchors);
    return status;
}

/* From the tokens kept to the stretches that are not. */
static stemma_status collect_hunks(const struct id_pair *pair, const struct kept *kept, struct hunk_list *out,
                                   stemma_error *err) {
    size_t a = 0, b = 0;
    while (a < pair->a.count || b < pair->b.count) {
        struct hunk hunk = {.a_begin = a, .b_begin = b};
        while (a < pair->a.count && !kept->a[a]) a++;
        while (b < pair->b.count && !kept->b[b]) b++;
        hunk.a_end = a;
        hunk.b_end = b;
        for (; a < pair->a.count && b < pair->b.count && kept->a[a] && kept->b[b]; a++, b++) continue;
        if (hunk.a_begin == hunk.a_end && hunk.b_begin == hunk.b_end) continue;
        if (!mem_grow((void **)&out->hunks, &out->cap, out->count + 1, sizeof *out->hunks))
            return fail_memory(err);
        out->hunks[out->count++] = hunk;
    }
    return STEMMA_OK;
}

static stemma_status run(struct diff *diff, struct hunk_list *out, stemma_error *err) {
    const struct id_pair *pair = diff->pair;
    TRY(align(diff, (struct gap){0, pair->a.count, 0, pair->b.count}, 0, err));
    out->steps = diff->search.steps + diff->finder.steps;
    return collect_hunks(pair, &diff->search.kept, out, err);
}

stemma_status tokens_diff(const struct id_pair *pair, const volatile int *stop, struct hunk_list *out,
                          stemma_error *err) {
    struct diff diff = {.pair = pair};
    struct hunk_list list = {0};
    struct kept kept = {mem_zero(pair->a.count, sizeof *kept.a), mem_zero(pair->b.count, sizeof *kept.b)};
    stemma_status status =
        kept.a && kept.b ? gap_search_init(&diff.search, pair, kept, stop, err) : fail_memory(err);
    if (status == STEMMA_OK) {
        status = anchor_finder_init(&diff.finder, pair, err);
        if (status == STEMMA_OK) status = run(&diff, &list, err);
        anchor_finder_release(&diff.finder);
        gap_search_release(&diff.search);
    }
    mem_free(kept.a);
    mem_free(kept.b);
    if (status == STEMMA_OK)
        *out = list;
    else
        hunk_list_release(&list);
    return status;
}

void hunk_list_release(struct hunk_list *list) {
    mem_free(list->hunks);
    *list = (struct hunk_list){0};
}
