/*
 * Entries in an order of their own that may not fit into memory: added in any order, sorted in memory,
 * spilled as sorted runs to unnamed temporary files (levels.h), and read back in order.
 *
 * An entry is a head, of one size for all and aligned to 8 bytes, and a tail of bytes.
 */
#ifndef BASE_ORDERED_H
#define BASE_ORDERED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordered_entry {
    const void *head;
    const uint8_t *tail;
    size_t tail_size;
};

/* Below 0: the first one comes first. Where it is 0, any of them may. */
typedef int entries_order(const struct ordered_entry *a, const struct ordered_entry *b);

struct ordered;

/* memory: bytes to use before spilling; never less than 256 KiB are used, and the largest entry. directory:
 * of temporary files; NULL: $TMPDIR, or /tmp. */
stemma_status ordered_new(size_t head_size, entries_order *order, size_t memory, const char *directory,
                          struct ordered **out, stemma_error *err);
void ordered_free(struct ordered *ordered);

/* Both are copied. Errors: NO_MEMORY, NO_SPACE, IO. */
stemma_status ordered_add(struct ordered *ordered, const void *head, const void *tail, size_t tail_size,
                          stemma_error *err);
uint64_t ordered_count(const struct ordered *ordered);
uint64_t ordered_spilled(const struct ordered *ordered); /* bytes written to disk */
/* No more will be added. */
stemma_status ordered_finish(struct ordered *ordered, stemma_error *err);
/* From the first one on again. */
stemma_status ordered_again(struct ordered *ordered, stemma_error *err);
/* The next one, which stays until the next call; *more is false at the end. Errors: NO_MEMORY, IO. */
stemma_status ordered_next(struct ordered *ordered, struct ordered_entry *entry, bool *more,
                           stemma_error *err);

#endif
