/*
 * Targets, ready to be looked for in large files: their canonical tokens, and an index of all their windows.
 *
 * A file's windows go through a small bitmap first; what passes is looked up in a table, which gives the
 * places of the window in the targets. Of a large target, and of bytes, only windows whose fingerprints are 0
 * mod m pass the bitmap (Broder's Mod_m): it stays in the cache, and Rabin's kernel needs to look at few
 * windows. The design and what it guarantees: docs/design/fragments.md.
 */
#ifndef ALIGN_FINDER_H
#define ALIGN_FINDER_H

#include "align/fragments/grams.h"
#include "shingle/stream.h"
#include "text/tokens.h"

#define NO_POSITION UINT32_MAX /* of a slot that is free, of the end of a list */
#define POOR_POSITION                                                                                        \
    (UINT32_MAX - 1) /* of a window that repeats itself: it goes on with a fragment, and begins none */

/* The canonical text of one target; its tokens are numbered through all targets, from `first` on. */
struct target {
    struct buf text;
    struct offset_map map; /* to the original */
    struct token *tokens;  /* NULL when each byte is one */
    size_t count, cap;
    uint32_t first;
};

struct window_slot {
    uint64_t fingerprint;
    uint32_t position; /* token of the first place; the others follow in `next` */
};

struct stemma_finder {
    struct view view; /* the recipe's folds, unit and window under the hash that is fastest here */
    struct shingle_tables tables;
    struct target *targets;
    size_t target_count;
    uint32_t tokens;  /* of all targets */
    uint64_t windows; /* distinct */

    struct window_slot *slots;
    int slot_shift; /* the slot of a fingerprint is looked for from its top bits on */
    size_t slot_mask;
    uint32_t *next;     /* by token: the next place of the same window */
    struct grams grams; /* or, where there can be none: */
    uint64_t *filter;
    int filter_shift;
    uint64_t modulus; /* windows that are 0 mod this pass the filter; 1 with grams */

    uint64_t least;         /* tokens of a fragment worth mentioning */
    uint64_t block;         /* bytes */
    size_t most;            /* fragments and blocks kept of one file */
    uint64_t most_unpacked; /* bytes that a file with documents may unpack to; 0: as many as usual */
    void (*progress)(void *context, uint64_t bytes);
    void *progress_context;
};

/* Adds a target's text; all are added before the index is made.
 * UNSUPPORTED when it is shorter than a window. */
stemma_status finder_add(stemma_finder *finder, const uint8_t *bytes, size_t size, const char *name,
                         stemma_error *err);
/* UNSUPPORTED when the index needs more than `memory` bytes. */
stemma_status finder_index(stemma_finder *finder, bool thorough, size_t memory, stemma_error *err);
void finder_release(stemma_finder *finder); /* all but the struct itself */

/* The target that holds a token, and a token of it. */
const struct target *finder_target(const stemma_finder *finder, uint32_t position);
static inline struct token target_token(const struct target *target, uint32_t position) {
    size_t index = position - target->first;
    return target->tokens ? target->tokens[index] : (struct token){index, index + 1};
}

/* The first place of a window: a token, POOR_POSITION, or NO_POSITION. */
uint32_t finder_lookup(const stemma_finder *finder, uint64_t fingerprint);

static inline bool finder_passes(const stemma_finder *finder, uint64_t fingerprint) {
    uint64_t bit = fingerprint >> finder->filter_shift;
    return finder->filter[bit / 64] >> bit % 64 & 1;
}

#endif
