/*
 * Something is to be found out about each document of files, folders, data sets and archives, as a scan reads
 * them: workers get its fingerprints and answer. Answers come in the order of input, whatever the threads.
 */
#ifndef COLLECT_EACH_H
#define COLLECT_EACH_H

#include "scan/scan.h"
#include "shingle/stream.h"

struct each_kind {
    /* One worker's, from the context of all. */
    stemma_status (*new)(void *context, void **worker, stemma_error *err);
    void (*free)(void *worker);
    /* A document: its fingerprints go to the sink, then it is answered. */
    struct shingle_sink (*begin)(void *worker);
    stemma_status (*answer)(void *worker, void *answer, stemma_error *err);
    void (*drop)(void *answer); /* with its memory, */
    size_t answer_size;         /* which is all zeros before */
};

struct each_result {
    uint32_t source; /* in the order of input, */
    uint64_t offset; /* and its place there */
    char *id;
    void *answer; /* NULL: it has no text, */
    bool failed;  /* or could not be read, which is a problem of the scan's catalogue */
};

struct each {
    const struct each_kind *kind;
    void *context;
    const struct stemma_recipe *recipe;
    pthread_mutex_t lock;
    struct each_result *results; /* containers that were looked into are none */
    size_t count, cap;
    struct stemma_scan *scan; /* NULL before */
};

/* Context and recipe must outlive it. */
void each_init(struct each *each, const struct each_kind *kind, void *context,
               const struct stemma_recipe *recipe);
void each_release(struct each *each);

/* Documents of paths; or, with an id, one in memory, which must stay. Once. */
struct each_subject {
    const char *const *paths;
    size_t count;
    const char *id;
    const void *data;
    size_t size;
};
stemma_status each_run(struct each *each, const struct scan_settings *settings,
                       const struct each_subject *subject, stemma_error *err);

#endif
