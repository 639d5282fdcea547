/*
 * A document that is in memory as a whole: its canonical text, and the fingerprints of all its shingles.
 *
 * The same fingerprints as a shingler gives, without a sink and without allocating for every document: what a
 * worker that goes through many documents keeps.
 */
#ifndef SHINGLE_WHOLE_H
#define SHINGLE_WHOLE_H

#include "shingle/stream.h"

struct whole;

/* The view and its tables must outlive it. INVALID when the view is keyed without its secret. */
stemma_status whole_new(const struct view *view, const struct shingle_tables *tables, struct whole **out,
                        stemma_error *err);

/* Canonical text of the bytes of a document. It belongs to whole, lasts until the next call, and has
 * KERNEL_SLACK readable bytes behind it. */
stemma_status whole_canon(struct whole *whole, const uint8_t *bytes, size_t size, const uint8_t **text,
                          size_t *text_size, stemma_error *err);

/* The same, appended to out; it asks for room for canon_most(size) + KERNEL_SLACK at most. */
stemma_status whole_canon_to(struct whole *whole, const uint8_t *bytes, size_t size, struct buf *out,
                             stemma_error *err);

/* Fingerprints of all shingles of a canonical text (with KERNEL_SLACK readable bytes behind it), in order of
 * position, with repetitions; of a labelled view, with their labels, in no useful order. They belong to
 * whole, last until the next call, and have KERNEL_SLACK readable elements behind them. *tokens: how many
 * tokens there are. */
stemma_status whole_shingles(struct whole *whole, const uint8_t *text, size_t size, const uint64_t **fp,
                             size_t *count, uint64_t *tokens, stemma_error *err);

/* The same fingerprints of a long text, given to the sink in pieces that stay in the nearest cache. *done is
 * false where there is no gain, or when a word turned out to be too long:
 * what was given then does not count. */
stemma_status whole_pieces(struct whole *whole, const uint8_t *text, size_t size, struct shingle_sink sink,
                           bool *done, stemma_error *err);

/* The same, but of a view whose samples are fast only those that are 0 mod n, unless the text is shorter than
 * a window. */
stemma_status whole_samples(struct whole *whole, const uint8_t *text, size_t size, uint64_t n,
                            const uint64_t **fp, size_t *count, stemma_error *err);
/* Whether samples are made at the speed of reading, and not from all fingerprints. */
bool whole_samples_fast(const struct view *view);
void whole_free(struct whole *whole);

#endif
