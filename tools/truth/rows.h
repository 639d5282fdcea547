/*
 * How many shingles each class has in common with every later one, exactly: a full inverted index of all
 * shingles.
 *
 * A shingle's classes are counted one by one, but for those so frequent that a bit in every class is cheaper
 * than a list (a template in all documents would make lists of lists cost a square each).
 */
#ifndef TRUTH_ROWS_H
#define TRUTH_ROWS_H

#include "collection.h"

struct rows;

stemma_status rows_new(const struct collection *collection, struct rows **out, stemma_error *err);
/* common[j] for every class j > i. Any threads, each with its own common[class_count]. */
void rows_count(const struct rows *rows, uint32_t i, uint32_t *common);
void rows_free(struct rows *rows);

#endif
