/*
 * Signatures in memory, laid out for searching: which of them are within a distance of a query?
 *
 * Each has, in a cache line of its own, counters of its symbols folded into SYMBOL_COUNTERS classes. An edit
 * changes two of them by one and the length by none, or one of them and the length, so distance >= (sum of
 * differences of the counters + difference of the lengths) / 2. That rejects nearly everything at the speed
 * of reading the counters; the rest is compared exactly. Nothing is lost.
 */
#ifndef ALIGN_NEAR_H
#define ALIGN_NEAR_H

#include "align/signature/symbols.h"

struct store;

stemma_status store_new(struct store **out, stemma_error *err);
/* The symbols are copied. Their index is how many were added before.
 * UNSUPPORTED for 2^32 symbols and more. */
stemma_status store_add(struct store *store, struct symbols symbols, stemma_error *err);
size_t store_count(const struct store *store);
/* The memory that holds the signatures: counters and lengths, which every search reads;
 * places and symbols. */
struct store_span {
    const void *at;
    size_t size;
};
enum { STORE_COUNTERS, STORE_LENGTHS, STORE_PLACES, STORE_SYMBOLS, STORE_SPANS };
void store_spans(const struct store *store, struct store_span out[STORE_SPANS]);
void store_free(struct store *store);

/* All that are at most `at_most` away, by ascending index. *out is to be freed by mem_free; NULL when none
 * is. The store may be searched by several threads at a time. *compared: how many were compared exactly; may
 * be NULL. */
stemma_status store_search(const struct store *store, struct symbols query, uint64_t at_most,
                           const volatile int *stop, stemma_near **out, size_t *count, size_t *compared,
                           stemma_error *err);

#endif
