/*
 * A document contained in another shares most of its samples with it: of s samples at least q
 * (join_plan.shared), but for a small loss. So of any s - q + 1 of its samples one is shared, and of s - q +
 * n of them n are. The rarest are taken: their buckets are small, and most often hold nobody else, which
 * settles that the document is contained in none.
 *
 * The samples are read twice in order. First each class learns how many of its samples are in buckets of
 * which size; then it is paired with all others in those of its buckets that it needs, and who is met often
 * enough is a candidate. Samples of more classes than the cap cannot be counted. Only a class that has too
 * few others needs them: they pair it with the first few of each such bucket in keep order, where the long
 * documents stand.
 *
 * A class with very many samples looks up a part only, by the value of the sample, but is found by all.
 *
 * Buckets do not depend on each other, so each reading is done in slices of the keys, by any thread.
 */
#include "join/samples.h"

#include "base/alloc.h"
#include "join/buckets.h"
#include "kernels/kernels.h"
#include "sketch/keyer.h"

#include <stdatomic.h>

/* Samples that a class looks up, on average, when it has more. */
#define QUERIES 32

/* Sizes of buckets: 1, 2, 4, ... at most; then those that are full. */
enum { SIZES = 9, FULL = SIZES };

/* Two that are met: the first in keep order is the key; the value is the second,
 * and which of them needs it. */
enum { SECOND_NEEDS = 1, FIRST_NEEDS = 2, NEEDS_BITS = 2 };

_Static_assert(QUERIES <= UINT8_MAX, "all that a class looks up can be counted");
_Static_assert(SECOND_NEEDS << 1 == CANDIDATE_SECOND_IN_FIRST &&
                   FIRST_NEEDS << 1 == CANDIDATE_FIRST_IN_SECOND,
               "who needs it may be contained");

struct class_samples {
    uint16_t reach; /* samples with larger upper bits are not looked up */
    union {
        _Atomic uint8_t of_size[SIZES + 1]; /* while they are counted: its samples in buckets of each size */
        struct {
            uint8_t largest; /* size of buckets that are needed; 0: none */
            bool full;       /* full buckets are needed, too */
        };
    };
};

static int size_index(size_t size) {
    int index = 0;
    while (index < SIZES - 1 && size > (size_t)1 << index) index++;
    return index;
}

/* ---- what each class looks up ---- */

static bool looks_up(const struct class_samples *class, uint64_t sample) {
    return sample >> (KEY_SAMPLE_BITS - 16) <= class->reach;
}

static void set_reach(struct samples *s) {
    for (uint32_t i = 0; i < s->input->count; i++) {
        uint64_t samples = s->input->sample_counts[i];
        bool part = samples > QUERIES;
        s->classes[i].reach = (uint16_t)(part ? UINT16_MAX * QUERIES / samples : UINT16_MAX);
        s->in_part[i / 64] |= (uint64_t)part << i % 64;
    }
}

static bool looks_up_part(const struct samples *s, uint32_t class) {
    return s->in_part[class / 64] >> class % 64 & 1;
}

/* ---- first reading ---- */

