/*
 * Many short documents: pieces of a corpus in a drawn order, and among them edited copies of earlier ones, in
 * equal parts with words removed, with words inserted, with characters substituted and with a passage cut
 * out.
 */
#ifndef LAB_PILE_H
#define LAB_PILE_H

#include "corpus.h"

struct pile_options {
    size_t count;
    double copies; /* share of the documents; more where the corpus has too few pieces */
};

#define PILE_ORIGINAL UINT32_MAX

struct pile {
    struct corpus corpus;
    size_t count;
    uint32_t *pieces;  /* by document: its piece, or its original's */
    uint32_t *parents; /* its original, or PILE_ORIGINAL */
    uint64_t seed;
};

/* Remarks what the documents are. */
stemma_status pile_load(const struct lab *lab, const struct pile_options *options, struct table *data,
                        struct pile *out, stemma_error *err);
void pile_release(struct pile *pile);

/* The text of a document, instead of what is in `text`. */
stemma_status pile_text(const struct pile *pile, size_t number, struct buf *text, stemma_error *err);

#endif
