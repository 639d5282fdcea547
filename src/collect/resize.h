/* The Hamming fingerprints of a collection get another number of bits. */
#ifndef COLLECT_RESIZE_H
#define COLLECT_RESIZE_H

#include "collect/again.h"
#include "index/collection.h"

typedef void tell_unread(void *context, const stemma_scan_problem *problem);

/* For more bits every document is read again, from where it lies or from its stored text. Those that cannot
 * be are told (told may be NULL), and have no fingerprint from then on, until they are added again, or read
 * when it grows the next time. UNREADABLE: these are more than half, and nothing was changed. UNSUPPORTED: it
 * has no fingerprints. */
stemma_status resize_bits(struct collection *store, const struct stemma_recipe *recipe,
                          const stemma_limits *limits, uint32_t bits, tell_unread *told, void *context,
                          stemma_error *err);

#endif