/* Never beyond the largest number: what threads add at once must not come out differently. */
static void add_one(_Atomic uint8_t *counter) {
    uint8_t before = atomic_load_explicit(counter, memory_order_relaxed);
    while (before < UINT8_MAX &&
           !atomic_compare_exchange_weak_explicit(counter, &before, before + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

/* Most samples are of one class. Where it looks up all it has, those are what the others leave: they need not
 * be counted, and its counters, which lie anywhere in memory, are not touched. */
static void count_bucket(struct samples *s, const struct buckets *bucket) {
    const int size = bucket->full ? FULL : size_index(bucket->count);
    const bool left = size == 0 && !looks_up_part(s, bucket_class(bucket, 0));
    for (size_t i = 0; i < bucket->count; i++) {
        struct class_samples *class = &s->classes[bucket_class(bucket, i)];
        uint32_t ahead;
        if (bucket_ahead(bucket, i, &ahead)) __builtin_prefetch(&s->classes[ahead]);
        if (!left && looks_up(class, bucket->key)) add_one(&class->of_size[size]);
    }
}

/* Keeps the smallest, ascending. */
static void heads_see(uint32_t *heads, size_t few, uint32_t rank) {
    if (rank >= heads[few - 1]) return;
    size_t place = few - 1;
    for (; place > 0 && heads[place - 1] > rank; place--) heads[place] = heads[place - 1];
    heads[place] = rank;
}

static bool heads_add(struct buf *buf, uint32_t *heads, size_t few) {
    for (size_t i = 0; i < few; i++)
        if (!buf_add_u32(buf, heads[i])) return false;
    return true;
}

static void heads_clear(uint32_t *heads, size_t few) {
    for (size_t i = 0; i < few; i++) heads[i] = UINT32_MAX;
}

static stemma_status count_all(struct samples *s, struct buckets *buckets, struct buf *all_heads,
                               stemma_error *err) {
    const size_t few = s->plan->few;
    uint32_t heads[JOIN_FEW];
    bool more = true, pending = false;
    for (;;) {
        TRY(buckets_next(buckets, &more, err));
        if (pending && (!more || buckets->begun)) {
            if (!heads_add(all_heads, heads, few)) return fail_memory(err);
            pending = false;
        }
        if (!more) return STEMMA_OK;
        count_bucket(s, buckets);
        if (!buckets->full) continue;
        if (buckets->begun) heads_clear(heads, few);
        for (size_t i = 0; i < buckets->count; i++)
            heads_see(heads, few, s->input->rank[bucket_class(buckets, i)]);
        pending = true;
    }
}

/* ---- what each class needs ---- */

static void count_alone(const struct samples *s, uint32_t class) {
    _Atomic uint8_t *of_size = s->classes[class].of_size;
    unsigned others = 0;
    for (int i = 1; i <= FULL; i++) others += of_size[i];
    if (!looks_up_part(s, class)) of_size[0] = (uint8_t)(s->input->sample_counts[class] - others);
}

/* The smallest buckets that hold more samples than may be missing. */
static void decide(const struct join_plan *plan, struct class_samples *class, uint8_t *need) {
    unsigned samples = 0, taken = class->of_size[0];
    uint8_t size = 0;
    for (int i = 0; i <= FULL; i++) samples += class->of_size[i];
    const unsigned missing =
        samples - plan->sharing.shared[samples < SHARING_SAMPLES ? samples : SHARING_SAMPLES];
    while (taken <= missing && size + 1 < SIZES) taken += class->of_size[++size];
    *need = (uint8_t)(taken <= missing ? 1 : taken - missing < UINT8_MAX ? taken - missing : UINT8_MAX);
    class->largest = samples == 0 ? 0 : size;
    class->full = samples > 0 && taken <= missing;
}

static void decide_all(struct samples *s) {
    for (uint32_t i = 0; i < s->input->count; i++) {
        count_alone(s, i);
        decide(s->plan, &s->classes[i], &s->need[s->input->rank[i]]);
    }
}

bool samples_needs_full(const struct samples *s, uint32_t class) {
    return s->classes[class].full;
}

/* ---- second reading ---- */

/* One thread's, of one slice. */
struct meeting {
    struct samples *samples;
    struct outlet met;
    struct join_counts *counts;
    uint32_t *ranks; /* of a bucket; */
    uint8_t *needs;  /* whether each is looking for those that contain it */
};

static stemma_status meet(struct meeting *m, uint32_t one, uint32_t other, bool one_needs, bool other_needs,
                          stemma_error *err) {
    if (one == other) return STEMMA_OK;
    const bool swap = one > other;
    const uint64_t first = swap ? other : one, second = swap ? one : other;
    const uint64_t needs = (uint64_t)(swap ? other_needs : one_needs) * FIRST_NEEDS +
                           (uint64_t)(swap ? one_needs : other_needs) * SECOND_NEEDS;
    m->counts->shared++;
    return outlet_add(&m->met, first, second << NEEDS_BITS | needs, err);
}

static stemma_status meet_others(struct meeting *m, size_t count, size_t one, stemma_error *err) {
    for (size_t k = 0; k < count; k++)
        if (k > one || !m->needs[k]) /* else they have met when it was that one's turn */
            TRY(meet(m, m->ranks[one], m->ranks[k], true, m->needs[k], err));
    return STEMMA_OK;
}

static stemma_status meet_bucket(struct meeting *m, const struct buckets *bucket, stemma_error *err) {
    const struct samples *s = m->samples;
    const int size = size_index(bucket->count);
    for (size_t i = 0; i < bucket->count; i++) {
        const struct class_samples *class = &s->classes[bucket_class(bucket, i)];
        m->ranks[i] = s->input->rank[bucket_class(bucket, i)];
        m->needs[i] = class->largest >= size && looks_up(class, bucket->key);
    }
    for (size_t i = 0; i < bucket->count; i++)
        if (m->needs[i]) TRY(meet_others(m, bucket->count, i, err));
    return STEMMA_OK;
}

static stemma_status meet_heads(struct meeting *m, const struct buckets *bucket, const uint8_t *heads,
                                stemma_error *err) {
    const struct samples *s = m->samples;
    for (size_t i = 0; i < bucket->count; i++) {
        const struct class_samples *class = &s->classes[bucket_class(bucket, i)];
        if (!class->full || !looks_up(class, bucket->key)) continue;
        for (size_t k = 0; k < s->plan->few; k++) {
            uint32_t head = load_u32(heads + 4 * k);
            if (head != UINT32_MAX)
                TRY(meet(m, s->input->rank[bucket_class(bucket, i)], head, true, false, err));
        }
    }
    return STEMMA_OK;
}

static stemma_status meet_all(struct meeting *m, struct buckets *buckets, const uint8_t *heads,
                              stemma_error *err) {
    const size_t heads_size = 4 * m->samples->plan->few;
    size_t full = 0;
    for (;;) {
        bool more;
        TRY(buckets_next(buckets, &more, err));
        if (!more) break;
        full += buckets->full && buckets->begun;
        if (buckets->full)
            TRY(meet_heads(m, buckets, heads + (full - 1) * heads_size, err));
        else if (buckets->count > 1)
            TRY(meet_bucket(m, buckets, err));
    }
    m->counts->full_samples += full;
    return outlet_flush(&m->met, err);
}

/* ---- who is met often enough ---- */

static bool sizes_allow(const struct samples *s, uint32_t x, uint32_t y, uint64_t agree) {
    return sharing_sizes_allow(&s->plan->sharing, s->input->sizes[x], s->input->sizes[y], agree);
}

static uint64_t kinds_allowed(const struct samples *s, uint32_t first, uint32_t second, uint64_t kinds) {
    if (!s->class_at) return kinds;
    const struct join_plan *plan = s->plan;
    const uint32_t x = s->class_at[first], y = s->class_at[second];
    uint64_t agree = kernels_get()->equal_fields(
        s->input->keys + x * plan->key_bytes, s->input->keys + y * plan->key_bytes, plan->minima, KEY_BITS);
    if (!sizes_allow(s, x, y, agree)) kinds &= ~(uint64_t)CANDIDATE_FIRST_IN_SECOND;
    if (!sizes_allow(s, y, x, agree)) kinds &= ~(uint64_t)CANDIDATE_SECOND_IN_FIRST;
    return kinds;
}

/* Two of which one may be contained in the other, and how often each has met who would contain it. */
struct couple {
    uint32_t first, second;
    size_t first_met, second_met;
};

static stemma_status give(struct samples *s, struct outlet *outlet, const struct couple *c,
                          struct join_counts *counts, stemma_error *err) {
    uint64_t kinds = (c->first_met >= s->need[c->first] ? CANDIDATE_FIRST_IN_SECOND : 0) |
                     (c->second_met >= s->need[c->second] ? CANDIDATE_SECOND_IN_FIRST : 0);
    if (kinds) kinds = kinds_allowed(s, c->first, c->second, kinds);
    if (!kinds) return STEMMA_OK;
    counts->containing++;
    return outlet_add(outlet, pair_key(c->first, c->second), kinds, err);
}

static stemma_status give_all(struct samples *s, struct sorter_cursor *cursor, struct outlet *outlet,
                              struct join_counts *counts, stemma_error *err) {
    struct record batch[512];
    struct couple couple = {0};
    size_t count;
    do {
        TRY(sorter_next(cursor, batch, sizeof batch / sizeof *batch, &count, err));
        for (size_t i = 0; i < count; i++) {
            const uint32_t first = (uint32_t)batch[i].key, second = (uint32_t)(batch[i].value >> NEEDS_BITS);
            if (first != couple.first || second != couple.second) {
                TRY(give(s, outlet, &couple, counts, err));
                couple = (struct couple){.first = first, .second = second};
            }
            couple.first_met += (batch[i].value & FIRST_NEEDS) > 0;
            couple.second_met += (batch[i].value & SECOND_NEEDS) > 0;
        }
    } while (count > 0);
    return give(s, outlet, &couple, counts, err);
}

/* ---- the stages ---- */

/* Worth a task of its own; where records are on disk, each slice costs the opening of all runs. */
#define SLICE_RECORDS 16384

static uint32_t slices_for(uint64_t records) {
    uint32_t slices = 1;
    while (slices < SAMPLE_SLICES && slices * (uint64_t)SLICE_RECORDS < records) slices *= 2;
    return slices;
}

static uint32_t first_part(uint32_t slice, uint32_t slices) {
    return slice * (SORTER_PARTS / slices);
}

static stemma_status open_slice(const struct samples *s, uint32_t slice, bool shared, struct buckets *buckets,
                                stemma_error *err) {
    return buckets_open(buckets, s->input->samples, first_part(slice, s->slices),
                        first_part(slice + 1, s->slices), s->plan->cap, shared, err);
}

stemma_status samples_count(struct samples *s, uint32_t slice, stemma_error *err) {
    struct buckets buckets;
    stemma_status status = open_slice(s, slice, false, &buckets, err);
    if (status == STEMMA_OK) status = count_all(s, &buckets, &s->heads[slice], err);
    buckets_close(&buckets);
    return status;
}

static int bits_of(uint32_t count) {
    int bits = SORTER_PART_BITS + 1; /* the least that a sorter takes */
    while (bits < 32 && count > UINT32_C(1) << bits) bits++;
    return bits;
}

stemma_status samples_decide(struct samples *s, stemma_error *err) {
    const struct join_input *input = s->input;
    struct sorter_options options = {.memory = input->memory ? input->memory : JOIN_MEMORY,
                                     .directory = input->directory,
                                     .stop = input->stop,
                                     .threads = input->threads,
                                     .key_bits = bits_of(input->count)};
    decide_all(s);
    return sorter_new(&options, &s->met, err);
}

stemma_status samples_meet(struct samples *s, uint32_t slice, struct join_counts *counts, stemma_error *err) {
    struct meeting m = {.samples = s, .met.sorter = s->met, .counts = counts};
    struct buckets buckets;
    m.ranks = mem_alloc(s->plan->cap * sizeof *m.ranks);
    m.needs = mem_alloc(s->plan->cap * sizeof *m.needs);
    stemma_status status = open_slice(s, slice, true, &buckets, err);
    if (status == STEMMA_OK && !(m.ranks && m.needs)) status = fail_memory(err);
    if (status == STEMMA_OK) status = meet_all(&m, &buckets, s->heads[slice].data, err);
    buckets_close(&buckets);
    mem_free(m.ranks);
    mem_free(m.needs);
    return status;
}

stemma_status samples_settle(struct samples *s, struct join_counts *counts, stemma_error *err) {
    TRY(sorter_finish(s->met, err));
    s->met_slices = slices_for(sorter_count(s->met));
    counts->spilled += sorter_spilled(s->met);
    return STEMMA_OK;
}

stemma_status samples_give(struct samples *s, uint32_t slice, struct outlet *outlet,
                           struct join_counts *counts, stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    TRY(sorter_read_parts(s->met, first_part(slice, s->met_slices), first_part(slice + 1, s->met_slices),
                          &cursor, err));
    stemma_status status = give_all(s, cursor, outlet, counts, err);
    sorter_cursor_free(cursor);
    return status;
}

/* ---- beginning and end ---- */

static stemma_status list_ranks(struct samples *s, stemma_error *err) {
    const struct join_input *input = s->input;
    s->class_at = mem_alloc(input->count * sizeof *s->class_at);
    if (!s->class_at) return fail_memory(err);
    mem_scattered(s->class_at, input->count * sizeof *s->class_at);
    for (uint32_t i = 0; i < input->count; i++) s->class_at[input->rank[i]] = i;
    return STEMMA_OK;
}

stemma_status samples_init(struct samples *s, const struct join_plan *plan, const struct join_input *input,
                           stemma_error *err) {
    *s = (struct samples){.plan = plan, .input = input, .slices = slices_for(sorter_count(input->samples))};
    s->classes = mem_zero(input->count, sizeof *s->classes);
    s->need = mem_zero(input->count, sizeof *s->need);
    s->in_part = mem_zero(input->count / 64 + 1, sizeof *s->in_part);
    if (!s->classes || !s->need || !s->in_part) return fail_memory(err);
    mem_scattered(s->classes, input->count * sizeof *s->classes);
    if (input->sizes) TRY(list_ranks(s, err));
    set_reach(s);
    return STEMMA_OK;
}

void samples_release(struct samples *s) {
    sorter_free(s->met);
    for (size_t i = 0; i < SAMPLE_SLICES; i++) buf_release(&s->heads[i]);
    mem_free(s->need);
    mem_free(s->in_part);
    mem_free(s->class_at);
    mem_free(s->classes);
}
