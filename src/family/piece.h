/*
 * Members that were cut out of others: a quote in a mail, an excerpt.
 *
 * What is at most half of another, and next to nothing besides, looks like a first draft: both are smaller,
 * and all of it is in the other. But a draft is worked on all over, while a piece is one passage. A draft may
 * have been added to at an end, too; so something more has to be known of a passage: the whole goes on before
 * it and behind it, or there are two versions of the whole, which have it alike. Pieces say nothing of the
 * history of the others, who are arranged without them.
 */
#ifndef FAMILY_PIECE_H
#define FAMILY_PIECE_H

#include "family/arrange.h"

struct pieces {
    size_t members, core_count;
    uint32_t *core;  /* members that are none */
    uint32_t *whole; /* by member: what it was cut out of; NO_MEMBER: nothing */
    int32_t *margin; /* by how much that is better than another whole */
};

/* What a member may have been cut out of, as far as shingles and clues tell. */
struct piece {
    uint32_t whole;
    int32_t margin;
    bool versions; /* of the whole there are several */
};
bool piece_find(const struct kinship *kinship, const struct variants *variants, const struct clues *clues,
                size_t member, struct piece *out);

stemma_status pieces_init(struct pieces *pieces, size_t members, stemma_error *err);
void pieces_release(struct pieces *pieces);
/* Who is none, when all are known. */
void pieces_list_core(struct pieces *pieces);
/* The tree of all, of which only the core was arranged. */
stemma_status pieces_hang(struct arrangement *tree, const struct pieces *pieces, stemma_error *err);

#endif
