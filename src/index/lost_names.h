/*
 * Names of documents whose records are lost. What is left of an id is its hash, so whatever may have been the
 * id can be held against it: the other files of its neighbours' folders, and the numbers next to theirs.
 */
#ifndef INDEX_LOST_NAMES_H
#define INDEX_LOST_NAMES_H

#include "index/state.h"

struct lost_name {
    uint64_t number, hash;
    char *name; /* NULL: not found */
};

struct lost_names { /* zeros: none */
    struct lost_name *list;
    size_t count, cap;
    struct buf neighbours; /* ids, each with a NUL */
};

/* In the order of their numbers. */
stemma_status lost_names_add(struct lost_names *names, uint64_t number, stemma_error *err);
/* A document that was added just before some of them, or just after. */
stemma_status lost_names_near(struct lost_names *names, struct cell id, stemma_error *err);
/* Looks for all of them, of one segment. */
stemma_status lost_names_find(struct lost_names *names, struct segment *segment, stemma_error *err);
void lost_names_release(struct lost_names *names);

#endif
