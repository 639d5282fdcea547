/*
 * A document of a collection, read again from where it lay when it was added.
 *
 * How it was read then is not asked: which field of a record, and which encoding it was, the digests tell.
 */
#ifndef COLLECT_AGAIN_H
#define COLLECT_AGAIN_H

#include "index/facts.h"
#include "sketch/recipe.h"

struct again;

/* The recipe must outlive it. One thread's. */
stemma_status again_new(const struct stemma_recipe *recipe, const stemma_limits *limits, struct again **out,
                        stemma_error *err);
void again_free(struct again *again);

struct again_text {
    const char *name;     /* decides on the format; NULL: the bytes alone do */
    const uint8_t *bytes; /* of the document */
    size_t size;
    const uint8_t *text; /* canonical, with KERNEL_SLACK readable bytes behind it */
    size_t text_size;
};

/* *evidence is ORIGINAL, and *out given until the next call, when the document still has the bytes it had;
 * CHANGED when it has others; GONE when it cannot be read. Fails only with INTERRUPTED and NO_MEMORY. */
stemma_status again_read(struct again *again, struct cell id, const struct facts *facts,
                         struct again_text *out, stemma_evidence *evidence, stemma_error *err);

/* After it, where the original was not read: *evidence becomes STORED, and *out is given likewise, if the
 * collection has the text, in this cell; an empty one is none. */
stemma_status again_stored(struct again *again, struct cell stored, const struct facts *facts,
                           struct again_text *out, stemma_evidence *evidence, stemma_error *err);
/* Whether it is the text that was added: another converter may make another one of the same bytes. */
bool again_is_text(const struct again_text *text, const struct facts *facts);

#endif
