/* All that hangs together with a document by near-duplicates of near-duplicates: version 1 and version 100
 * need not resemble each other. Step by step, nobody twice. */
#ifndef COLLECT_FAMILY_H
#define COLLECT_FAMILY_H

#include "collect/asker.h"

struct query;

/* A member, by the nearest of those that it was reached from first. */
struct relative {
    struct answer answer;
    uint64_t step;
    size_t from; /* a relative before it; FROM_QUESTION: the document in question */
};
#define FROM_QUESTION SIZE_MAX

struct relatives {
    struct relative *list;
    size_t count, cap;
    bool cut; /* there may be more */
};
void relatives_release(struct relatives *relatives, void (*drop)(stemma_alignment *alignment));

/* From the first answers to a document, at most `most` documents; those that belong to it move from there.
 * The query's work grows. By any thread; *out is released in any case. */
stemma_status family_grow(struct query *query, struct answers *first, size_t most, struct relatives *out,
                          stemma_error *err);

#endif
