/*
 * The candidates that are being decided: a bounded window that slides over all of them in order.
 *
 * A rule goes through the window again and again. Each time it drops the pairs that are settled and asks for
 * the numbers of those it needs; these are verified together, so that pairs of many groups fill a batch
 * however small the groups are. When a rule can name only a few, because each decision waits for the one
 * before, the next pairs in order are verified along with them, on the chance that they will be needed.
 */
#ifndef GROUP_WINDOW_H
#define GROUP_WINDOW_H

#include "group/group.h"

enum {
    WINDOW_PAIRS = 1 << 16,
    WINDOW_BATCH =
        4096, /* pairs verified together at most: enough for all threads, and little to wait for at the end */
    WINDOW_AHEAD = 64 /* a batch below this is filled up: it would leave threads idle */
};

struct window_pair {
    uint32_t first, second;
    bool asked;    /* to be verified next */
    bool verified; /* its numbers are known */
    struct numbers numbers;
};

/* Whether a pair is settled before it is even looked at. */
typedef bool window_settled(const void *context, uint32_t first, uint32_t second);

struct window {
    struct window_pair *pairs; /* ascending */
    size_t count;
    size_t asked; /* at most WINDOW_BATCH */
    const struct group_verifier *verifier;
    struct group_members *members; /* for its counters */
    struct sorter_cursor *cursor;
    struct window_source *source;
};

stemma_status window_open(struct window *window, struct sorter *candidates,
                          const struct group_verifier *verifier, struct group_members *members,
                          stemma_error *err);
/* Adds pairs behind those that are left, as many as there is room for;
 * without any left, the end is reached. */
stemma_status window_fill(struct window *window, window_settled *settled, const void *context,
                          stemma_error *err);
/* Asks for a pair; false when the batch is full. */
bool window_ask(struct window *window, struct window_pair *pair);
/* Verifies what was asked for. */
stemma_status window_verify(struct window *window, stemma_error *err);
void window_close(struct window *window);

/* Fills in the numbers of all members from `from` on, which are ordered by kept. */
stemma_status verify_members(const struct group_verifier *verifier, struct group_members *members,
                             size_t from, stemma_error *err);

#endif
