/*
 * Is there anything like this in the collection? Documents in memory, their candidates found by what the
 * collection keeps, and each of these held against the document: as it lies there, else by its stored text,
 * else by its sketch.
 */
#ifndef COLLECT_ASKER_H
#define COLLECT_ASKER_H

#include "collect/again.h"
#include "collect/by_bits.h"
#include "collect/by_signature.h"
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
    const uint64_t *bits;  /* its fingerprint, as the collection keeps it, for when the text is not at hand */
    struct cell signature; /* likewise; may be empty */
    bool by_bytes;         /* it is no text: only what has the same bytes is like it */
    uint8_t digest[FACTS_DIGEST], text_digest[FACTS_DIGEST]; /* as in facts */
    uint8_t minima[MINIMA_BYTES + KERNEL_SLACK];
    struct vec64 samples; /* cut to the bits that the collection keeps */
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
    stemma_edit edit;             /* if asked for */
    stemma_alignment *alignment;  /* likewise; may be NULL */
    stemma_match_region *regions; /* where there is none, as of stemma_match; may be NULL */
    size_t region_count;
    bool placed;
    size_t places_bytes;             /* that alignment or regions take */
    bool extracted[2], canonical[2]; /* what its places are in: of the question, of the answer */
};

/* Of more than memory should hold so many are in the list. */
enum { ANSWERS_LISTED = 256 };

struct answers {
    struct answer *list; /* best first */
    size_t count, cap;
    struct many *more; /* all of them, where the list may not be; NULL: it is */
    uint64_t question; /* by which they are known there */
    size_t passed;     /* of those in the list, while the others are read */
};
/* Which of two answers is better: below 0, the first; for qsort. */
int answer_order(const void *a, const void *b);
int answer_rank(const struct answer *a, const struct answer *b); /* the same, but for the ids */
/* drop frees alignments; NULL where there are none. */
void answer_release(struct answer *answer, void (*drop)(stemma_alignment *alignment));
void answers_release(struct answers *answers, void (*drop)(stemma_alignment *alignment));
/* A copy of it, with this id, at the end of the list. */
stemma_status answers_add(struct answers *answers, const struct answer *answer, struct cell id,
                          stemma_error *err);
/* Where `more` is, up to so many of these into the list, which is empty. */
stemma_status answers_list(struct answers *answers, size_t most, stemma_error *err);
/* Those behind the list, in order, where `more` is; of questions that were asked together, in their order,
 * each to its end. The answer stays until the next call; *is_one: there is one. */
stemma_status answers_next(struct answers *answers, struct answer *answer, bool *is_one, stemma_error *err);

/* What is known of a document of the collection, besides the numbers: its text, else its signature and that
 * of the document in question, else nothing. What is known of the text is the text alone where its `bytes` is
 * NULL. */
struct known_of {
    const struct again_text *text;
    const struct signature_pair *signatures;
};

struct asker_settings;
/* How far documents are apart, made by who can. */
struct measuring {
    /* Of a document in question, which stays until the end, with its answers one after the other. */
    stemma_status (*begin)(const struct asker_settings *settings, const struct asked_document *document,
                           void **question, stemma_error *err);
    /* Fills edit, and alignment or regions, of the answer. */
    stemma_status (*one)(void *question, const struct known_of *known, struct answer *answer,
                         stemma_error *err);
    void (*end)(void *question);
};

struct asker_settings {
    double threshold, contained; /* that answers reach one of; 0: not asked for */
    struct asking asking;        /* how candidates are found, which may be by other thresholds */
    enum retrieval_way way;
    bool by_bits;          /* candidates are found by fingerprints, */
    enum hamming_via bits; /* in this way */
    size_t top;            /* 0: all */
    bool many; /* they may be more than memory holds: only the best are in the list, and measured */
    stemma_limits limits;
    unsigned threads;                  /* that ask at once */
    const struct pending *pending;     /* what this is about to replace is no answer; may be NULL */
    const struct measuring *measuring; /* NULL: not asked for */
    void *context;                     /* of that */
};

struct asker_work {
    struct retrieval_work retrieval;
    uint64_t candidates, verified, unverified;
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
