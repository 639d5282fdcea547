/*
 * A shortest way from one stretch of tokens to another, when it costs little.
 *
 * Myers's O(ND) search from both ends (An O(ND) Difference Algorithm, 1986, section 4b): the two meet in the
 * middle of a shortest way, and both halves are searched again. What it may cost is bounded by the length of
 * the stretches; where that does not do, they have too little in common to show, and all of it is a change.
 */
#ifndef ALIGN_GAP_H
#define ALIGN_GAP_H

#include "align/tokens/ids.h"

#include <stdbool.h>

/* A stretch of each text. */
struct gap {
    size_t a_begin, a_end, b_begin, b_end;
};

/* What is found: the tokens kept, the same number in both texts, in the same order;
 * a pair has the same id. */
struct kept {
    bool *a, *b;
};

struct gap_search {
    const uint32_t *a, *b;
    struct kept kept;
    int32_t *ahead, *behind; /* by diagonal: how far one gets from the beginning, and from the end */
    int64_t first_diagonal;
    uint64_t left;  /* steps that may still be taken in this gap */
    uint64_t steps; /* taken in all */
    const volatile int *stop;
};

/* Steps a gap may cost for each of its tokens, and for its first few hundred: small gaps are always done
 * exactly. More would cost seconds on large texts that are not related, only to find longer ways through
 * noise. */
#define GAP_STEPS       32u
#define GAP_STEPS_FIRST 192u
#define GAP_FIRST       256u

/* The arrays hold a place for each diagonal of the whole texts and one at either end. */
stemma_status gap_search_init(struct gap_search *search, const struct id_pair *pair, struct kept kept,
                              const volatile int *stop, stemma_error *err);
void gap_search_release(struct gap_search *search);

/* Keep what the ends have in common; the gap is what is left. */
void gap_trim(struct gap_search *search, struct gap *gap);
stemma_status gap_align(struct gap_search *search, struct gap gap, stemma_error *err);

#endif
