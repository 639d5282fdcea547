/*
 * What texts that have nothing to do with each other look like: their edit distance, and how likely it is that their
 * signatures agree as much as two given ones do.
 */
#ifndef ALIGN_UNRELATED_H
#define ALIGN_UNRELATED_H

#include "align/common.h"

/* Expected edit distance of unrelated texts of these lengths. agree: chance that two characters drawn from such text
 * agree. Typically right within UNRELATED_ERROR. */
double unrelated_distance(double length_a, double length_b, double agree);
stemma_quantity unrelated_quantity(double length_a, double length_b, double agree);
#define UNRELATED_ERROR .03 /* standard deviation, as a share of the distance */

/* Bound for the probability that symbols in random order have a chain of `length` (in runs of `run` symbols, which
 * overlap). */
double chance_of_chain(const struct common *common, double length, double run);

#endif
