#include "read/member_names.h"

#include "base/alloc.h"
#include "base/digest.h"

struct member_name {
    uint64_t key; /* never 0: an empty slot */
    uint64_t used;
};

/* A digest that is cut: nobody finds many names that crowd one place of the table. */
uint64_t member_key(const void *id, size_t size) {
    uint64_t key = checksum64(id, size);
    return key ? key : 1;
}

static struct member_name *find_slot(const struct member_names *names, uint64_t key) {
    size_t mask = names->capacity - 1, at = (size_t)key & mask;
    while (names->slots[at].key && names->slots[at].key != key) at = (at + 1) & mask;
    return &names->slots[at];
}

static bool grow(struct member_names *names) {
    struct member_names larger = {.count = names->count,
                                  .capacity = names->capacity ? 2 * names->capacity : 64};
    larger.slots = mem_zero(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i].key) *find_slot(&larger, names->slots[i].key) = names->slots[i];
    member_names_release(names);
    *names = larger;
    return true;
}

uint64_t *member_names_at(struct member_names *names, uint64_t key) {
    if (2 * (names->count + 1) > names->capacity && !grow(names)) return NULL;
    struct member_name *slot = find_slot(names, key);
    names->count += slot->key == 0;
    slot->key = key;
    return &slot->used;
}

void member_names_release(struct member_names *names) {
    mem_free(names->slots);
    *names = (struct member_names){0};
}
