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
    uint64_t families_cut; /* for being too large */
    double seconds_reading;
    struct stemma_scan *scan; /* paths were read by, with the problems; NULL: none were */
    bool failed;              /* the document in memory could not be read, */
    stemma_error cause;       /* for this reason */
};

/* Store and recipe must outlive it. */
void query_init(struct query *query, struct collection *store, const struct stemma_recipe *recipe);
void query_release(struct query *query);

/* Documents of paths. Once. */
stemma_status query_paths(struct query *query, const struct scan_settings *settings, const char *const *paths,
                          size_t count, stemma_error *err);

/* ---- shared with direct.c ---- */

double query_clock(void); /* seconds */
void query_set_digest(uint8_t digest[FACTS_DIGEST], struct identity identity);
stemma_status query_add_result(struct query *query, const char *id, struct query_result **out,
                               stemma_error *err);

#endif
