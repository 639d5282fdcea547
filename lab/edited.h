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

/* Means of many, and the deviation, least and most of the paper's estimate of one text by one draw. Errors
 * are |estimate - truth| as shares of `whole`; certain: how often chance gives as much with less than 1e-6.
 */
struct tally_of {
    double count, truth, estimate, ours, covered, bytes_paper, bytes_ours, error_paper, error_ours, most,
        certain, blocks;
    double squares, deviation, least_estimate, most_estimate;
};
void tally_add(struct tally_of *tally, const struct measured *measured, double whole);
/* Sums become means. */
void tally_finish(struct tally_of *tally);

/* Lengths of the papers' texts, and how many we take. */
#define LENGTH_2011 ((size_t)13508)
#define LENGTH_2015 ((size_t)24728)
static inline size_t texts_of(const struct lab *lab) {
    return lab->full ? 40 : 8;
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
