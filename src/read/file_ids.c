#include "read/file_ids.h"

#include "base/alloc.h"
#include "base/rng.h"

/* The slot of an identity, or the empty one where it would stand. */
static struct file_id *find_slot(const struct file_ids *set, struct file_id identity) {
    size_t mask = set->capacity - 1;
    size_t at = (size_t)mix64(identity.inode + mix64(identity.device)) & mask;
    while (set->slots[at].inode &&
           (set->slots[at].inode != identity.inode || set->slots[at].device != identity.device))
        at = (at + 1) & mask;
    return &set->slots[at];
}

static bool grow(struct file_ids *set) {
    struct file_ids larger = {.count = set->count, .capacity = set->capacity ? 2 * set->capacity : 64};
    larger.slots = mem_zero(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i].inode) *find_slot(&larger, set->slots[i]) = set->slots[i];
    file_ids_release(set);
    *set = larger;
    return true;
}

bool file_ids_add(struct file_ids *set, uint64_t device, uint64_t inode, bool *added) {
    if (2 * (set->count + 1) > set->capacity && !grow(set)) return false;
    struct file_id *slot = find_slot(set, (struct file_id){device, inode});
    *added = slot->inode == 0;
    set->count += *added;
    *slot = (struct file_id){device, inode};
    return true;
}

void file_ids_release(struct file_ids *set) {
    mem_free(set->slots);
    *set = (struct file_ids){0};
}
