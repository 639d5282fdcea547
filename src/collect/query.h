/*
 * Questions about files, folders, data sets and archives: what a scan reads is asked of a collection, in
 * batches, by all threads. Results come in the order of input, whatever the threads.
 */
#ifndef COLLECT_QUERY_H
#define COLLECT_QUERY_H

#include "collect/asker.h"
#include "scan/scan.h"

/* What was found for one document. */
struct query_result {
    uint32_t source; /* in the order of input, */
    uint64_t offset; /* and its place there */
    char *id;
    struct answers answers;
};

struct query {
    struct collection *store; /* of which each thread gets a twin */
    const struct stemma_recipe *recipe;
    struct asker_settings settings;
    void (*drop)(stemma_alignment *alignment); /* of answers; NULL where none are made */
    /* what comes out; while it runs under the lock */
    pthread_mutex_t lock;
    struct query_result *results;
    size_t count, cap;
    uint64_t documents, without_text;
    struct asker_work work;
    double seconds_reading;
    struct stemma_scan *scan; /* it was read by, with the problems; NULL before */
};

/* Store and recipe must outlive it. */
void query_init(struct query *query, struct collection *store, const struct stemma_recipe *recipe);
void query_release(struct query *query);

/* Documents of paths, or one in memory, which must stay. Once. */
stemma_status query_paths(struct query *query, const struct scan_settings *settings, const char *const *paths,
                          size_t count, stemma_error *err);
stemma_status query_text(struct query *query, const struct scan_settings *settings, const char *id,
                         const void *data, size_t size, stemma_error *err);

#endif
