/*
 * Shingles of one text in another, by following the passages that both have.
 *
 * Near-duplicates share long passages. Where the texts agree byte for byte, their shingles are the same
 * without being hashed; only those around a difference are, and looked up. For texts whose tokens are bytes,
 * or words between single spaces. docs/design/verification.md
 */
#ifndef ESTIMATE_FOLLOW_H
#define ESTIMATE_FOLLOW_H

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
};
void follow_scratch_release(struct follow_scratch *scratch);

/* Tallies all shingles of a text. *regular is false when its words turn out not to be as said; then the tally
 * is not complete. */
stemma_status follow(const struct follow_base *base, const uint8_t *text, size_t size, struct whole *whole,
                     struct follow_scratch *scratch, struct tally *tally, bool *regular, stemma_error *err);

#endif
