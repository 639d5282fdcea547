/* The bare range query on Hamming fingerprints, about documents as a scan reads them (each.h): who differs
 * from a document in at most r_h bits. Nothing is verified. */
#ifndef COLLECT_HAMMING_QUERY_H
#define COLLECT_HAMMING_QUERY_H

#include "collect/each.h"
#include "index/collection.h"
#include "index/hamming/retrieval.h"
#include "runs/runs.h"

/* The context. */
struct hamming_asking {
    struct collection *store; /* of which each worker gets a twin */
    const struct stemma_recipe *recipe;
    double resemblance;
    enum hamming_via via;
};

/* The answers. */
struct hamming_answer {
    struct sorter *matches; /* distance and number of each: nearest first */
    struct hamming_work work;
    double seconds;
};

extern const struct each_kind hamming_each;

#endif
