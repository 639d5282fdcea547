/* Candidates on their way into a sorter: gathered, because adding takes a lock. */
#ifndef JOIN_OUTLET_H
#define JOIN_OUTLET_H

#include "runs/runs.h"

struct outlet {
    struct sorter *sorter;
    size_t count;
    struct record records[512];
};

static inline stemma_status outlet_flush(struct outlet *outlet, stemma_error *err) {
    size_t count = outlet->count;
    outlet->count = 0;
    return count ? sorter_add(outlet->sorter, outlet->records, count, err) : STEMMA_OK;
}

static inline stemma_status outlet_add(struct outlet *outlet, uint64_t key, uint64_t value,
                                       stemma_error *err) {
    if (outlet->count == sizeof outlet->records / sizeof *outlet->records) TRY(outlet_flush(outlet, err));
    outlet->records[outlet->count++] = (struct record){key, value};
    return STEMMA_OK;
}

/* The key of a pair, smaller rank first. */
static inline uint64_t pair_key(uint32_t one, uint32_t other) {
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

#endif
