#include "read/identities.h"

#include "base/alloc.h"
#include "base/rng.h"

/* The slot of an identity, or the empty one where it would stand. */
static struct identity *find_slot(const struct identity_set *set, struct identity identity) {
    size_t mask = set->capacity - 1;
    size_t at = (size_t)mix64(identity.inode + mix64(identity.device)) & mask;
    while (set->slots[at].inode &&
           (set->slots[at].inode != identity.inode || set->slots[at].device != identity.device))
        at = (at + 1) & mask;
    return &set->slots[at];
}

static bool grow(struct identity_set *set) {
    struct identity_set larger = {.count = set->count, .capacity = set->capacity ? 2 * set->capacity : 64};
    larger.slots = mem_zero(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i].inode) *find_slot(&larger, set->slots[i]) = set->slots[i];
    identity_set_release(set);
    *set = larger;
    return true;
}

bool identity_add(struct identity_set *set, uint64_t device, uint64_t inode, bool *added) {
    if (2 * (set->count + 1) > set->capacity && !grow(set)) return false;
    struct identity *slot = find_slot(set, (struct identity){device, inode});
    *added = slot->inode == 0;
    set->count += *added;
    *slot = (struct identity){device, inode};
    return true;
}

void identity_set_release(struct identity_set *set) {
    mem_free(set->slots);
    *set = (struct identity_set){0};
}
