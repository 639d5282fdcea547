/*
 * How many shingles two documents have in common, exactly, from their canonical texts in memory.
 *
 * One document, the base, is made ready once and then compared with many. docs/design/verification.md
 */
#ifndef ESTIMATE_OVERLAP_H
#define ESTIMATE_OVERLAP_H

#include "estimate/exact.h"
#include "estimate/reach.h"
#include "shingle/tables.h"

struct overlap_base;

/* The view and its tables must outlive it. INVALID when the view is keyed without its secret. */
stemma_status overlap_base_new(const struct view *view, const struct shingle_tables *tables,
                               struct overlap_base **out, stemma_error *err);

/* A canonical text with KERNEL_SLACK readable bytes behind it, which must stay as long as it is compared
 * with. It is made ready when it is first needed. */
void overlap_base_set(struct overlap_base *base, const uint8_t *text, size_t size);

/* Another text (with slack, too) against the base, which is a. Unless the aim is NULL, *hopeless says that it
 * is not reached: the comparison was given up then, and *out is as it was. */
stemma_status overlap_with(struct overlap_base *base, const uint8_t *text, size_t size,
                           const struct overlap_aim *aim, struct overlap *out, bool *hopeless,
                           stemma_error *err);
void overlap_base_free(struct overlap_base *base);

#endif
