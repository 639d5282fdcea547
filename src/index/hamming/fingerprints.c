/*
 * Word w of all fingerprints is one array, so that a scan reads the first words only. The index is the merged
 * one-dimensional one: distinct keys in order, where the list of each begins, and the lists.
 */
#include "index/hamming/fingerprints.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/sort.h"
#include "kernels/kernels.h"

#include <string.h>

#define COLUMNS_MOST (HAMMING_BITS_MOST / 64)
#define SCAN_ROWS    4096

struct fingerprints {
    struct hamming_source source;
    struct bit_group *groups;
    struct buf columns[COLUMNS_MOST];
    uint64_t count;
    struct vec64 keys, begins; /* begins has one more: the end */
    uint32_t *numbers;
};

/* ---- asking ---- */

static stemma_status find_key(void *context, uint64_t key, take_numbers *take, void *to, stemma_error *err) {
    uint64_t numbers[256];
    const struct fingerprints *set = context;
    size_t low = 0, high = set->keys.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->keys.data[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == set->keys.len || set->keys.data[low] != key) return STEMMA_OK;
    size_t begin = set->begins.data[low], end = set->begins.data[low + 1];
    for (size_t some; begin < end; begin += some) {
        for (some = 0; some < 256 && begin + some < end; some++) numbers[some] = set->numbers[begin + some];
        TRY(take(to, numbers, some, err));
    }
    return STEMMA_OK;
}

static uint32_t distance_from(const struct fingerprints *set, const uint64_t *query, uint64_t number,
                              uint32_t most) {
    uint32_t distance = 0;
    for (size_t w = 0; w < hamming_words(set->source.bits) && distance <= most; w++)
        distance += (uint32_t)bits_count(load_u64(set->columns[w].data + 8 * number) ^ query[w]);
    return distance;
}

static stemma_status find_distance(void *context, const uint64_t *query, uint64_t number, uint32_t most,
                                   uint32_t *distance, stemma_error *err) {
    (void)err;
    *distance = distance_from(context, query, number, most);
    return STEMMA_OK;
}

/* The first words by a kernel; of what is left, which is little, the rest. */
static stemma_status scan_rows(const struct fingerprints *set, size_t from, size_t count,
                               const uint64_t *query, uint32_t radius, struct hamming_matches *matches,
                               stemma_error *err) {
    const uint8_t *columns[COLUMNS_MOST];
    uint32_t near[SCAN_ROWS + KERNEL_SLACK];
    size_t head = hamming_head(set->source.bits, radius);
    for (size_t w = 0; w < head; w++) columns[w] = set->columns[w].data + 8 * from;
    size_t kept = kernels_get()->near_words(columns, head, count, query, radius, near);
    for (size_t i = 0; i < kept; i++) {
        uint32_t distance = distance_from(set, query, from + near[i], radius);
        if (distance <= radius) TRY(hamming_matches_add(matches, from + near[i], distance, err));
    }
    return STEMMA_OK;
}

static stemma_status scan_all(void *context, const uint64_t *query, uint32_t radius,
                              struct hamming_matches *matches, struct hamming_work *work, stemma_error *err) {
    const struct fingerprints *set = context;
    work->distances = set->count;
    for (size_t from = 0; from < set->count; from += SCAN_ROWS) {
        size_t rows = set->count - from < SCAN_ROWS ? set->count - from : SCAN_ROWS;
        TRY(scan_rows(set, from, rows, query, radius, matches, err));
    }
    return STEMMA_OK;
}

/* ---- making ---- */

