/*
 * Alg. H: the lists of all m groups of the query, from one index, and how often each document is in them (eq.
 * 13): a candidate is in m - r_h at least. Counted by sorting, where the paper has a hash table: that would
 * have to hold them all.
 */
#include "index/hamming/ways.h"

struct merging {
    struct spill *met;
    struct hamming_work *work;
};

static stemma_status take(void *to, const uint64_t *numbers, size_t count, stemma_error *err) {
    struct merging *m = to;
    m->work->postings += count;
    return hamming_take_met(m->met, numbers, count, err);
}

static stemma_status merge_groups(const struct hamming_question *q, struct spill *met, stemma_error *err) {
    const struct hamming_source *source = q->source;
    struct merging m = {met, q->work};
    for (uint32_t i = 0; i < source->group_count; i++) {
        TRY(check_stop(source->stop, err));
        TRY(source->lookup(source->context, bit_group_key(source->groups[i], q->query), take, &m, err));
    }
    q->work->searches = source->group_count;
    return hamming_verify(q, met, source->group_count - q->radius, err);
}

stemma_status hamming_merging(const struct hamming_question *q, stemma_error *err) {
    struct spill *met;
    TRY(spill_new(false, HAMMING_MEMORY, q->source->directory, &met, err));
    stemma_status status = merge_groups(q, met, err);
    spill_free(met);
    return status;
}
