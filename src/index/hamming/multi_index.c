/*
 * Multi-index hashing: if two fingerprints differ in at most r_h bits, they differ in at most a = floor(r_h /
 * m) in one of the first r_h - a m + 1 groups, or in at most a - 1 in one of the others (else there were r_h
 * + 1 differing bits). So every value that near to the query's is looked up.
 */
#include "index/hamming/ways.h"

#include <string.h>

double hamming_probes(uint32_t width, int radius) {
    double all = 0, choose = 1;
    for (int i = 0; i <= radius && (uint32_t)i <= width; i++) {
        all += choose;
        choose = choose * (width - (uint32_t)i) / (i + 1);
    }
    return all;
}

int hamming_group_radius(uint32_t radius, uint32_t groups, uint32_t i) {
    int share = (int)(radius / groups);
    return i <= radius % groups ? share : share - 1;
}

struct probing {
    const struct hamming_question *q;
    struct bit_group group;
    uint64_t query[HAMMING_BITS_MOST / 64]; /* with bits of the group flipped */
    struct spill *met;
};

static stemma_status take(void *to, const uint64_t *numbers, size_t count, stemma_error *err) {
    struct probing *p = to;
    p->q->work->postings += count;
    return hamming_take_met(p->met, numbers, count, err);
}

/* Looks up what is there now, then with up to `left` more bits flipped, from bit `from` of the group on. */
static stemma_status probe(struct probing *p, uint32_t from, int left, stemma_error *err) {
    const struct hamming_source *source = p->q->source;
    TRY(check_stop(source->stop, err));
    TRY(source->lookup(source->context, bit_group_key(p->group, p->query), take, p, err));
    p->q->work->searches++;
    for (uint32_t i = from; left && i < p->group.width; i++) {
        uint32_t bit = p->group.first + i;
        p->query[bit / 64] ^= UINT64_C(1) << bit % 64;
        TRY(probe(p, i + 1, left - 1, err));
        p->query[bit / 64] ^= UINT64_C(1) << bit % 64;
    }
    return STEMMA_OK;
}

static stemma_status probe_groups(struct probing *p, stemma_error *err) {
    const struct hamming_source *source = p->q->source;
    for (uint32_t i = 0; i < source->group_count; i++) {
        int radius = hamming_group_radius(p->q->radius, source->group_count, i);
        p->group = source->groups[i];
        if (radius >= 0) TRY(probe(p, 0, radius, err));
    }
    return hamming_verify(p->q, p->met, 1, err);
}

stemma_status hamming_multi_index(const struct hamming_question *q, stemma_error *err) {
    struct probing p = {.q = q};
    memcpy(p.query, q->query, hamming_words(q->source->bits) * sizeof *p.query);
    TRY(spill_new(true, HAMMING_MEMORY, q->source->directory, &p.met, err));
    stemma_status status = probe_groups(&p, err);
    spill_free(p.met);
    return status;
}
