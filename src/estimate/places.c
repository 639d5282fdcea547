#include "estimate/places.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>
#include <sys/random.h>

enum {
    MEAN = 3,   /* fingerprints to a group: one group in 260 overflows. Of four, one in 50 would. */
    AHEAD = 24, /* the table of a long text is not in the nearest caches: groups are fetched so long before */
    LONG = 32768 /* fingerprints: of fewer, fetching costs more than waiting */
};

/* Without a random number hostile texts may be slow to compare, but not wrong. */
void places_init(struct places *places) {
    uint64_t number;
    bool random = getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number;
    *places = (struct places){.multiplier = random ? number | 1 : MIX64_MULTIPLIER};
}

void places_release(struct places *places) {
    mem_free(places->tags);
    mem_free(places->positions);
    mem_free(places->repeats);
    *places = (struct places){0};
}

static bool make_slots(struct places *places, size_t count) {
    size_t groups = count / MEAN + 1;
    if (!mem_grow((void **)&places->tags, &places->tag_cap, groups, sizeof *places->tags)) return false;
    if (!mem_grow((void **)&places->positions, &places->position_cap, groups * PLACES_GROUP,
                  sizeof *places->positions))
        return false;
    memset(places->tags, 0, groups * sizeof *places->tags);
    places->groups = groups;
    return true;
}

static void take_slot(const struct places *places, const struct probe *end, size_t position) {
    size_t slot = (size_t)__builtin_ctzll(~end->tags & PLACES_TOPS) / 8;
    places->tags[end->group] = end->tags | (end->tag & UINT64_C(0xff) << 8 * slot);
    places->positions[end->group * PLACES_GROUP + slot] = (uint32_t)position;
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

/* Inlined with a constant `ahead`. */
static inline stemma_status enter_from(struct places *places, size_t begin, size_t end, size_t ahead,
                                       stemma_error *err) {
    const struct places table = *places; /* which no store can change, unlike what a pointer points to */
    struct probe slot;
    for (size_t i = begin; i < end; i++) {
        if (ahead) places_fetch(&table, table.fp[i + ahead]);
        size_t first = places_probe(&table, table.fp[i], &slot);
        if (first == PLACES_NONE) {
            take_slot(&table, &slot, i);
        } else {
            places->distinct--;
            if (!add_repeat(places, i, first)) return fail_memory(err);
        }
    }
    return STEMMA_OK;
}

static stemma_status enter_all(struct places *places, size_t count, stemma_error *err) {
    size_t fetched = count >= LONG ? count - AHEAD : 0;
    TRY(enter_from(places, 0, fetched, AHEAD, err));
    return enter_from(places, fetched, count, 0, err);
}

stemma_status places_set(struct places *places, const uint64_t *fp, size_t count, stemma_error *err) {
    places->fp = fp;
    places->distinct = count;
    places->repeat_count = 0;
    if (count > UINT32_MAX)
        return fail(err, STEMMA_INVALID, "a text of %zu shingles is too long for memory", count);
    if (!make_slots(places, count)) return fail_memory(err);
    return enter_all(places, count, err);
}