stemma_status fingerprints_new(uint32_t bits, uint32_t groups, struct fingerprints **out, stemma_error *err) {
    struct fingerprints *set = mem_zero(1, sizeof *set);
    if (!set) return fail_memory(err);
    if (groups && !(set->groups = mem_zero(groups, sizeof *set->groups))) {
        mem_free(set);
        return fail_memory(err);
    }
    if (groups) bit_groups_divide(0, bits, groups, set->groups);
    /* A lookup in memory costs as many cache misses as its bisection has steps, a scan less than a
     * nanosecond. */
    set->source = (struct hamming_source){.context = set,
                                          .bits = bits,
                                          .groups = set->groups,
                                          .group_count = groups,
                                          .search_cost = 500,
                                          .posting_cost = 100,
                                          .lookup = find_key,
                                          .distance = find_distance,
                                          .scan = scan_all};
    *out = set;
    return STEMMA_OK;
}

void fingerprints_free(struct fingerprints *set) {
    if (!set) return;
    for (size_t w = 0; w < COLUMNS_MOST; w++) buf_release(&set->columns[w]);
    vec64_release(&set->keys);
    vec64_release(&set->begins);
    mem_free(set->numbers);
    mem_free(set->groups);
    mem_free(set);
}

stemma_status fingerprints_add(struct fingerprints *set, const uint64_t *fingerprint, stemma_error *err) {
    size_t words = hamming_words(set->source.bits);
    for (size_t w = 0; w < words; w++)
        if (!buf_reserve(&set->columns[w], 8 + KERNEL_SLACK)) return fail_memory(err);
    for (size_t w = 0; w < words; w++) buf_add_u64(&set->columns[w], fingerprint[w]);
    set->source.documents = ++set->count;
    return STEMMA_OK;
}

static void fingerprint_of(const struct fingerprints *set, uint64_t number, uint64_t *fingerprint) {
    for (size_t w = 0; w < hamming_words(set->source.bits); w++)
        fingerprint[w] = load_u64(set->columns[w].data + 8 * number);
}

/* Value above number, sorted: the lists of one group. */
static stemma_status post_group(struct fingerprints *set, uint32_t g, uint64_t *entries, uint64_t *scratch,
                                stemma_error *err) {
    uint64_t fingerprint[COLUMNS_MOST], first = (uint64_t)set->groups[g].first << 32;
    for (uint64_t number = 0; number < set->count; number++) {
        fingerprint_of(set, number, fingerprint);
        entries[number] = bit_group_key(set->groups[g], fingerprint) << 32 | number;
    }
    sort_u64_with(entries, scratch, set->count);
    for (uint64_t i = 0; i < set->count; i++) {
        uint64_t key = first | entries[i] >> 32, at = g * set->count + i;
        bool fresh = !i || entries[i] >> 32 != entries[i - 1] >> 32;
        if (fresh && (!vec64_add(&set->keys, key) || !vec64_add(&set->begins, at))) return fail_memory(err);
        set->numbers[at] = (uint32_t)entries[i];
    }
    return STEMMA_OK;
}

static stemma_status post_all(struct fingerprints *set, uint64_t *entries, uint64_t *scratch,
                              stemma_error *err) {
    for (uint32_t g = 0; g < set->source.group_count; g++) TRY(post_group(set, g, entries, scratch, err));
    return vec64_add(&set->begins, set->source.group_count * set->count) ? STEMMA_OK : fail_memory(err);
}

stemma_status fingerprints_finish(struct fingerprints *set, stemma_error *err) {
    if (!set->source.group_count || !set->count) return STEMMA_OK;
    if (set->count > UINT32_MAX) return fail(err, STEMMA_INVALID, "more than 2^32 fingerprints in memory");
    uint64_t *entries = mem_zero(set->count, sizeof *entries),
             *scratch = mem_zero(set->count, sizeof *scratch);
    set->numbers = mem_zero(set->count * set->source.group_count, sizeof *set->numbers);
    stemma_status status =
        entries && scratch && set->numbers ? post_all(set, entries, scratch, err) : fail_memory(err);
    mem_free(entries);
    mem_free(scratch);
    return status;
}

const struct hamming_source *fingerprints_source(const struct fingerprints *set) {
    return &set->source;
}
