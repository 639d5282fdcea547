/*
 * A document contained in another shares most of its samples with it: of s samples at least q
 * (join_plan.shared), but for a small loss. So of any s - q + 1 of its samples one is shared, and of s - q +
 * n of them n are. The rarest are taken: their buckets are small, and most often hold nobody else, which
 * settles that the document is contained in none.
 *
 * The samples are read twice in order. First each class learns how many of its samples are in buckets of
 * which size; then it is paired with all others in those of its buckets that it needs, and who is met often
 * enough is a candidate. Samples of more classes than the cap cannot be counted. Only a class that has too
 * few others needs them: they pair it with the first few of the bucket in keep order, where the long
 * documents stand.
 *
 * A class with very many samples looks up a part only, by the value of the sample, but is found by all.
 */
#include "join/samples.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "join/buckets.h"
#include "join/keys.h"
#include "kernels/kernels.h"

/* Samples that a class looks up, on average, when it has more. */
#define QUERIES 32

/* Sizes of buckets: 1, 2, 4, ... at most; then those that are full. */
enum { SIZES = 9, FULL = SIZES };

struct class_samples {
    uint16_t reach; /* samples with larger upper bits are not looked up */
    union {
        uint8_t of_size[SIZES + 1]; /* while they are counted: its samples in buckets of each size */
        struct {
            uint8_t largest; /* size of buckets that are needed; 0: none */
            uint8_t full;    /* full buckets that are needed */
        };
    };
};

struct samples_join {
    const struct join_plan *plan;
    const struct join_input *input;
    struct class_samples *classes;
    uint8_t *need;      /* by rank: how often a class that contains it is met at least */
    uint32_t *class_at; /* rank; NULL when sizes are not known */
    struct buf heads;   /* the first few ranks of each full bucket, in order */
    struct sorter *met;
    struct join_counts *counts;
};

static int size_index(size_t size) {
    int index = 0;
    while (index < SIZES - 1 && size > (size_t)1 << index) index++;
    return index;
}

/* ---- what each class looks up ---- */

static bool looks_up(const struct class_samples *class, uint64_t sample) {
    return sample >> (JOIN_SAMPLE_BITS - 16) <= class->reach;
}

static void set_reach(struct samples_join *join) {
    for (uint32_t i = 0; i < join->input->count; i++) {
        uint64_t samples = join->input->sample_counts[i];
        join->classes[i].reach = (uint16_t)(samples <= QUERIES ? UINT16_MAX : UINT16_MAX * QUERIES / samples);
    }
}

/* ---- first reading ---- */

