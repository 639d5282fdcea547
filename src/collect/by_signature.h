/* How far documents of a collection are from one in question, and where they differ, as far as signatures
 * tell: where not both can be read. */
#ifndef COLLECT_BY_SIGNATURE_H
#define COLLECT_BY_SIGNATURE_H

#include "index/collection.h"
#include "index/stored_signature.h"

/* One thread's; reader and view must outlive it. */
struct by_signature;
stemma_status by_signature_new(struct collection *reader, const struct view *view, struct by_signature **out,
                               stemma_error *err);
void by_signature_free(struct by_signature *by);

/* The document in question, which stays: its canonical text, or where that is not at hand (NULL) the cell
 * that a collection keeps of it, which may be empty. Nothing is made of it before it is asked for. */
void by_signature_set(struct by_signature *by, const uint8_t *text, size_t size, struct cell stored);

/* The same of a text that comes in pieces, which need not stay. */
stemma_status by_signature_begin(struct by_signature *by, stemma_error *err);
stemma_status by_signature_feed(struct by_signature *by, const uint8_t *text, size_t size, stemma_error *err);
stemma_status by_signature_end(struct by_signature *by, stemma_error *err);

/* Both, which can be compared, until the next call; positions of a, if it has any, are bytes of its canonical
 * text. */
struct signature_pair {
    struct signature a, b; /* a: of the document in question */
};
/* *found is false where one of the two is not kept. */
stemma_status by_signature_find(struct by_signature *by, uint64_t number, struct signature_pair *out,
                                bool *found, stemma_error *err);

#endif
