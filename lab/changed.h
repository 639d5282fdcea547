/* Documents and changed copies of them, under several algorithms at once: what most experiments of the HP
 * paper do. */
#ifndef LAB_CHANGED_H
#define LAB_CHANGED_H

#include "corpus.h"
#include "signs.h"

/* A way to make signatures and to score two of them. */
struct algorithm {
    const char *name;
    const char *spec; /* of a recipe */
    double (*score)(const stemma_sketch *a, const stemma_sketch *b, size_t index);
};

enum { ALGORITHMS_MOST = 8 };

struct originals {
    const struct corpus *corpus;
    const struct algorithm *algorithms;
    size_t algorithm_count;
    size_t parts[ALGORITHMS_MOST]; /* of the recipe: algorithms that differ by their score alone share one */
    stemma_recipe *recipe;
    stemma_sketch **sketches;
};

/* Sketches of all documents over windows of `window` bytes, with the hash functions of `seed`. */
stemma_status originals_make(const struct corpus *corpus, const struct algorithm *algorithms, size_t count,
                             unsigned window, uint64_t seed, struct originals *out, stemma_error *err);
void originals_release(struct originals *originals);

double originals_score(const struct originals *originals, size_t algorithm, const stemma_sketch *a,
                       const stemma_sketch *b);
/* Scores of a document and its changed copy, one for each algorithm. */
stemma_status originals_change(const struct originals *originals, size_t document, stemma_mutation_kind kind,
                               uint64_t count, uint64_t seed, double *scores, stemma_error *err);
/* Their means over all documents that could be judged. */
stemma_status originals_means(const struct originals *originals, stemma_mutation_kind kind, uint64_t count,
                              uint64_t seed, double *means, stemma_error *err);

#endif