static void count_bucket(struct samples_join *join, const struct buckets *bucket) {
    const int size = bucket->full ? FULL : size_index(bucket->count);
    for (size_t i = 0; i < bucket->count; i++) {
        struct class_samples *class = &join->classes[bucket->classes[i]];
        if (looks_up(class, bucket->key)) class->of_size[size] += class->of_size[size] < UINT8_MAX;
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

static stemma_status count_all(struct samples_join *join, struct buckets *buckets, stemma_error *err) {
    const size_t few = join->plan->few;
    uint32_t heads[JOIN_FEW];
    bool more = true, pending = false;
    for (;;) {
        TRY(buckets_next(buckets, &more, err));
        if (pending && (!more || buckets->begun)) {
            if (!heads_add(&join->heads, heads, few)) return fail_memory(err);
            pending = false;
        }
        if (!more) return STEMMA_OK;
        count_bucket(join, buckets);
        if (!buckets->full) continue;
        if (buckets->begun) heads_clear(heads, few);
        for (size_t i = 0; i < buckets->count; i++)
            heads_see(heads, few, join->input->rank[buckets->classes[i]]);
        pending = true;
    }
}

/* ---- what each class needs ---- */

/* The smallest buckets that hold more samples than may be missing. */
static void decide(const struct join_plan *plan, struct class_samples *class, uint8_t *need) {
    unsigned samples = 0, taken = class->of_size[0];
    uint8_t size = 0;
    for (int i = 0; i <= FULL; i++) samples += class->of_size[i];
    const unsigned missing = samples - plan->shared[samples < JOIN_QUERIES ? samples : JOIN_QUERIES];
    while (taken <= missing && size + 1 < SIZES) taken += class->of_size[++size];
    *need = (uint8_t)(taken <= missing ? 1 : taken - missing < UINT8_MAX ? taken - missing : UINT8_MAX);
    class->largest = samples == 0 ? 0 : size;
    class->full = (uint8_t)(samples == 0 || taken > missing ? 0 : missing + 1 - taken);
}

static void decide_all(struct samples_join *join) {
    for (uint32_t i = 0; i < join->input->count; i++)
        decide(join->plan, &join->classes[i], &join->need[join->input->rank[i]]);
}

/* ---- second reading ---- */

static stemma_status meet(struct samples_join *join, struct outlet *outlet, uint32_t contained,
                          uint32_t other, stemma_error *err) {
    if (contained == other) return STEMMA_OK;
    join->counts->shared++;
    return outlet_add(outlet, pair_key(contained, other),
                      contained > other ? CANDIDATE_SECOND_IN_FIRST : CANDIDATE_FIRST_IN_SECOND, err);
}

static stemma_status meet_bucket(struct samples_join *join, struct outlet *outlet,
                                 const struct buckets *bucket, stemma_error *err) {
    const uint32_t *rank = join->input->rank;
    const int size = size_index(bucket->count);
    for (size_t i = 0; i < bucket->count; i++) {
        const struct class_samples *class = &join->classes[bucket->classes[i]];
        if (class->largest < size || !looks_up(class, bucket->key)) continue;
        for (size_t k = 0; k < bucket->count; k++)
            TRY(meet(join, outlet, rank[bucket->classes[i]], rank[bucket->classes[k]], err));
    }
    return STEMMA_OK;
}

static stemma_status meet_heads(struct samples_join *join, struct outlet *outlet,
                                const struct buckets *bucket, const uint8_t *heads, stemma_error *err) {
    for (size_t i = 0; i < bucket->count; i++) {
        struct class_samples *class = &join->classes[bucket->classes[i]];
        if (class->full == 0 || !looks_up(class, bucket->key)) continue;
        class->full--;
        for (size_t k = 0; k < join->plan->few; k++) {
            uint32_t head = load_u32(heads + 4 * k);
            if (head != UINT32_MAX) TRY(meet(join, outlet, join->input->rank[bucket->classes[i]], head, err));
        }
    }
    return STEMMA_OK;
}

static stemma_status meet_all(struct samples_join *join, struct buckets *buckets, stemma_error *err) {
    struct outlet outlet = {.sorter = join->met};
    const uint8_t *heads = join->heads.data;
    for (;;) {
        bool more;
        TRY(buckets_next(buckets, &more, err));
        if (!more) return outlet_flush(&outlet, err);
        if (!buckets->full) {
            if (buckets->count > 1) TRY(meet_bucket(join, &outlet, buckets, err));
            continue;
        }
        if (buckets->begun) join->counts->full_samples++;
        size_t before = (size_t)(join->counts->full_samples - 1) * join->plan->few * 4;
        TRY(meet_heads(join, &outlet, buckets, heads + before, err));
    }
}

/* ---- who is met often enough ---- */

static double size_error(const struct samples_join *join, uint32_t class) {
    return join->input->sizes[class] <= JOIN_COUNTED ? JOIN_COUNTED_ERROR : join->plan->size_error;
}

/* Two documents of about one size cannot have few minima in common when one contains the other. */
static bool sizes_allow(const struct samples_join *join, uint32_t contained, uint32_t other) {
    if (!join->class_at) return true;
    const struct join_plan *plan = join->plan;
    const uint32_t x = join->class_at[contained], y = join->class_at[other];
    uint64_t agree =
        kernels_get()->equal_fields(join->input->keys + x * plan->key_bytes,
                                    join->input->keys + y * plan->key_bytes, plan->minima, plan->bits);
    double most = (double)join->input->sizes[y] * size_error(join, x) * size_error(join, y);
    return most >= (double)plan->least_ratio[agree] * join->input->sizes[x];
}

static stemma_status give(struct samples_join *join, struct outlet *outlet, const struct record *met,
                          size_t times, stemma_error *err) {
    uint32_t first = (uint32_t)(met->key >> 32), second = (uint32_t)met->key;
    bool second_in_first = met->value == CANDIDATE_SECOND_IN_FIRST;
    uint32_t contained = second_in_first ? second : first, other = second_in_first ? first : second;
    if (times < join->need[contained] || !sizes_allow(join, contained, other)) return STEMMA_OK;
    join->counts->containing++;
    return outlet_add(outlet, met->key, met->value, err);
}

static stemma_status give_all(struct samples_join *join, struct sorter_cursor *cursor, struct outlet *outlet,
                              stemma_error *err) {
    struct record batch[512], last = {0};
    size_t count, times = 0;
    do {
        TRY(sorter_next(cursor, batch, sizeof batch / sizeof *batch, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (times > 0 && (batch[i].key != last.key || batch[i].value != last.value)) {
                TRY(give(join, outlet, &last, times, err));
                times = 0;
            }
            last = batch[i];
            times++;
        }
    } while (count > 0);
    return times > 0 ? give(join, outlet, &last, times, err) : STEMMA_OK;
}

/* ---- all of it ---- */

typedef stemma_status reading(struct samples_join *join, struct buckets *buckets, stemma_error *err);

static stemma_status read_all(struct samples_join *join, reading *read, stemma_error *err) {
    struct buckets buckets;
    stemma_status status = buckets_open(&buckets, join->input->samples, join->plan->cap, err);
    if (status == STEMMA_OK) status = read(join, &buckets, err);
    buckets_close(&buckets);
    return status;
}

static stemma_status give_met(struct samples_join *join, struct outlet *outlet, stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    TRY(sorter_finish(join->met, err));
    TRY(sorter_read(join->met, &cursor, err));
    stemma_status status = give_all(join, cursor, outlet, err);
    sorter_cursor_free(cursor);
    join->counts->spilled += sorter_spilled(join->met);
    return status;
}

static stemma_status list_ranks(struct samples_join *join, stemma_error *err) {
    const struct join_input *input = join->input;
    join->class_at = mem_alloc(input->count * sizeof *join->class_at);
    if (!join->class_at) return fail_memory(err);
    for (uint32_t i = 0; i < input->count; i++) join->class_at[input->rank[i]] = i;
    return STEMMA_OK;
}

static stemma_status run(struct samples_join *join, struct outlet *outlet, stemma_error *err) {
    const struct join_input *input = join->input;
    join->classes = mem_zero(input->count, sizeof *join->classes);
    join->need = mem_zero(input->count, sizeof *join->need);
    if (!join->classes || !join->need) return fail_memory(err);
    if (input->sizes) TRY(list_ranks(join, err));
    set_reach(join);
    TRY(read_all(join, count_all, err));
    decide_all(join);
    struct sorter_options options = {.memory = input->memory ? input->memory : JOIN_MEMORY,
                                     .directory = input->directory,
                                     .stop = input->stop,
                                     .threads = 1};
    TRY(sorter_new(&options, &join->met, err));
    TRY(read_all(join, meet_all, err));
    return give_met(join, outlet, err);
}

stemma_status samples_join(const struct join_plan *plan, const struct join_input *input,
                           struct outlet *outlet, struct join_counts *counts, stemma_error *err) {
    struct samples_join join = {.plan = plan, .input = input, .counts = counts};
    stemma_status status = run(&join, outlet, err);
    if (join.met) sorter_free(join.met);
    buf_release(&join.heads);
    mem_free(join.need);
    mem_free(join.class_at);
    mem_free(join.classes);
    return status;
}
