/*
 * Each band is sorted by a hash of its rows: classes with equal rows stand side by side, in a bucket. In a
 * bucket all are compared with each other, or, when it is larger than the cap, all with the first few in keep
 * order.
 *
 * A pair with several bands in common is looked at in the lowest. Where that bucket is too large, a later one
 * may still be small enough, which is known only when all bands have been through: classes in large buckets
 * are marked, and go through the bands a second time, among themselves.
 */
#include "join/bands.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/sort.h"
#include "kernels/kernels.h"

#include <string.h>

_Static_assert(KEY_MINIMA / 2 <= 64, "a bit per band, of at least two rows");

stemma_status bands_init(struct bands *bands, const struct join_plan *plan, const struct join_input *input,
                         stemma_error *err) {
    *bands =
        (struct bands){.plan = plan, .input = input, .full = mem_zero(input->count, sizeof *bands->full)};
    return bands->full ? STEMMA_OK : fail_memory(err);
}

void bands_release(struct bands *bands) {
    mem_free(bands->full);
}

void band_worker_init(struct band_worker *worker, struct sorter *pairs) {
    worker->outlet.sorter = pairs;
    worker->outlet.count = 0;
    worker->counts = (struct join_counts){0};
}

void band_worker_release(struct band_worker *worker) {
    mem_free(worker->entries);
    mem_free(worker->scratch);
}

/* ---- rows ---- */

static const uint8_t *keys_of(const struct bands *bands, uint32_t class) {
    return bands->input->keys + (size_t)class * bands->plan->key_bytes;
}

/* 0 where bands have none. */
static uint8_t check_of(const struct join_plan *plan, const uint8_t *keys, uint32_t band) {
    return plan->checks ? keys[plan->minima + band] : 0;
}

static uint64_t entry_of(const struct bands *bands, uint32_t class, uint32_t band) {
    const size_t size = bands->plan->rows;
    const uint8_t *keys = keys_of(bands, class), *rows = keys + band * size;
    uint64_t hash = (uint64_t)check_of(bands->plan, keys, band) << 56;
    for (size_t at = 0; at < size; at += 8) {
        uint8_t word[8] = {0};
        memcpy(word, rows + at, size - at < 8 ? size - at : 8);
        hash = mix64(hash ^ load_u64(word)) + 1;
    }
    return (hash & UINT64_C(0xffffffff00000000)) | class;
}

static bool band_agrees(const struct bands *bands, const uint8_t *a, const uint8_t *b, uint32_t band) {
    const struct join_plan *plan = bands->plan;
    return memcmp(a + band * plan->rows, b + band * plan->rows, plan->rows) == 0 &&
           check_of(plan, a, band) == check_of(plan, b, band);
}

/* ---- pairs ---- */

enum pass { FIRST, AGAIN, FULL };

/* Whether this band is the one in which the pair is added: the lowest that agrees, or, when that was full,
 * the lowest that was not. */
static bool is_place(const struct bands *bands, uint32_t a, const uint8_t *a_keys, const uint8_t *b_keys,
                     uint32_t band, enum pass pass) {
    if (pass == FULL) return true;
    const uint64_t full = pass == AGAIN ? bands->full[a] : 0;
    bool any = false;
    for (uint32_t before = 0; before < band; before++) {
        if (!band_agrees(bands, a_keys, b_keys, before)) continue;
        if (!(full >> before & 1)) return false;
        any = true;
    }
    return any == (pass == AGAIN);
}

static stemma_status look(const struct bands *bands, struct band_worker *worker, uint32_t a, uint32_t b,
                          uint32_t band, enum pass pass, stemma_error *err) {
    const struct join_plan *plan = bands->plan;
    const uint8_t *a_keys = keys_of(bands, a), *b_keys = keys_of(bands, b);
    worker->counts.looked++;
    if (kernels_get()->equal_fields(a_keys, b_keys, plan->minima, KEY_BITS) < plan->agree) return STEMMA_OK;
    if (!is_place(bands, a, a_keys, b_keys, band, pass)) return STEMMA_OK;
    worker->counts.resembling++;
    const uint32_t *rank = bands->input->rank;
    return outlet_add(&worker->outlet, pair_key(rank[a], rank[b]), CANDIDATE_RESEMBLES, err);
}

/* ---- buckets ---- */

