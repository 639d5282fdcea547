/*
 * Signatures of documents by the library's own schemes, and the scores that the papers give two of them.
 */
#ifndef LAB_SIGNS_H
#define LAB_SIGNS_H

#include "base/error.h"

/* With hash functions by the seed; 0 has those of a recipe that names none. */
stemma_status recipe_make(stemma_recipe **out, uint64_t seed, stemma_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
stemma_status sketch_make(const stemma_recipe *recipe, const void *bytes, size_t size, stemma_sketch **out,
                          stemma_error *err);
/* One sketch of the recipe by its place; the recipe has it. */
stemma_sketch_part part_of(const stemma_sketch *sketch, size_t index);

/* Values are in ascending order without repetitions, as samples, minima and chunks are. */
struct value_overlap {
    size_t common, all;
};
struct value_overlap values_overlap(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

/* Scores of two sketches; NAN where there is nothing to judge by. */
double jaccard_of(const stemma_sketch *a, const stemma_sketch *b, size_t index); /* of the values as sets */
double smallest_of(const stemma_sketch *a, const stemma_sketch *b,
                   size_t index); /* Broder's, of the s smallest of both */
double agreement_of(const stemma_sketch *a, const stemma_sketch *b,
                    size_t index); /* share of entries that agree */
double agreement_jaccard(const stemma_sketch *a, const stemma_sketch *b,
                         size_t index); /* of the entries as a set */
double containment_in(const stemma_sketch *a, const stemma_sketch *b, size_t index); /* of a in b */

/* A copy that was changed; owned by the caller. */
stemma_status mutate_text(const void *text, size_t size, stemma_mutation_kind kind, uint64_t count,
                          uint64_t seed, stemma_mutated **out, stemma_error *err);

#endif
