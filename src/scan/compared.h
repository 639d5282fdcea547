/*
 * Pairs that grouping has compared, with their numbers: whoever asks for all pairs afterwards need not
 * compare these again. As many as there is memory for; the rest is compared a second time.
 */
#ifndef SCAN_COMPARED_H
#define SCAN_COMPARED_H

#include "group/group.h"

struct compared_pair {
    uint64_t pair;
    struct numbers numbers;
};

/* A zeroed one remembers nothing. */
struct compared {
    struct compared_pair *list;
    size_t count, cap, most;
};

void compared_begin(struct compared *compared, size_t memory);
stemma_status compared_add(struct compared *compared, const uint64_t *pairs, const struct numbers *numbers,
                           size_t count, stemma_error *err);
/* No more is added: from here on it is read in ascending order. */
void compared_finish(struct compared *compared);
/* The numbers of a pair, or NULL; *at begins at 0 and is moved on: pairs are asked for in ascending order. */
const struct numbers *compared_find(const struct compared *compared, size_t *at, uint64_t pair);
void compared_release(struct compared *compared);

#endif
