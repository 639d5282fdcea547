#include "scan/pairs.h"

#include "base/alloc.h"

enum { BATCH = 4096 }; /* pairs verified at a time */

struct pair_batch {
    struct record records[BATCH];
    uint64_t pairs[BATCH];
    struct numbers numbers[BATCH];
    uint64_t open[BATCH]; /* those of them that have not been compared yet, and */
    size_t places[BATCH]; /* where they stand */
    struct numbers found[BATCH];
    uint64_t last; /* the pair before: a pair may have been found in two ways */
    bool any;
    size_t compared; /* how far the compared ones have been gone through */
};

static uint32_t first_document(const struct stemma_scan *scan, uint32_t rank) {
    return scan->place[scan->ranking.documents[scan->ranking.first[rank]]];
}

static stemma_status give(const struct stemma_scan *scan, uint64_t pair, const struct numbers *n,
                          stemma_scan_take_pair *take, void *context, stemma_error *err) {
    const stemma_scan_options *o = &scan->settings.options;
    bool near = numbers_resemble(n, o->threshold),
         second_in_first = numbers_second_contained(n, o->contained),
         first_in_second = numbers_first_contained(n, o->contained);
    if (!near && !second_in_first && !first_in_second) return STEMMA_OK;
    stemma_scan_pair out = {
        .a = first_document(scan, (uint32_t)(pair >> 32)),
        .b = first_document(scan, (uint32_t)pair),
        .relation = near              ? STEMMA_NEAR_DUPLICATE
                    : first_in_second ? STEMMA_CONTAINED
                                      : STEMMA_CONTAINS,
        .resemblance = numbers_resemblance(n),
        .a_in_b = share_of(n->common, n->first),
        .b_in_a = share_of(n->common, n->second),
        .a_shingles = n->first,
        .b_shingles = n->second,
        .common = n->common,
    };
    return take(context, &out, err);
}

static size_t distinct_pairs(struct pair_batch *batch, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (batch->any && batch->records[i].key == batch->last) continue;
        batch->pairs[kept++] = batch->last = batch->records[i].key;
        batch->any = true;
    }
    return kept;
}

static stemma_status batch_numbers(struct stemma_scan *scan, struct pair_batch *batch, size_t count,
                                   stemma_error *err) {
    const struct overlap_aim aim = {scan->settings.options.threshold, scan->settings.options.contained};
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
        const struct numbers *numbers = compared_find(&scan->compared, &batch->compared, batch->pairs[i]);
        if (numbers) {
            batch->numbers[i] = *numbers;
            continue;
        }
        batch->open[open] = batch->pairs[i];
        batch->places[open++] = i;
    }
    if (open > 0) TRY(scan_verify(scan, batch->open, open, &aim, batch->found, err));
    for (size_t i = 0; i < open; i++) batch->numbers[batch->places[i]] = batch->found[i];
    return STEMMA_OK;
}

static stemma_status give_all(struct stemma_scan *scan, struct sorter_cursor *cursor,
                              struct pair_batch *batch, stemma_scan_take_pair *take, void *context,
                              stemma_error *err) {
    for (;;) {
        size_t count;
        TRY(sorter_next(cursor, batch->records, BATCH, &count, err));
        if (count == 0) return STEMMA_OK;
        count = distinct_pairs(batch, count);
        TRY(batch_numbers(scan, batch, count, err));
        for (size_t i = 0; i < count; i++)
            TRY(give(scan, batch->pairs[i], &batch->numbers[i], take, context, err));
    }
}

stemma_status scan_pairs(struct stemma_scan *scan, stemma_scan_take_pair *take, void *context,
                         stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    struct pair_batch *batch = mem_zero(1, sizeof *batch);
    if (!batch) return fail_memory(err);
    stemma_status status = sorter_read(scan->pairs, &cursor, err);
    if (status == STEMMA_OK) status = ahead_begin(scan, true, err);
    if (status == STEMMA_OK) status = give_all(scan, cursor, batch, take, context, err);
    ahead_end(scan);
    sorter_cursor_free(cursor);
    mem_free(batch);
    return scan_count_problems(scan, status, err); /* pairs that no group needed were compared */
}

/* ---- copies ---- */

static bool number_copies(struct stemma_scan *scan) {
    size_t count = scan->ranking.count ? scan->ranking.first[scan->ranking.count] : 0;
    scan->copies = mem_alloc((count + 1) * sizeof *scan->copies);
    if (!scan->copies) return false;
    for (size_t i = 0; i < count; i++) scan->copies[i] = scan->place[scan->ranking.documents[i]];
    return true;
}

const uint64_t *scan_copies(struct stemma_scan *scan, uint32_t document, size_t *count) {
    uint32_t class = scan->catalogue.documents[document].class;
    if (!scan->copies && !number_copies(scan)) return NULL;
    if (class == NO_CLASS) {
        *count = 1;
        scan->lone_copy = scan->place[document];
        return &scan->lone_copy;
    }
    uint32_t rank = scan->ranking.rank_of[class];
    *count = scan->ranking.first[rank + 1] - scan->ranking.first[rank];
    return scan->copies + scan->ranking.first[rank];
}
