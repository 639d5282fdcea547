/*
 * The family tree of a group of texts: which was made from which.
 *
 * variants.h says where they differ, clues.h what tells their ages, kinship.h what speaks for each edge,
 * arrange.h makes the tree, derivation.h says what happened along its edges. docs/design/tree.md
 */
#ifndef FAMILY_FAMILY_H
#define FAMILY_FAMILY_H

#include "family/derivation.h"
#include "family/variants.h"

#define NO_PARENT SIZE_MAX

struct family_node {
    size_t parent; /* NO_PARENT: the root */
    stemma_derivation kind;
    struct derivation change;
    double confidence, direction;
    size_t second; /* NO_PARENT: none */
    double second_share;
};

/* What a family asks of its members: texts that are different, by number. */
struct family_source {
    void *context;
    /* All fingerprints of a member. */
    stemma_status (*shingles)(void *context, size_t member, struct variants_maker *to, stemma_error *err);
    /* Its canonical text, which stays until two more were asked for;
     * *known is false when it cannot be held. */
    stemma_status (*text)(void *context, size_t member, const uint8_t **text, size_t *size, bool *known,
                          stemma_error *err);
};

struct family_options {
    size_t members; /* of 1 to FAMILY_MOST */
    enum unit unit;
    const int64_t *modified; /* of each member; NULL: does not count */
    const volatile int *stop;
};

/* Fills a node for each member. Errors: those of the source, NO_MEMORY, INTERRUPTED. */
stemma_status family_make(const struct family_options *options, const struct family_source *source,
                          struct family_node *nodes, stemma_error *err);

#endif
