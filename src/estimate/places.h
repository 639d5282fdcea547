/*
 * Where each fingerprint of a sequence occurs first: a table of positions, looked up by the fingerprint's own
 * bits.
 *
 * Slots come in groups of eight, with seven bits of the fingerprint as a tag for each, all eight of which are
 * compared at once. Less than half of the slots are taken, so that looking for what is not there reads one
 * word and hardly ever goes wrong at a branch; one slot after the other, a third of the branches would. A
 * multiplier drawn at random keeps chosen fingerprints from meeting in one group.
 */
#ifndef ESTIMATE_PLACES_H
#define ESTIMATE_PLACES_H

#include "base/buf.h"
#include "base/error.h"

#define PLACES_NONE  SIZE_MAX
#define PLACES_GROUP 8

/* Fingerprints at, at + 1, ... occurred before at first, first + 1, ... */
struct repeat {
    uint32_t at, first, count;
};

/* To be initialised, and reusable. */
struct places {
    const uint64_t *fp;  /* the sequence: the caller's */
    uint64_t *tags;      /* of a group: a byte for each slot, 0 when it is empty */
    uint32_t *positions; /* of all slots */
    size_t tag_cap, position_cap;
    uint64_t groups;
    uint64_t multiplier;
    size_t distinct;
    struct repeat *repeats; /* all positions that are not the first of their fingerprint, ascending */
    size_t repeat_count, repeat_cap;
};

void places_init(struct places *places);
stemma_status places_set(struct places *places, const uint64_t *fp, size_t count, stemma_error *err);
void places_release(struct places *places);

#define PLACES_EACH UINT64_C(0x0101010101010101)
#define PLACES_TOPS (PLACES_EACH << 7)

/* The top bit of each byte that is zero (and, rarely, of one above such a byte). */
static inline uint64_t places_zero_bytes(uint64_t bytes) {
    return (bytes - PLACES_EACH) & ~bytes & PLACES_TOPS;
}

/* Where looking for a fingerprint begins, or has ended. The fingerprint is mixed; the high half says the
 * group, the bits below the tag. */
struct probe {
    size_t group;
    uint64_t tags; /* of the group */
    uint64_t tag;  /* of the fingerprint, eight times */
};

static inline size_t places_group(const struct places *places, uint64_t mixed) {
    return (mixed >> 32) * places->groups >> 32;
}

static inline struct probe places_begin(const struct places *places, uint64_t fp) {
    uint64_t mixed = fp * places->multiplier;
    size_t group = places_group(places, mixed);
    return (struct probe){group, places->tags[group], ((mixed >> 25 & 0x7f) | 0x80) * PLACES_EACH};
}

/* Brings the group of a fingerprint near. */
static inline void places_fetch(const struct places *places, uint64_t fp) {
    size_t group = places_group(places, fp * places->multiplier);
    __builtin_prefetch(&places->tags[group], 1);
    __builtin_prefetch(&places->positions[group * PLACES_GROUP], 1);
}

/* The first position, or PLACES_NONE: then the fingerprint has its place in the group of *end, which has an
 * empty slot. */
static inline size_t places_probe(const struct places *places, uint64_t fp, struct probe *end) {
    for (*end = places_begin(places, fp);; end->tags = places->tags[end->group]) {
        for (uint64_t same = places_zero_bytes(end->tags ^ end->tag); same; same &= same - 1) {
            size_t slot = (size_t)__builtin_ctzll(same) / 8;
            uint32_t position = places->positions[end->group * PLACES_GROUP + slot];
            if (places->fp[position] == fp) return position;
        }
        if (~end->tags & PLACES_TOPS) return PLACES_NONE;
        end->group = end->group + 1 < places->groups ? end->group + 1 : 0;
    }
}

static inline size_t places_find(const struct places *places, uint64_t fp) {
    struct probe end;
    return places_probe(places, fp, &end);
}

/* False for nearly all that it does not have, without a branch. */
static inline bool places_may_have(const struct places *places, uint64_t fp) {
    struct probe begin = places_begin(places, fp);
    return (places_zero_bytes(begin.tags ^ begin.tag) != 0) | ((~begin.tags & PLACES_TOPS) == 0);
}

#endif
