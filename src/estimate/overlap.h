/*
 * How many shingles two documents have in common, exactly, from their canonical texts in memory.
 *
 * One document, the base, is made ready once and then compared with many. docs/design/verification.md
 */
#ifndef ESTIMATE_OVERLAP_H
#define ESTIMATE_OVERLAP_H

#include "estimate/exact.h"
#include "shingle/tables.h"

struct overlap_base;

/* The view and its tables must outlive it. INVALID when the view is keyed without its secret. */
stemma_status overlap_base_new(const struct view *view, const struct shingle_tables *tables,
                               struct overlap_base **out, stemma_error *err);

/* A canonical text with KERNEL_SLACK readable bytes behind it, which must stay as long as it is compared
 * with. It is made ready when it is first needed. */
void overlap_base_set(struct overlap_base *base, const uint8_t *text, size_t size);

/* What makes two documents worth comparing: a resemblance, or one of them contained in the other (0: that
 * does not count). */
struct overlap_aim {
    double resemblance, contained;
};

/* Whether another text (with slack, too) does not reach the aim, as samples of both tell beyond doubt
 * (glance.h); false where samples cost as much as all shingles. */
stemma_status overlap_hopeless(struct overlap_base *base, const uint8_t *text, size_t size,
                               const struct overlap_aim *aim, bool *hopeless, stemma_error *err);

/* Another text against the base, which is a. */
stemma_status overlap_with(struct overlap_base *base, const uint8_t *text, size_t size, struct overlap *out,
                           stemma_error *err);
void overlap_base_free(struct overlap_base *base);

#endif
