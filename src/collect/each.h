/*
 * Something is to be found out about each document of files, folders, data sets and archives, as a scan reads
 * them: workers get its text, or its fingerprints, and answer.
 *
 * Answers are given in the order of input, whatever the threads, as soon as all before them are there. Those
 * that are early are held, but no more than some: then who is ahead waits for who is behind.
 */
#ifndef COLLECT_EACH_H
#define COLLECT_EACH_H

#include "scan/scan.h"
#include "shingle/stream.h"

/* A document and its canonical text, if it has one. */
struct each_text {
    const char *id; /* stays until the answer is dropped */
    bool file;      /* it is a file, or inside one */
    struct identity digest, text_digest;
    struct text_reader *reader; /* that has just made the text, */
    const uint8_t *text;        /* which goes when the call returns */
    size_t size;
};

/* Documents are answered by their texts or by their fingerprints; answers are zeros before. */
struct each_kind {
    /* One worker's, from the context of all. */
    stemma_status (*new)(void *context, void **worker, stemma_error *err);
    void (*free)(void *worker);
    /* By text, some together: the answer has to be there after `flush`. What cannot be held in memory is a
     * problem of the scan's catalogue. */
    stemma_status (*text)(void *worker, const struct each_text *text, void *answer, stemma_error *err);
    stemma_status (*flush)(void *worker, stemma_error *err);
    /* Of one that is not text: by its digest alone. NULL: it gets no answer. */
    stemma_status (*bytes)(void *worker, const struct each_text *document, void *answer, stemma_error *err);
    /* By fingerprints, which go to the sink before. NULL: by text. Of what is too long for memory the text
     * comes in pieces (NULL: it is not wanted); else the document comes with it. */
    struct shingle_sink (*begin)(void *worker);
    stemma_status (*piece)(void *worker, const uint8_t *text, size_t size, stemma_error *err);
    stemma_status (*answer)(void *worker, const struct each_text *document, void *answer, stemma_error *err);
    size_t (*weight)(const void *answer); /* things that it holds, each some hundred bytes */
    void (*drop)(void *answer);           /* with its memory */
    size_t answer_size;
};

/* Documents that are answered together at most, and bytes of their texts. */
enum { EACH_TOGETHER = 64, EACH_BYTES = 8 << 20 };

struct each_result {
    uint64_t job;   /* of the reading that it belongs to, */
    uint64_t place; /* and its place in the order of input, when it is given */
    char *id;
    void *answer; /* NULL: there is nothing to judge it by, */
    bool failed;  /* or could not be read, which is a problem of the scan's catalogue */
};

/* By any thread, one at a time. */
typedef stemma_status each_give(void *receiver, const struct each_result *result, stemma_error *err);

struct each_job;
struct each {
    const struct each_kind *kind;
    void *context;
    const struct stemma_recipe *recipe;
    each_give *give;
    void *receiver;
    /* what follows under the lock, while it runs */
    pthread_mutex_t lock;
    pthread_cond_t moved;     /* front did, or it ended early */
    struct each_job *ahead;   /* job n at n modulo their number, from the front on */
    uint64_t front;           /* the first job that is not done */
    uint64_t given;           /* documents */
    size_t held;              /* weight of what is early */
    bool ended;               /* early: for the failure below, or another worker's */
    stemma_error failure;     /* of who took the answers */
    double seconds_reading;   /* of all threads together */
    struct stemma_scan *scan; /* NULL before */
};

/* Context, recipe and receiver must outlive it. */
void each_init(struct each *each, const struct each_kind *kind, void *context,
               const struct stemma_recipe *recipe, each_give *give, void *receiver);
void each_release(struct each *each);

/* Documents of paths; or, with an id, one in memory, which must stay. Once. */
struct each_subject {
    const char *const *paths;
    size_t count;
    const char *id;
    const void *data;
    size_t size;
};
/* What `give` returns, if it is not OK, ends it and is returned. */
stemma_status each_run(struct each *each, const struct scan_settings *settings,
                       const struct each_subject *subject, stemma_error *err);

#endif
