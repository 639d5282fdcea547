/* Samples of which fewer bits are kept than another collection has of them: shorter ones follow from longer
 * ones, so those that meet become as short as the shorter. */
#ifndef COLLECT_SHORTENING_H
#define COLLECT_SHORTENING_H

#include "index/collection.h"

struct shortening {
    const struct schema *from;
    struct vec64 samples;
    struct buf packed;
};
void shortening_release(struct shortening *s);

/* The collection, which is open to be written and in no batch, keeps no more bits of samples than the schema
 * does: as a commit of its own where it did. */
stemma_status shorten_to(struct collection *store, const struct schema *schema, stemma_error *err);
/* A row whose samples are those of s->from becomes one of the schema, which keeps as many bits or fewer. The
 * new cell is s's until the next call. */
stemma_status shorten_row(struct shortening *s, const struct schema *schema, struct row *row,
                          stemma_error *err);

#endif
