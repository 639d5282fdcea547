#include "align/tokens/prefix_hash.h"

#include "base/alloc.h"
#include "base/rng.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t reduce(uint64_t x) {
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

static uint64_t multiply(uint64_t x, uint64_t y) {
    unsigned __int128 product = (unsigned __int128)x * y;
    return reduce((uint64_t)(product & PRIME) + (uint64_t)(product >> 61));
}

static uint64_t *hash_prefixes(const struct id_text *text, uint64_t seed, uint64_t point) {
    uint64_t *prefixes = mem_alloc((text->count + 1) * sizeof *prefixes);
    if (!prefixes) return NULL;
    prefixes[0] = 0;
    for (size_t i = 0; i < text->count; i++)
        prefixes[i + 1] = reduce(multiply(prefixes[i], point) + reduce(mix64(seed ^ text->ids[i])));
    return prefixes;
}

static uint64_t *raise(uint64_t point, size_t count) {
    uint64_t *powers = mem_alloc((count + 1) * sizeof *powers);
    if (!powers) return NULL;
    powers[0] = 1;
    for (size_t i = 0; i < count; i++) powers[i + 1] = multiply(powers[i], point);
    return powers;
}

stemma_status prefix_hashes_init(struct prefix_hashes *hashes, const struct id_pair *pair,
                                 stemma_error *err) {
    uint64_t point = reduce(mix64(pair->seed + 1)) | 2;
    size_t longer = pair->a.count > pair->b.count ? pair->a.count : pair->b.count;
    *hashes = (struct prefix_hashes){.pair = pair};
    hashes->a = hash_prefixes(&pair->a, pair->seed, point);
    hashes->b = hash_prefixes(&pair->b, pair->seed, point);
    hashes->powers = raise(point, longer);
    if (hashes->a && hashes->b && hashes->powers) return STEMMA_OK;
    prefix_hashes_release(hashes);
    return fail_memory(err);
}

void prefix_hashes_release(struct prefix_hashes *hashes) {
    mem_free(hashes->a);
    mem_free(hashes->b);
    mem_free(hashes->powers);
    *hashes = (struct prefix_hashes){0};
}

uint64_t run_hash(const struct prefix_hashes *hashes, const uint64_t *prefixes, size_t begin, size_t length) {
    uint64_t before = multiply(prefixes[begin], hashes->powers[length]);
    return reduce(prefixes[begin + length] + PRIME - before);
}

static bool agree(const struct prefix_hashes *hashes, size_t a, size_t b, size_t length) {
    return run_hash(hashes, hashes->a, a, length) == run_hash(hashes, hashes->b, b, length);
}

static size_t least_of(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Most matches end soon: so many tokens are compared before hashes are. */
enum { LOOK_FIRST = 32 };

size_t match_ahead(const struct prefix_hashes *hashes, size_t a, size_t b, size_t most) {
    const struct id_text *in_a = &hashes->pair->a, *in_b = &hashes->pair->b;
    size_t low = 0, high = least_of(most, least_of(in_a->count - a, in_b->count - b));
    while (low < high && low < LOOK_FIRST && in_a->ids[a + low] == in_b->ids[b + low]) low++;
    if (low < LOOK_FIRST) return low;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (agree(hashes, a + low, b + low, middle - low))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t match_behind(const struct prefix_hashes *hashes, size_t a, size_t b, size_t most) {
    size_t low = 0, high = least_of(most, least_of(a, b));
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (agree(hashes, a - middle, b - middle, middle - low))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
