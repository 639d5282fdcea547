/*
 * What texts have in common, from scan to scan: a table in memory, as large as is allowed, that is kept in
 * rows of a collection. By one thread, while nobody else uses the collection.
 */
#ifndef COLLECT_KNOWN_PAIRS_H
#define COLLECT_KNOWN_PAIRS_H

#include "collect/pending.h"
#include "group/group.h"
#include "scan/identity.h"

struct known_pair {
    struct identity pair;
    struct numbers numbers;
    bool used; /* by this scan */
};

struct known_pairs {
    struct pending *pending;
    size_t part;   /* of the schema */
    size_t most;   /* pairs */
    bool loaded;   /* the table is what the rows say, */
    bool cut;      /* as far as there was room; */
    size_t rows;   /* it came from so many, */
    size_t stored; /* as so many pairs: the others are new */
    struct known_pair *list;
    size_t count, cap;
    uint32_t *slots; /* place in the list and 1; 0: empty */
    size_t slot_count;
};

void known_pairs_release(struct known_pairs *pairs);
stemma_status known_pairs_find(struct known_pairs *pairs, struct identity pair, struct numbers *out,
                               bool *found, stemma_error *err);
/* One that was not found. */
stemma_status known_pairs_add(struct known_pairs *pairs, struct identity pair, const struct numbers *numbers,
                              stemma_error *err);
/* Rows for what is new; where there are too many, those that this scan did not use go. */
stemma_status known_pairs_store(struct known_pairs *pairs, stemma_error *err);

#endif
