/*
 * Documents that do not exist: any one of millions follows from the seed and its number alone, so that a
 * near-copy of an earlier document needs nothing but its parent's number.
 */
#ifndef TRUTH_MADE_H
#define TRUTH_MADE_H

#include "base/buf.h"

struct made_options {
    uint64_t seed, count;
    double near, contained; /* shares of documents that are near-copies, and extracts, of earlier ones */
    double template_share;  /* begin with the same paragraph */
    uint64_t template_words;
    double size, spread; /* median bytes, and the standard deviation of their logarithm */
    double edits; /* share of words that a near-copy changes; below 0: so that resemblance is spread over .5
                     to 1 */
    bool one_parent; /* every document is a near-copy of the first */
};

enum made_kind { MADE_ORIGINAL, MADE_NEAR, MADE_CONTAINED };

struct made_document {
    uint64_t parent; /* unless it is an original */
    enum made_kind kind;
    struct vec64 words; /* numbers of words */
};

struct maker; /* vocabulary and scratch */

struct maker *made_new(const struct made_options *options); /* NULL: no memory */
/* false: no memory. The words belong to document and are used again. */
bool made_document(struct maker *maker, uint64_t number, struct made_document *document);
/* The text of words: sentences, punctuation, lines. Appends; a line end is written as `line_end`. */
bool made_text(const struct maker *maker, const struct vec64 *words, const char *line_end, struct buf *text);
void made_free(struct maker *maker);

#endif
