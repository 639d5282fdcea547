/* A text and an edited copy: the true edit distance, what the papers' signatures say, and what ours do. */
#ifndef LAB_EDITED_H
#define LAB_EDITED_H

#include "corpus.h"
#include "signs.h"

/* Ways to make signatures, of one compression rate. */
struct signature_recipe {
    stemma_recipe *recipe; /* the paper's signature, then ours */
    uint32_t c;
};
/* year 2011: bits by sums of n bytes; 2015: symbols of an alphabet of 95 printable characters. One of DRAWS
 * draws: of k in 2011, which are all there are in equal steps, of the hash in 2015. */
enum { DRAWS = 25 };
stemma_status signature_recipe_make(struct signature_recipe *out, unsigned year, uint32_t n, uint32_t c,
                                    uint64_t seed, unsigned draw, stemma_error *err);
void signature_recipe_release(struct signature_recipe *recipe);

struct measured {
    double lengths[2];
    double truth;    /* edit distance */
    double estimate; /* the paper's: c times that of the signatures */
    double ours, low, high;
    double unrelated; /* what we would expect of unrelated texts */
    double p_unrelated;
    double blocks;
    double bytes_paper, bytes_ours; /* of the first text's signatures */
};
stemma_status true_distance(struct text a, struct text b, double *out, stemma_error *err);
/* With the true distance already known. */
stemma_status measure(const struct signature_recipe *recipe, struct text a, struct text b, double truth,
                      struct measured *out, stemma_error *err);

/* Of TRIALS, a text by a draw each. One k can put the mean anywhere (the sum of four blanks is 128, and a
 * text has long runs of them), so that medians stand beside it. Errors are |estimate - truth| as shares of
 * `whole`; certain: how often chance gives as much with less than 1e-6. */
enum { TEXTS_MOST = 40, TRIALS_MOST = TEXTS_MOST * DRAWS };
struct trials {
    double values[TRIALS_MOST]; /* ascending once they are all there */
    double mean, median;
};
struct tally_of {
    size_t count;
    struct trials estimate, ours, error_paper, error_ours;
    double lengths[2], truth, low, high, covered, bytes_paper, bytes_ours, most, certain, blocks; /* means */
};
void tally_add(struct tally_of *tally, const struct measured *measured, double whole);
/* Sums become means, and medians are known. */
void tally_finish(struct tally_of *tally);
/* What a share of the trials is not above. */
double trials_quantile(const struct tally_of *tally, const struct trials *trials, double share);

/* Lengths of the papers' texts, and how many we take. */
#define LENGTH_2011 ((size_t)13508)
#define LENGTH_2015 ((size_t)24728)
static inline size_t texts_of(const struct lab *lab) {
    return lab->full ? TEXTS_MOST : 8;
}

/* Texts of one length, with others of the same kind that have nothing to do with them. */
struct stretch {
    struct text text, other, further;
};
struct stretches {
    struct corpus corpus;
    struct stretch *at;
    size_t count;
};
stemma_status stretches_load(const struct lab *lab, size_t length, size_t most, struct table *data,
                             struct stretches *out, stemma_error *err);
void stretches_release(struct stretches *stretches);

#endif
