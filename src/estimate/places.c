#include "estimate/places.h"

#include "base/alloc.h"

#include <string.h>
#include <sys/random.h>

enum { LEAST_BITS = 6, MOST_BITS = 32 };

void places_init(struct places *places) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) !=
        sizeof number) /* then hostile texts may be slow, not wrong */
        number = UINT64_C(0x9e3779b97f4a7c15);
    *places = (struct places){.multiplier = number | 1};
}

void places_release(struct places *places) {
    mem_free(places->slots);
    mem_free(places->repeats);
    *places = (struct places){0};
}

/* At least twice as many slots as fingerprints. */
static bool make_slots(struct places *places, size_t count) {
    int bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < 2 * count) bits++;
    size_t slots = (size_t)1 << bits;
    if (!mem_grow((void **)&places->slots, &places->slot_cap, slots, sizeof *places->slots)) return false;
    memset(places->slots, 0, slots * sizeof *places->slots);
    places->mask = slots - 1;
    places->shift = 64 - bits;
    return true;
}

/* Repeated passages are kept as such: a document that repeats itself has few of them. */
static bool add_repeat(struct places *places, size_t at, size_t first) {
    struct repeat *last = places->repeat_count ? &places->repeats[places->repeat_count - 1] : NULL;
    if (last && last->at + last->count == at && last->first + last->count == first) {
        last->count++;
        return true;
    }
    if (!mem_grow((void **)&places->repeats, &places->repeat_cap, places->repeat_count + 1,
                  sizeof *places->repeats))
        return false;
    places->repeats[places->repeat_count++] = (struct repeat){(uint32_t)at, (uint32_t)first, 1};
    return true;
}

stemma_status places_set(struct places *places, const uint64_t *fp, size_t count, stemma_error *err) {
    size_t repeated = 0;
    places->fp = fp;
    places->distinct = places->repeat_count = 0;
    if (count >= UINT32_MAX / 2)
        return fail(err, STEMMA_INVALID, "a text of %zu shingles is too long for memory", count);
    if (!make_slots(places, count)) return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        size_t slot = places_slot(places, fp[i]);
        while (places->slots[slot] && fp[places->slots[slot] - 1] != fp[i]) slot = (slot + 1) & places->mask;
        if (places->slots[slot] == 0) {
            places->slots[slot] = (uint32_t)i + 1;
        } else {
            repeated++;
            if (!add_repeat(places, i, places->slots[slot] - 1)) return fail_memory(err);
        }
    }
    places->distinct = count - repeated;
    return STEMMA_OK;
}
