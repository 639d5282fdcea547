/*
 * The rooted tree with the highest score: of each edge its bond and what speaks for its direction, less
 * BRANCH for each further child.
 *
 * To find the very best is hard once branches cost, so it is searched for: the best tree without directions
 * and branches, its best root, then small changes as long as one helps (a branch hangs elsewhere, a member
 * trades places with its parent, a member goes to stand somewhere else alone). Scores are whole numbers and
 * changes are tried in a fixed order, so the tree follows from the scores alone.
 */
#ifndef FAMILY_ARRANGE_H
#define FAMILY_ARRANGE_H

#include "family/kinship.h"

#define NO_MEMBER UINT32_MAX

/* A bit of the score is so many of chance: fitted, as the weights of the clues are. */
enum { CHANCE = 3 };

struct arrangement {
    size_t members;
    uint32_t root;
    uint32_t *parent; /* NO_MEMBER: the root */
    int32_t *margin;  /* by how much the parent is better than any other that it could have in this tree */
    double *facing;   /* the chance that the edge points this way, the tree being right but for its root */
};

/* Every member is the kin of some other, and all hang together, the first being kin of all. Errors:
 * NO_MEMORY, INTERRUPTED. */
stemma_status arrange(struct arrangement *out, const struct kinship *kinship, const volatile int *stop,
                      stemma_error *err);
stemma_status arrangement_init(struct arrangement *arrangement, size_t members, stemma_error *err);
void arrangement_release(struct arrangement *arrangement);

/* What arrange tries to make as high as it can. */
int64_t arrangement_score(const struct kinship *kinship, const uint32_t *parent);

/* Whether a member is another, or derives from it. */
bool derives_from(const uint32_t *parent, size_t member, size_t ancestor);

#endif
