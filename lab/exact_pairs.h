/* Pairs of documents whose resemblance is known exactly, because they are made of numbers: each word is a
 * shingle of its own. */
#ifndef LAB_EXACT_PAIRS_H
#define LAB_EXACT_PAIRS_H

#include "base/buf.h"

/* Texts of words with `all` different ones in both together; returns their resemblance, the nearest to r that
 * is possible; below 0 when memory ran out. To be read with unit=word window=1. */
double exact_pair(double r, size_t all, uint64_t seed, struct buf *a, struct buf *b);

#endif
