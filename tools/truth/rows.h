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

/* What a pair has to reach to be looked at: resemblance, or the share of one that is in the other (above 1:
 * never). */
struct least {
    double resemblance, contained;
};

struct hit {
    uint32_t class_number, common;
};

/* One thread's. */
struct row {
    int32_t *counts;
    struct hit *hits;
    size_t hit_count;
};

stemma_status rows_new(const struct collection *collection, struct rows **out, stemma_error *err);
void rows_free(struct rows *rows);

bool row_init(struct row *row, const struct rows *rows); /* false: no memory */
/* Every class behind i that reaches one of both or nearly so, with the exact number of common shingles.
 */
void row_find(struct row *row, const struct rows *rows, uint32_t i, struct least least);
void row_release(struct row *row);

#endif
