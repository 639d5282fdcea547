/*
 * A root that is a piece of the others: a quote in a mail, an excerpt.
 *
 * What is at most half of several others, and next to nothing besides, looks like a first draft: both are
 * smaller, and all of it is in the others. But a draft is worked on all over, while a piece is one passage.
 * So where it is, and nothing but growth says that it is the older, it hangs below the member that seemed to
 * derive from it.
 */
#ifndef FAMILY_PIECE_H
#define FAMILY_PIECE_H

#include "family/arrange.h"

/* The child that the root seems to be a piece of, if there is one. It is at least twice as large. */
bool piece_find_whole(const struct arrangement *tree, const struct kinship *kinship,
                      const struct variants *variants, uint32_t *whole);
/* Below that child, which becomes the root. */
void piece_hang(struct arrangement *tree, uint32_t whole);

#endif
