/*
 * Where two texts differ, token by token.
 *
 * What both ends share is set aside. Then runs of tokens that stand once in either text, long ones first, cut
 * the rest into gaps (the idea of patience diff); small gaps are aligned exactly (gap.h). Every level looks
 * at a token a bounded number of times, so time is linear (times a logarithm for the anchors) whatever the
 * texts.
 */
#ifndef ALIGN_TOKENS_DIFF_H
#define ALIGN_TOKENS_DIFF_H

#include "align/tokens/ids.h"

/* a's tokens [a_begin, a_end) became b's [b_begin, b_end); one of the two may be empty. */
struct hunk {
    size_t a_begin, a_end, b_begin, b_end;
};

struct hunk_list {
    struct hunk *hunks;
    size_t count, cap;
    uint64_t steps; /* what it took */
};

/* In order; between two hunks, before the first and behind the last, the tokens are the same in number and
 * content, at least one of them. `stop` may be NULL. Errors: NO_MEMORY, INTERRUPTED. */
stemma_status tokens_diff(const struct id_pair *pair, const volatile int *stop, struct hunk_list *out,
                          stemma_error *err);
void hunk_list_release(struct hunk_list *list);

#endif
