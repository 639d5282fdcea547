/*
 * Questions about files, folders, data sets and archives, as they are read by each.h: some documents are
 * asked about together, so that they share lookups and scans.
 */
#ifndef COLLECT_QUERY_H
#define COLLECT_QUERY_H

#include "collect/asker.h"
#include "collect/each.h"
#include "collect/family.h"

/* The context; answers are struct query_answer. */
struct query {
    struct collection *store; /* of which each thread gets a twin */
    const struct stemma_recipe *recipe;
    struct asker_settings settings;
    size_t family_most;                        /* 0: families are not asked for */
    void (*drop)(stemma_alignment *alignment); /* of answers; NULL where none are made */
    pthread_mutex_t lock;
    struct asker_work work; /* under the lock, while it runs */
};

/* Store and recipe must outlive it. */
void query_init(struct query *query, struct collection *store, const struct stemma_recipe *recipe);
void query_release(struct query *query);
/* By any thread. */
void query_add_work(struct query *query, const struct asker_work *work);

struct query_answer {
    struct answers answers;
    struct relatives family; /* where it is asked for, what belongs to it is here alone */
    void (*drop)(stemma_alignment *alignment);
};

extern const struct each_kind query_each;

#endif
