/*
 * The tokens of a file in order, one at a time, and the places of the targets that go along with them.
 *
 * A fragment begins at a window that the index knows. All its places (the first CANDIDATES of them) are
 * followed, a token at a time, and fall away when their target goes on differently; the last to do so is the
 * fragment. The next one begins with a window that is not inside it. So each token costs a bounded number of
 * comparisons, whatever repeats itself, and each window that the index knows is in some fragment.
 */
#ifndef ALIGN_MATCHER_H
#define ALIGN_MATCHER_H

#include "align/fragments/findings.h"

#define CANDIDATES                                                                                           \
    32 /* places followed at once; a window of a target that is more frequent stands for its first ones */

/* A token of the file. */
struct place {
    const uint8_t *text; /* canonical */
    size_t size;
    uint64_t begin, end, line; /* of the original */
};

struct matcher {
    stemma_findings *findings;
    struct candidate {
        const struct target *target;
        uint32_t position; /* of the token that the fragment begins with */
    } live[CANDIDATES];
    size_t live_count;
    struct match match; /* the fragment so far; its position is that of the first candidate */
    uint64_t work;      /* comparisons of tokens, for tests */
};

/* The next token of the file: whether the fragment in progress goes on with it. If not, it ends. */
stemma_status matcher_follow(struct matcher *matcher, const struct place *token, bool *follows,
                             stemma_error *err);
/* A window that may begin a fragment, when none is in progress; `position` is what the index says of it. */
stemma_status matcher_begin(struct matcher *matcher, const struct place *window, uint32_t position,
                            stemma_error *err);
/* No token follows, or none that is known: what is followed ends here. */
stemma_status matcher_end(struct matcher *matcher, stemma_error *err);
void matcher_release(struct matcher *matcher);

#endif
