/*
 * The exact Levenshtein distance of strings of 16-bit symbols, such as signatures: hundreds of symbols, most
 * of which occur once. One string is prepared and compared with many.
 *
 * A comparer may be used by one thread at a time.
 */
#ifndef ALIGN_SYMBOLS_H
#define ALIGN_SYMBOLS_H

#include "base/error.h"

struct comparer;

struct symbols {
    const uint16_t *at;
    size_t count;
};

stemma_status comparer_new(struct comparer **out, stemma_error *err);

/* Compare with this string from now on. It is not copied, and must stay as long as it is compared with. After
 * a failure an empty string is prepared. */
stemma_status comparer_prepare(struct comparer *comparer, struct symbols string, stemma_error *err);

/* The distances of the prepared string to `count` others; at_most + 1 for each that is more than at_most
 * (UINT64_MAX: no bound). Several at once are faster than one after the other. */
stemma_status comparer_distances(struct comparer *comparer, const struct symbols *strings, size_t count,
                                 uint64_t at_most, uint64_t *out, stemma_error *err);

void comparer_free(struct comparer *comparer);

/* Two strings, once. */
stemma_status symbols_distance(struct symbols a, struct symbols b, uint64_t at_most, uint64_t *out,
                               stemma_error *err);

#endif
