/*
 * Is there anything like this in the collection? Documents in memory, their candidates found by what the
 * collection keeps, and each of these held against the document: as it lies there, else by its stored text,
 * else by its sketch.
 */
#ifndef COLLECT_ASKER_H
#define COLLECT_ASKER_H

#include "collect/again.h"
#include "collect/by_bits.h"
#include "collect/pending.h"
#include "estimate/quantity.h"
#include "index/retrieval.h"

/* A document in question. */
struct asked_document {
    const char *name;  /* where it is a file, or inside one; NULL: it is not, */
    const void *bytes; /* but these bytes in memory, or NULL: not known */
    size_t size;
    const uint8_t
        *text; /* canonical, with KERNEL_SLACK readable bytes behind it; NULL: not at hand, sketches decide */
    size_t text_size;
    bool by_bytes; /* it is no text: only what has the same bytes is like it */
    uint8_t digest[FACTS_DIGEST], text_digest[FACTS_DIGEST]; /* as in facts */
    uint8_t minima[MINIMA_BYTES + KERNEL_SLACK];
    struct vec64 samples;
};
void asked_document_release(struct asked_document *document);
/* Of one without text: what an earlier document left is forgotten. */
void asked_set_bytes(struct asked_document *document);

/* A document of the collection that is like it. */
struct answer {
    uint64_t number;
    char *id;                 /* NUL-terminated; the answers' own */
    stemma_relation relation; /* of the document in question towards it */
    struct estimates numbers; /* a: the document in question */
    stemma_evidence evidence;
    stemma_edit edit;            /* if asked for */
    stemma_alignment *alignment; /* likewise; may be NULL */
    size_t alignment_bytes;      /* that it takes */
    bool extracted[2];
};

struct answers {
    struct answer *list; /* best first */
    size_t count, cap;
};
/* Which of two answers is better: below 0, the first; for qsort. */
int answer_order(const void *a, const void *b);
/* drop frees alignments; NULL where there are none. */
void answer_release(struct answer *answer, void (*drop)(stemma_alignment *alignment));
void answers_release(struct answers *answers, void (*drop)(stemma_alignment *alignment));

/* How far two texts are apart, made by who can: fills edit and alignment of the answer. What is known of the
 * stored document is its text alone where `bytes` is NULL. */
typedef stemma_status measure_edit(void *context, const struct asked_document *document,
                                   const struct again_text *stored, struct answer *answer, stemma_error *err);

struct asker_settings {
    double threshold, contained; /* that answers reach one of; 0: not asked for */
    struct asking asking;        /* how candidates are found, which may be by other thresholds */
    enum retrieval_way way;
    enum hamming_via bits; /* not AUTO: candidates are found by fingerprints, in this way */
    size_t top;            /* 0: all */
    stemma_limits limits;
    const struct pending *pending; /* what this is about to replace is no answer; may be NULL */
    measure_edit *measure;         /* NULL: not asked for */
    void *context;
};

struct asker_work {
    struct retrieval_work retrieval;
    uint64_t candidates, verified, unverified;
    uint64_t unasked; /* documents without text, by fingerprints */
    double seconds_finding, seconds_verifying;
};

struct asker;

/* One thread's: with a reader of its own. Recipe and settings must outlive it. */
stemma_status asker_new(struct collection *reader, const struct stemma_recipe *recipe,
                        const struct asker_settings *settings, struct asker **out, stemma_error *err);
void asker_free(struct asker *asker);

/* answers[i], empty before, gets what is like documents[i]; *work grows. */
stemma_status asker_ask(struct asker *asker, const struct asked_document *documents, size_t count,
                        struct answers *answers, struct asker_work *work, stemma_error *err);

#endif
