/* Pairs of documents that resemble each other as much as is asked: a passage of a document, and a copy of it
 * from which words were removed here and there. */
#ifndef LAB_PAIRS_H
#define LAB_PAIRS_H

#include "corpus.h"
#include "signs.h"

struct pairs {
    const struct corpus *corpus;
    size_t bytes;         /* of a passage; a document that is shorter is taken whole */
    stemma_recipe *whole; /* all shingles, to count the resemblance */
};

/* Shingles of `window` words. */
stemma_status pairs_init(struct pairs *pairs, const struct corpus *corpus, size_t bytes, unsigned window,
                         stemma_error *err);
void pairs_release(struct pairs *pairs);

/* What they resemble each other is as near to `aim` as words allow, and counted exactly; for 0 the second is
 * a passage of another document, for 1 the same. */
struct pair {
    struct buf a, b;
    double r;
};
stemma_status pair_make(const struct pairs *pairs, double aim, uint64_t seed, struct pair *out,
                        stemma_error *err);
void pair_release(struct pair *pair);

#endif
