/*
 * Shingles of one text in another, by following the passages that both have.
 *
 * Near-duplicates share long passages. Where the texts agree byte for byte, their shingles are the same
 * without being hashed; only those around a difference are, and looked up. For texts whose tokens are bytes,
 * or words between single spaces. docs/design/verification.md
 */
#ifndef ESTIMATE_FOLLOW_H
#define ESTIMATE_FOLLOW_H

#include "estimate/reach.h"
#include "estimate/tally.h"
#include "shingle/whole.h"
#include "text/word_map.h"

/* The text whose shingles have places. */
struct follow_base {
    const uint8_t *text;
    size_t size;
    size_t window;                     /* tokens */
    const struct word_map *words;      /* NULL when tokens are bytes */
    const struct tally_base *shingles; /* one at each token but the last window - 1 */
};

/* Scratch, zeroed at first, and reusable. */
struct follow_scratch {
    struct buf gap_text;      /* what stands around differences, one after the other */
    struct vec64 gap_windows; /* how many windows each has */
    struct vec64 gap_fp;      /* their fingerprints */
    struct word_map words;    /* of the piece that is searched */
    struct word_map counted;  /* of the whole text, if they have to be counted */
};
void follow_scratch_release(struct follow_scratch *scratch);

enum follow_end {
    FOLLOW_DONE,
    FOLLOW_IRREGULAR, /* its words turned out not to be as said */
    FOLLOW_HOPELESS   /* it does not reach the aim */
};

/* Tallies all shingles of a text; the tally is complete if that is done. The aim may be NULL. */
stemma_status follow(const struct follow_base *base, const uint8_t *text, size_t size,
                     const struct overlap_aim *aim, struct whole *whole, struct follow_scratch *scratch,
                     struct tally *tally, enum follow_end *end, stemma_error *err);

#endif
