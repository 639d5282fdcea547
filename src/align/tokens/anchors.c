/* A hash table of a's runs counts them up to "more than one", b's runs are looked up in it; of the runs that
 * are alone in both the longest chain with rising places is kept (patience sorting). */
#include "align/tokens/anchors.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

#define NONE 0u
#define MANY UINT32_MAX

struct anchor_slot {
    uint32_t a;    /* the first run of its kind begins at a - 1; NONE: the slot is free */
    uint32_t b;    /* the run in b begins at b - 1; NONE, or MANY */
    bool repeated; /* in a */
};

static size_t slots_for(size_t runs) {
    size_t slots = 16;
    while (slots < 2 * runs) slots *= 2;
    return slots;
}

stemma_status anchor_finder_init(struct anchor_finder *finder, const struct id_pair *pair,
                                 stemma_error *err) {
    *finder = (struct anchor_finder){.pair = pair};
    finder->slots = mem_alloc(slots_for(pair->a.count) * sizeof *finder->slots);
    return finder->slots ? STEMMA_OK : fail_memory(err);
}

void anchor_finder_release(struct anchor_finder *finder) {
    mem_free(finder->slots);
}

/* The hash of a run that moves along by one token at a time: a polynomial in an odd number. */
struct run_hash {
    uint64_t seed, base, top; /* top: the base to the power of the run's length */
    uint64_t value;
};

static struct run_hash run_hash_begin(uint64_t seed, const uint32_t *ids, size_t length) {
    struct run_hash hash = {.seed = seed, .base = mix64(seed) | 1, .top = 1};
    for (size_t i = 0; i < length; i++) {
        hash.value = hash.value * hash.base + mix64(seed ^ ids[i]);
        hash.top *= hash.base;
    }
    return hash;
}

static void run_hash_move(struct run_hash *hash, uint32_t gone, uint32_t come) {
    hash->value = hash->value * hash->base + mix64(hash->seed ^ come) - mix64(hash->seed ^ gone) * hash->top;
}

/* The slot of a run: the one that holds an equal run of a, or a free one. */
static struct anchor_slot *find_slot(const struct anchor_finder *finder, size_t mask, uint64_t hash,
                                     const uint32_t *run, size_t length) {
    size_t at = mix64(hash) & mask;
    for (;; at = (at + 1) & mask) {
        struct anchor_slot *slot = &finder->slots[at];
        if (slot->a == NONE || !memcmp(finder->pair->a.ids + slot->a - 1, run, length * sizeof *run))
            return slot;
    }
}

static void enter_runs(struct anchor_finder *finder, size_t mask, const struct gap *gap, size_t length) {
    const uint32_t *ids = finder->pair->a.ids;
    struct run_hash hash = run_hash_begin(finder->pair->seed, ids + gap->a_begin, length);
    for (size_t at = gap->a_begin;; at++) {
        struct anchor_slot *slot = find_slot(finder, mask, hash.value, ids + at, length);
        if (slot->a == NONE)
            *slot = (struct anchor_slot){.a = (uint32_t)at + 1};
        else
            slot->repeated = true;
        if (at + length == gap->a_end) return;
        run_hash_move(&hash, ids[at], ids[at + length]);
    }
}

static void look_up_runs(struct anchor_finder *finder, size_t mask, const struct gap *gap, size_t length) {
    const uint32_t *ids = finder->pair->b.ids;
    struct run_hash hash = run_hash_begin(finder->pair->seed, ids + gap->b_begin, length);
    for (size_t at = gap->b_begin;; at++) {
        struct anchor_slot *slot = find_slot(finder, mask, hash.value, ids + at, length);
        if (slot->a != NONE) slot->b = slot->b == NONE ? (uint32_t)at + 1 : MANY;
        if (at + length == gap->b_end) return;
        run_hash_move(&hash, ids[at], ids[at + length]);
    }
}

static bool is_anchor(const struct anchor_slot *slot) {
    return slot->a != NONE && !slot->repeated && slot->b != NONE && slot->b != MANY;
}

/* By their place in a. That every place has at most one lets an array by place do what sorting would. */
static stemma_status collect(const struct anchor_finder *finder, size_t slots, const struct gap *gap,
                             struct anchor_list *out, stemma_error *err) {
    size_t width = gap->a_end - gap->a_begin, count = 0;
    for (size_t i = 0; i < slots; i++) count += is_anchor(&finder->slots[i]);
    if (count == 0) return STEMMA_OK;
    uint32_t *place_in_b = mem_zero(width, sizeof *place_in_b);
    out->anchors = mem_alloc(count * sizeof *out->anchors);
    if (!place_in_b || !out->anchors) {
        mem_free(place_in_b);
        mem_free(out->anchors);
        out->anchors = NULL;
        return fail_memory(err);
    }
    for (size_t i = 0; i < slots; i++)
        if (is_anchor(&finder->slots[i]))
            place_in_b[finder->slots[i].a - 1 - gap->a_begin] = finder->slots[i].b;
    for (size_t i = 0; i < width; i++)
        if (place_in_b[i])
            out->anchors[out->count++] = (struct anchor){(uint32_t)(gap->a_begin + i), place_in_b[i] - 1, 0};
    mem_free(place_in_b);
    return STEMMA_OK;
}

/* ends[k]: the anchor with the smallest place in b that a chain of k + 1 can end with.
 * Returns the longest. */
static size_t build_chains(struct anchor_list *list, uint32_t *ends) {
    struct anchor *anchors = list->anchors;
    size_t longest = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t low = 0, high = longest;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (anchors[ends[middle]].b < anchors[i].b)
                low = middle + 1;
            else
                high = middle;
        }
        anchors[i].before = low ? ends[low - 1] : 0;
        ends[low] = (uint32_t)i;
        if (low == longest) longest++;
    }
    return longest;
}

/* From the end of the longest chain to its beginning; places are taken over from the back, in room that is
 * free. */
static stemma_status keep_longest_chain(struct anchor_list *list, stemma_error *err) {
    if (list->count == 0) return STEMMA_OK;
    uint32_t *chain = mem_alloc(list->count * sizeof *chain);
    if (!chain) return fail_memory(err);
    size_t length = build_chains(list, chain);
    uint32_t at = chain[length - 1];
    for (size_t k = length; k-- > 0; at = list->anchors[at].before) chain[k] = at;
    for (size_t k = 0; k < length; k++) list->anchors[k] = list->anchors[chain[k]];
    list->count = length;
    mem_free(chain);
    return STEMMA_OK;
}

stemma_status anchors_find(struct anchor_finder *finder, const struct gap *gap, size_t length,
                           struct anchor_list *out, stemma_error *err) {
    size_t a_width = gap->a_end - gap->a_begin, b_width = gap->b_end - gap->b_begin,
           slots = slots_for(a_width);
    struct anchor_list found = {0};
    *out = found;
    if (a_width < length || b_width < length) return STEMMA_OK;
    memset(finder->slots, 0, slots * sizeof *finder->slots);
    enter_runs(finder, slots - 1, gap, length);
    look_up_runs(finder, slots - 1, gap, length);
    finder->steps += slots + a_width + b_width;
    TRY(collect(finder, slots, gap, &found, err));
    stemma_status status = keep_longest_chain(&found, err);
    if (status == STEMMA_OK)
        *out = found;
    else
        mem_free(found.anchors);
    return status;
}
