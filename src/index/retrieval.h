/*
 * Candidates: documents of a collection that may be like those in question, by what is kept of them.
 * Questions come in batches, which share lookups and scans; what is found for one does not depend on the
 * others.
 *
 * Work is bounded: a key that very many documents have is left aside for another, and where too few are left,
 * the column is scanned instead. (docs/design/query.md)
 */
#ifndef INDEX_RETRIEVAL_H
#define INDEX_RETRIEVAL_H

#include "index/asking.h"
#include "index/collection.h"

enum candidate_reason {
    MAY_RESEMBLE = 1,
    MAY_BE_CONTAINED = 2, /* the question in the candidate */
    MAY_CONTAIN = 4       /* the candidate in the question */
};

struct candidate {
    uint64_t number;
    uint32_t agree;  /* minima in common */
    uint32_t size;   /* as of keyer_size */
    uint32_t shared; /* samples in common, and how many it has: where containment was asked for, else 0 */
    uint32_t samples;
    uint8_t reasons;
    bool met_before; /* in another way, for the same question: it is counted there */
};

/* What the sketches promise of a candidate of a question with so many samples: those that may resemble it
 * come first, by the minima in common; then the others, by the share of samples. */
double candidate_promise(const struct candidate *candidate, uint64_t samples);

/* Of more than `most` those that promise most stay, of equals those with the lowest numbers; twice as many
 * are held meanwhile, however many there are. */
struct candidates {
    struct candidate *list; /* by number */
    size_t count, cap;
    size_t most;       /* set before; 0: all */
    uint64_t left_out; /* of more */
    struct sorter *to; /* not NULL: all go there instead, as records; set before */
    uint32_t question; /* for that; set before */
};
/* Of such records, which are in the order of questions, then numbers. */
struct candidate candidate_of_record(const struct record *record, uint32_t *question);
void candidates_release(struct candidates *candidates);
/* Before they are all there, in any order; samples: of the question. */
stemma_status candidates_add(struct candidates *candidates, const struct candidate *candidate,
                             uint64_t samples, stemma_error *err);
/* They are. */
void candidates_finish(struct candidates *candidates, uint64_t samples);

/* What is known of the document in question. */
struct question {
    const uint8_t *minima;       /* a cell, with KERNEL_SLACK readable bytes behind it */
    const struct vec64 *samples; /* ascending, cut to the bits that the collection keeps */
};

/* How candidates are looked for; AUTO takes what costs least, and another way where an index is damaged. */
enum retrieval_way { RETRIEVE_AUTO, RETRIEVE_LOOKUP, RETRIEVE_SCAN };

struct retrieval_work {
    uint64_t lookups, postings; /* keys, numbers that came back */
    uint64_t common;            /* keys left aside */
    uint64_t scanned;           /* rows of minima or samples that were read for a scan */
    uint64_t ways[STEMMA_WAYS]; /* questions */
    uint64_t left_aside;        /* damaged indexes */
};

struct retriever;

/* The collection must outlive it, and may follow the writer between two batches. stop may be NULL. */
stemma_status retriever_new(struct collection *collection, const volatile int *stop, struct retriever **out,
                            stemma_error *err);
void retriever_free(struct retriever *retriever);

/* lists[i], empty before but for `most`, gets the candidates of questions[i]; *work grows. A question without
 * text has none. UNSUPPORTED when the collection does not keep what is asked. */
stemma_status retrieve(struct retriever *retriever, const struct asking *asking, enum retrieval_way way,
                       const struct question *questions, size_t count, struct candidates *lists,
                       struct retrieval_work *work, stemma_error *err);

#endif
