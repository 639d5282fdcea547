/*
 * Which record of a data set has an id, where several have: the last of them, whichever thread comes first.
 *
 * 32 to 64 bytes for each id. Those of two ids with one hash are told apart by nothing: 64 bits are many.
 */
#ifndef COLLECT_LATEST_H
#define COLLECT_LATEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outcome { OUTCOME_NONE, OUTCOME_ADDED, OUTCOME_REPLACED, OUTCOME_UNCHANGED };

/* A zeroed one is empty. */
struct latest {
    struct latest_record *records;
    size_t count, room;
};

struct latest_record {
    uint64_t key;
    uint64_t place; /* offset and 1; 0: there is none */
    enum outcome outcome;
};

/* The record of the key, with place 0 when it is new; it stays until the next call. NULL: no memory. */
struct latest_record *latest_find(struct latest *latest, uint64_t key);
void latest_clear(struct latest *latest);

#endif
