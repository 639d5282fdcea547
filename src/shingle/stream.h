/*
 * A document in pieces to the fingerprints of its shingles, in order of position.
 *
 * A document of fewer than `window` tokens is one shingle: all of it, tagged with its length. A document with
 * no tokens has none.
 */
#ifndef SHINGLE_STREAM_H
#define SHINGLE_STREAM_H

#include "shingle/tables.h"

/* Where fingerprints go. */
struct shingle_sink {
    void *context;
    /* The next fingerprints. tokens: one value per token, when the sink asked for them: the tokens that
     * became known since the last call (with the last of them, fp[count-1] became known). */
    stemma_status (*take)(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err);
    /* Asked before each block: n when only fingerprints that are 0 mod n matter now, 1 when all do. */
    uint64_t (*modulus)(void *context);
    bool wants_tokens;
};

struct shingler;

/* canon_out, when given, gets every piece of canonical text (for digests). */
struct text_sink {
    void *context;
    void (*take)(void *context, const uint8_t *text, size_t size);
};

/* The view and its tables must outlive the shingler. INVALID when the view is keyed without its secret. */
stemma_status shingler_new(const struct view *view, const struct shingle_tables *tables,
                           struct shingle_sink sink, struct text_sink text, struct shingler **out,
                           stemma_error *err);
stemma_status shingler_feed(struct shingler *shingler, const uint8_t *bytes, size_t size, stemma_error *err);
/* The same of text that is canonical already; a document is fed in one way or the other. */
stemma_status shingler_feed_text(struct shingler *shingler, const uint8_t *text, size_t size,
                                 stemma_error *err);
stemma_status shingler_finish(struct shingler *shingler, stemma_error *err);
/* Another document follows, whatever became of the last; memory is kept. */
void shingler_reset(struct shingler *shingler);
uint64_t shingler_tokens(const struct shingler *shingler);  /* so far */
uint64_t shingler_windows(const struct shingler *shingler); /* shingles, with repetitions */
void shingler_free(struct shingler *shingler);

#endif