static stemma_status join_small(const struct bands *bands, struct band_worker *worker, const uint64_t *bucket,
                                size_t count, uint32_t band, enum pass pass, stemma_error *err) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            TRY(look(bands, worker, (uint32_t)bucket[j], (uint32_t)bucket[i], band, pass, err));
    return STEMMA_OK;
}

/* Moves the first few in keep order to the front. */
static void few_to_front(uint64_t *bucket, size_t count, const uint32_t *rank, size_t few) {
    for (size_t i = 0; i < count; i++) {
        uint64_t entry = bucket[i];
        size_t place = i < few ? i : few;
        if (i >= few && rank[(uint32_t)entry] > rank[(uint32_t)bucket[few - 1]]) continue;
        if (i >= few) bucket[i] = bucket[--place];
        for (; place > 0 && rank[(uint32_t)bucket[place - 1]] > rank[(uint32_t)entry]; place--)
            bucket[place] = bucket[place - 1];
        bucket[place] = entry;
    }
}

static stemma_status join_full(const struct bands *bands, struct band_worker *worker, uint64_t *bucket,
                               size_t count, uint32_t band, stemma_error *err) {
    const size_t few = bands->plan->few;
    worker->counts.full_bands++;
    few_to_front(bucket, count, bands->input->rank, few);
    for (size_t i = 0; i < count; i++) {
        atomic_fetch_or_explicit(&bands->full[(uint32_t)bucket[i]], UINT64_C(1) << band,
                                 memory_order_relaxed);
        for (size_t j = 0; j < few && j < i; j++)
            TRY(look(bands, worker, (uint32_t)bucket[j], (uint32_t)bucket[i], band, FULL, err));
    }
    return STEMMA_OK;
}

static size_t bucket_size(const uint64_t *entries, size_t count) {
    size_t size = 1;
    while (size < count && entries[size] >> 32 == entries[0] >> 32) size++;
    return size;
}

static stemma_status join_buckets(const struct bands *bands, struct band_worker *worker, size_t count,
                                  uint32_t band, enum pass pass, stemma_error *err) {
    uint64_t *entries = worker->entries;
    sort_u64_with(entries, worker->scratch, count);
    for (size_t at = 0, size; at < count; at += size) {
        size = bucket_size(entries + at, count - at);
        if (size == 1) continue;
        TRY(check_stop(bands->input->stop, err));
        if (size > bands->plan->cap)
            TRY(join_full(bands, worker, entries + at, size, band, err));
        else
            TRY(join_small(bands, worker, entries + at, size, band, pass, err));
    }
    return STEMMA_OK;
}

/* ---- bands ---- */

static stemma_status make_room(const struct bands *bands, struct band_worker *worker, stemma_error *err) {
    if (worker->entries && worker->scratch) return STEMMA_OK;
    if (!worker->entries) worker->entries = mem_alloc(bands->input->count * sizeof *worker->entries);
    if (!worker->scratch) worker->scratch = mem_alloc(bands->input->count * sizeof *worker->scratch);
    if (!worker->entries || !worker->scratch) return fail_memory(err);
    mem_scattered(worker->entries, bands->input->count * sizeof *worker->entries);
    mem_scattered(worker->scratch, bands->input->count * sizeof *worker->scratch);
    return STEMMA_OK;
}

stemma_status band_join(const struct bands *bands, struct band_worker *worker, uint32_t band,
                        stemma_error *err) {
    const uint32_t count = bands->input->count;
    TRY(make_room(bands, worker, err));
    for (uint32_t class = 0; class < count; class ++) worker->entries[class] = entry_of(bands, class, band);
    return join_buckets(bands, worker, count, band, FIRST, err);
}

/* Only who was in a full bucket of an earlier band can have missed another; and its bucket here must not be
 * full. */
stemma_status band_join_again(const struct bands *bands, struct band_worker *worker, uint32_t band,
                              stemma_error *err) {
    const uint64_t earlier = (UINT64_C(1) << band) - 1;
    size_t count = 0;
    TRY(make_room(bands, worker, err));
    for (uint32_t class = 0; class < bands->input->count; class ++) {
        uint64_t full = bands->full[class];
        if (full & earlier && !(full >> band & 1)) worker->entries[count++] = entry_of(bands, class, band);
    }
    return join_buckets(bands, worker, count, band, AGAIN, err);
}
