/*
 * The bare range query on Hamming fingerprints, about files, folders, data sets and archives as a scan reads
 * them: who differs from a document in at most r_h bits. Nothing is verified. Results come in the order of
 * input, whatever the threads.
 */
#ifndef COLLECT_HAMMING_QUERY_H
#define COLLECT_HAMMING_QUERY_H

#include "index/collection.h"
#include "index/hamming/retrieval.h"
#include "scan/scan.h"

/* Of one document. */
struct hamming_result {
    uint32_t source; /* in the order of input, */
    uint64_t offset; /* and its place there */
    char *id;
    struct hamming_matches matches;
};

struct hamming_asking {
    struct collection *store; /* of which each thread gets a twin */
    const struct stemma_recipe *recipe;
    double resemblance;
    enum hamming_via via;
    /* what comes out; while it runs under the lock */
    pthread_mutex_t lock;
    struct hamming_result *results;
    size_t count, cap;
    uint64_t documents, without_text;
    struct hamming_work work; /* of all; as the last one was answered */
    double seconds;           /* of all threads together */
    struct stemma_scan *scan; /* it was read by, with the problems; NULL before */
};

/* Store and recipe must outlive it. */
void hamming_asking_init(struct hamming_asking *asking, struct collection *store,
                         const struct stemma_recipe *recipe);
void hamming_asking_release(struct hamming_asking *asking);

/* Documents of paths, or one in memory, which must stay. Once. */
stemma_status hamming_ask_paths(struct hamming_asking *asking, const struct scan_settings *settings,
                                const char *const *paths, size_t count, stemma_error *err);
stemma_status hamming_ask_text(struct hamming_asking *asking, const struct scan_settings *settings,
                               const char *id, const void *data, size_t size, stemma_error *err);

#endif
