/* Numbers with intervals, what is known of a pair of documents, and the relation that it means. */
#ifndef ESTIMATE_QUANTITY_H
#define ESTIMATE_QUANTITY_H

#include "base/error.h"

/* What is known of a pair. A quantity that the scheme cannot give is not known and says why. */
struct estimates {
    stemma_quantity resemblance, a_in_b, b_in_a, cosine;
    /* How many independent draws each of the first three is worth: what estimates are chosen by. Choosing the
     * narrowest interval would favour those that happen to say 0 or 1. */
    double resemblance_draws, a_draws, b_draws;
};

stemma_quantity quantity_unknown(const char *why);
stemma_quantity quantity_exact(double value);

/* `hits` of `trials` draws, and its 95 % interval. shrink < 1: the draws are a good part of all there is, so
 * the variance is that much smaller than the binomial's. */
stemma_quantity quantity_share(double hits, double trials, double shrink);

/* The relation that the numbers say (near-duplicate to unknown), and whether every value in the intervals
 * says the same. */
stemma_relation judge(const struct estimates *estimates, const stemma_thresholds *thresholds, bool *certain);

/* Better containments, where resemblance and numbers of shingles say more than samples did (containment.c).
 * error: relative, the standard deviation of their ratio for documents that have nothing in common. */
void containment_from_sizes(double size_a, double size_b, double error, struct estimates *out);
/* No document is less contained in another than the two resemble each other: what came from different samples
 * may say so. */
void containments_reconcile(struct estimates *out);

#endif
