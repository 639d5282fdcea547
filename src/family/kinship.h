/*
 * Who may derive from whom: pairs of members that are worth joining, each with what speaks for it.
 *
 * Text is written once. So a member k that stands between i and j in the history has what both of them have;
 * what i and j share and k lacks was written twice, or taken out and put back. Of three members the one in
 * the middle is therefore the one that lacks least of what the two others share, and an edge (i, j) is as
 * good as the member that would stand between its ends most easily is bad at it. All scores are whole
 * numbers, 1/1024 of a bit, so that they are the same on every machine.
 */
#ifndef FAMILY_KINSHIP_H
#define FAMILY_KINSHIP_H

#include "family/clues.h"
#include "family/variants.h"

enum {
    BIT = 1024,
    GROWTH = 475,  /* what the growth of a text says of its direction, at most */
    BRANCH = 1330, /* what each child of a member costs after the first: histories are lines, mostly */
};

/* Where there are more members, each is joined only to the nearest few of the others, and to the first. */
enum { ALL_PAIRS = 64, NEAR = 12 };

struct kin {
    uint32_t member;
    int32_t bond;      /* how close the two are: 0 at best */
    int32_t direction; /* what speaks for this one being the younger */
};

struct kinship {
    size_t members;
    struct kin *kin; /* of all members, each list by member */
    size_t *first;   /* where a list begins; one more at the end */
};

/* modified: of each member, or NULL when that does not count. Errors: NO_MEMORY, INTERRUPTED. */
stemma_status kinship_find(struct kinship *kinship, const struct variants *variants,
                           const struct clues *clues, const int64_t *modified, const volatile int *stop,
                           stemma_error *err);
/* Of some of the members alone, given in order, who get their places in that list as numbers. The first of
 * all is among them where there are more than ALL_PAIRS. Errors: NO_MEMORY. */
stemma_status kinship_among(struct kinship *out, const struct kinship *kinship, const uint32_t *members,
                            size_t count, stemma_error *err);
void kinship_release(struct kinship *kinship);

/* NULL when the two are not worth joining. */
const struct kin *kin_find(const struct kinship *kinship, size_t member, size_t other);

/* 1024 log2(x), x > 0, rounded down. */
int32_t log2_fixed(uint64_t x);

#endif
