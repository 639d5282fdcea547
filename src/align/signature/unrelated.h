/*
 * What texts that have nothing to do with each other look like: their edit distance, and how likely it is
 * that their signatures agree as much as two given ones do.
 */
#ifndef ALIGN_UNRELATED_H
#define ALIGN_UNRELATED_H

#include "align/signature/symbol_table.h"

/* Expected edit distance of unrelated texts of these lengths. agree: chance that two characters drawn from
 * such text agree. Typically right within UNRELATED_ERROR. */
double unrelated_distance(double length_a, double length_b, double agree);
stemma_quantity unrelated_quantity(double length_a, double length_b, double agree);
#define UNRELATED_ERROR .03 /* standard deviation, as a share of the distance */

/* Bound for the probability that tokens in random order, those that occur no more than `limit` times in each,
 * have a chain of `length`, `owed` of which follow from others. */
double chance_of_chain(const struct symbol_table *common, uint32_t limit, double length, double owed);

/* ---- calibration ---- */

/* What text of a kind measures itself: exact distances of stretches that do not correspond. */
struct unrelated_sample {
    double agree;    /* characters of all texts */
    double measured; /* mean distance, as a share of the stretches' length */
    double expected; /* the same by unrelated_distance */
    size_t pairs;
};

struct text_span {
    const uint32_t *characters;
    size_t count;
};

/* Measures up to `pairs` pairs of stretches of `stretch` characters: from different texts where there are
 * several, from places far apart otherwise. NOT_FOUND when no text is long enough. */
stemma_status calibrate_unrelated(const struct text_span *texts, size_t count, size_t stretch, size_t pairs,
                                  struct unrelated_sample *out, stemma_error *err);

#endif
