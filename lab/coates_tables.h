/* Tables of edited texts: for each compression rate and amount, what is estimated and what is true. */
#ifndef LAB_COATES_TABLES_H
#define LAB_COATES_TABLES_H

#include "edited.h"

/* An edited copy of a text; `amount` means what the edit takes it for. */
typedef stemma_status edit_fn(const struct stretch *stretch, double amount, uint64_t seed, struct buf *out,
                              stemma_error *err);
/* For those that a mutation makes. */
stemma_status mutated_copy(const struct stretch *stretch, stemma_mutation mutation, struct buf *out,
                           stemma_error *err);

/* What is estimated, and with which signatures. */
struct cell {
    unsigned year;
    uint32_t n, c;
    edit_fn *edit;
    double amount;
};
stemma_status tally_edit(const struct lab *lab, const struct stretches *stretches, const struct cell *cell,
                         struct tally_of *out, stemma_error *err);

/* One edit by several amounts, at three rates. */
struct edits {
    unsigned year;
    uint32_t n, rates[3];
    size_t length; /* of the texts */
    edit_fn *edit;
    const char *names[5];
    double amounts[5];
    size_t count;
};
/* times: pairs per second as well, or NULL. */
stemma_status tabulate(const struct lab *lab, struct table *data, struct table *times,
                       const struct edits *edits, stemma_error *err);

/* The columns of such a table, in listings. */
#define PAPER_LIST "true_LD estimate mean p5 p25 p75 p95 error mean_error Max_LD bytes"
#define OUR_LIST   "true_LD ours low high covered our_error our_mean_error our_bytes"
#define PAPER_WORDS                                                                                          \
    "estimate: the median of all texts and draws; mean; 5, 25, 75 and 95 % of them are up to p5 ... p95; "
#define OUR_LIST_TITLE                                                                                                \
    "Our estimate of the same: its median, the mean ends of its 95 % intervals, and how many of these hold the true " \
    "distance; errors as above"

/* Estimate over true distance, row by row, beside the paper's. */
void beside_truth(struct verdict *verdict, const struct evidence *evidence, const char *what,
                  const char *why);
/* How far off the estimates are, the paper's and ours. */
void judge_errors(const struct table *data, struct verdict *verdict);

#endif
