/*
 * Alg. H: the lists of all m groups of the query, from one index, and how often each document is in them (eq.
 * 13): a candidate is in m - r_h at least. Counted in a hash table, as in the paper.
 */
#include "index/hamming/ways.h"

#include "base/alloc.h"
#include "base/rng.h"

struct counter {
    uint64_t number; /* + 1; 0: free */
    uint64_t count;
};

/* Twice as many places as entries at least, so that a free one is near. */
static size_t places_for(size_t entries) {
    size_t places = 16;
    while (places < 2 * entries) places *= 2;
    return places;
}

static struct counter *find_counter(struct counter *table, size_t places, uint64_t number) {
    size_t at = mix64(number) & (places - 1);
    while (table[at].number && table[at].number != number + 1) at = (at + 1) & (places - 1);
    return &table[at];
}

/* Each number when it is met for the `least`th time. */
static stemma_status count_numbers(const struct vec64 *numbers, uint64_t least, struct vec64 *candidates,
                                   stemma_error *err) {
    size_t places = places_for(numbers->len);
    struct counter *table = mem_zero(places, sizeof *table);
    if (!table) return fail_memory(err);
    bool added = true;
    for (size_t i = 0; added && i < numbers->len; i++) {
        struct counter *counter = find_counter(table, places, numbers->data[i]);
        counter->number = numbers->data[i] + 1;
        if (++counter->count == least) added = vec64_add(candidates, numbers->data[i]);
    }
    mem_free(table);
    return added ? STEMMA_OK : fail_memory(err);
}

static stemma_status merge_groups(const struct hamming_question *q, struct hamming_lists *lists,
                                  struct vec64 *candidates, stemma_error *err) {
    uint32_t groups = q->source->group_count;
    TRY(hamming_lists_read(q, lists, err));
    q->work->searches = groups;
    q->work->postings = lists->numbers.len;
    TRY(count_numbers(&lists->numbers, groups - q->radius, candidates, err));
    return hamming_verify(q, candidates, err);
}

stemma_status hamming_merging(const struct hamming_question *q, stemma_error *err) {
    struct hamming_lists lists = {0};
    struct vec64 candidates = {0};
    stemma_status status = merge_groups(q, &lists, &candidates, err);
    hamming_lists_release(&lists);
    vec64_release(&candidates);
    return status;
}
