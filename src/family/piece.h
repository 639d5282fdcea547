/*
 * A root that is a piece of the others: a quote in a mail, an excerpt.
 *
 * What is at most half of several others, and next to nothing besides, looks like a first draft: both are
 * smaller, and all of it is in the others. But a draft is worked on, and hardly comes down to several
 * versions unchanged. So where nothing but growth says that it is the older, it hangs below the member that
 * seemed to derive from it.
 */
#ifndef FAMILY_PIECE_H
#define FAMILY_PIECE_H

#include "family/arrange.h"

void hang_pieces(struct arrangement *tree, const struct kinship *kinship, const struct variants *variants);

#endif
