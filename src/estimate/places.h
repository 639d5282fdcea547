/*
 * Where each fingerprint of a sequence occurs first: a table of positions, looked up by the fingerprint's own
 * bits.
 *
 * 32 bits a slot, no more than half of them taken, linear probing: for documents of ordinary size all of it
 * stays in the second-level cache. A multiplier drawn at random keeps chosen fingerprints from meeting in one
 * slot.
 */
#ifndef ESTIMATE_PLACES_H
#define ESTIMATE_PLACES_H

#include "base/buf.h"
#include "base/error.h"

#define PLACES_NONE SIZE_MAX

/* Fingerprints at, at + 1, ... occurred before at first, first + 1, ... */
struct repeat {
    uint32_t at, first, count;
};

/* Zeroed at first, and reusable. */
struct places {
    const uint64_t *fp; /* the sequence: the caller's */
    uint32_t *slots;    /* a position + 1, or 0 */
    size_t slot_cap, mask;
    int shift;
    uint64_t multiplier;
    size_t distinct;
    struct repeat *repeats; /* all positions that are not the first of their fingerprint, ascending */
    size_t repeat_count, repeat_cap;
};

void places_init(struct places *places);
stemma_status places_set(struct places *places, const uint64_t *fp, size_t count, stemma_error *err);
void places_release(struct places *places);

static inline size_t places_slot(const struct places *places, uint64_t fp) {
    return (size_t)(fp * places->multiplier >> places->shift);
}

/* The first position, or PLACES_NONE. */
static inline size_t places_find(const struct places *places, uint64_t fp) {
    for (size_t slot = places_slot(places, fp);; slot = (slot + 1) & places->mask) {
        uint32_t taken = places->slots[slot];
        if (taken == 0) return PLACES_NONE;
        if (places->fp[taken - 1] == fp) return taken - 1;
    }
}

#endif
