/* Disjoint sets of ranks; a set is named by its smallest. */
#ifndef GROUP_FOREST_H
#define GROUP_FOREST_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>

struct forest {
    uint32_t *up; /* towards the smallest of the set, which points at itself */
};

static inline bool forest_init(struct forest *forest, uint32_t count) {
    forest->up = mem_alloc(count * sizeof *forest->up);
    for (uint32_t i = 0; forest->up && i < count; i++) forest->up[i] = i;
    return forest->up != NULL;
}

/* Halves the way on every walk, which keeps all of them short. */
static inline uint32_t forest_find(struct forest *forest, uint32_t rank) {
    while (forest->up[rank] != rank) rank = forest->up[rank] = forest->up[forest->up[rank]];
    return rank;
}

/* Whether two are in one set, as a window asks it. */
static inline bool forest_holds_both(const void *context, uint32_t a, uint32_t b) {
    struct forest forest = *(const struct forest *)context;
    return forest_find(&forest, a) == forest_find(&forest, b);
}

/* False when they were in one set already. */
static inline bool forest_join(struct forest *forest, uint32_t a, uint32_t b) {
    uint32_t x = forest_find(forest, a), y = forest_find(forest, b);
    if (x < y)
        forest->up[y] = x;
    else
        forest->up[x] = y;
    return x != y;
}

static inline void forest_release(struct forest *forest) {
    mem_free(forest->up);
}

#endif
