/*
 * Template: sampling fingerprints, and making sketches of them, VEC_LANES values at a time.
 *
 * Expects a *_vector.h, and: vec_rotate_right; the order of 64-bit numbers, as vec_ordered (a
 * form for comparison; twice is the identity), vec_min and vec_at_most of ordered ones; keep (the lanes of a
 * map, stored side by side); vec_upper (halves of 64 bits), vec_multiply32 (products of lower halves)
 * and vec_lower_below (lanes whose lower half is below a limit); linear_hash (a function of Sketch_n);
 * add_bits (a full adder: the sum of three bits is 2 carry + sum) and vec_any. Gives filter_mod,
 * filter_below, minhash_update, simhash_update, oph_update and bin_minima.
 */
#include "kernels/divisor.h"

#include <string.h>

/* ---- samples ---- */

static inline unsigned first_lanes(size_t count) {
    return (1u << count) - 1;
}

/* divisor.h in every lane. */
static inline unsigned multiples(vec values, const void *context) {
    const struct divisor *divisor = context;
    vec quotient = vec_rotate_right(vec_multiply64(values, vec_all64(divisor->inverse)), divisor->shift);
    return vec_at_most(vec_ordered(quotient), vec_ordered(vec_all64(divisor->limit)));
}

static inline unsigned zero_under(vec values, const void *mask) {
    return vec_at_most(vec_ordered(vec_and(values, vec_all64(*(const uint64_t *)mask))),
                       vec_ordered(vec_all64(0)));
}

static inline unsigned at_most(vec values, const void *limit) {
    return vec_at_most(vec_ordered(values), vec_ordered(vec_all64(*(const uint64_t *)limit)));
}

/* No branch, because what is kept cannot be foreseen; the last load reads slack. */
__attribute__((always_inline)) static inline size_t
filter(const uint64_t *values, size_t count, uint64_t *out,
       unsigned (*kept_lanes)(vec values, const void *context), const void *context) {
    size_t kept = 0, i = 0;
    for (; i + VEC_LANES <= count; i += VEC_LANES) {
        vec some = vec_load(values + i);
        kept += keep(out + kept, some, kept_lanes(some, context));
    }
    if (i == count) return kept;
    vec rest = vec_load(values + i);
    return kept + keep(out + kept, rest, kept_lanes(rest, context) & first_lanes(count - i));
}

size_t KERNEL(filter_mod)(const uint64_t *values, size_t count, uint64_t n, uint64_t *out) {
    const uint64_t mask = n - 1;
    if ((n & mask) == 0) return filter(values, count, out, zero_under, &mask);
    const struct divisor divisor = divisor_of(n);
    return filter(values, count, out, multiples, &divisor);
}

size_t KERNEL(filter_below)(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out) {
    return filter(values, count, out, at_most, &limit);
}

/* ---- Sketch_n ---- */

#define VALUE_BLOCK 512 /* values that stay in the first-level cache while all functions see them */
#define FUNCTIONS   (2 * VEC_LANES) /* two registers hide the latency of the multiplications */

struct functions {
    vec a, b, c, minima;
};

static inline struct functions functions_load(const uint64_t *coefficients, size_t n,
                                              const uint64_t *minima) {
    return (struct functions){vec_load(coefficients), vec_load(coefficients + n),
                              vec_load(coefficients + 2 * n), vec_ordered(vec_load(minima))};
}

static inline void functions_see(struct functions *f, uint64_t value) {
    vec hash = linear_hash(f->a, f->b, f->c, vec_all64(value), vec_all64(value >> 32));
    f->minima = vec_min(f->minima, vec_ordered(hash));
}

/* FUNCTIONS of n. */
static void minhash_some(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                         size_t count) {
    struct functions f = functions_load(coefficients, n, minima);
    struct functions g = functions_load(coefficients + VEC_LANES, n, minima + VEC_LANES);
    for (size_t v = 0; v < count; v++) {
        functions_see(&f, values[v]);
        functions_see(&g, values[v]);
    }
    vec_store(minima, vec_ordered(f.minima));
    vec_store(minima + VEC_LANES, vec_ordered(g.minima));
}

/* The last functions, less than FUNCTIONS, among others that nobody asks for. */
static void minhash_rest(uint64_t *minima, size_t n, size_t rest, const uint64_t *coefficients,
                         const uint64_t *values, size_t count) {
    uint64_t padded[3 * FUNCTIONS] = {0}, padded_minima[FUNCTIONS] = {0};
    for (size_t k = 0; k < 3; k++)
        memcpy(padded + k * FUNCTIONS, coefficients + k * n, rest * sizeof *padded);
    memcpy(padded_minima, minima, rest * sizeof *minima);
    minhash_some(padded_minima, FUNCTIONS, padded, values, count);
    memcpy(minima, padded_minima, rest * sizeof *minima);
}

void KERNEL(minhash_update)(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                            size_t count) {
    for (size_t begin = 0; begin < count; begin += VALUE_BLOCK) {
        size_t size = count - begin < VALUE_BLOCK ? count - begin : VALUE_BLOCK, i = 0;
        for (; i + FUNCTIONS <= n; i += FUNCTIONS)
            minhash_some(minima + i, n, coefficients + i, values + begin, size);
        if (i < n) minhash_rest(minima + i, n, n - i, coefficients + i, values + begin, size);
    }
}

/* ---- simhash ---- */

/* A counter per bit position and lane, bit k of all counters in plane k: adding a vector of bits is a few
 * logical operations, whatever the number of counters. */
#define PLANES 18
struct bit_counters {
    vec plane[PLANES];
};

static inline void count_eight(struct bit_counters *c, const vec v[8]) {
    vec twos[4], fours[2];
    for (int i = 0; i < 4; i++) twos[i] = add_bits(&c->plane[0], v[2 * i], v[2 * i + 1]);
    for (int i = 0; i < 2; i++) fours[i] = add_bits(&c->plane[1], twos[2 * i], twos[2 * i + 1]);
    vec carry = add_bits(&c->plane[2], fours[0], fours[1]);
    for (int k = 3; k < PLANES && vec_any(carry); k++) {
        vec next = vec_and(c->plane[k], carry);
        c->plane[k] = vec_xor(c->plane[k], carry);
        carry = next;
    }
}

#define BATCH (8 * VEC_LANES)

static inline void count_batch(struct bit_counters *counters, uint64_t seed, const uint64_t *values) {
    vec mixed[8];
    for (int i = 0; i < 8; i++)
        mixed[i] = vec_mix64(vec_xor(vec_load(values + VEC_LANES * i), vec_all64(seed)));
    count_eight(counters, mixed);
}

/* Less than a batch, filled up with the seed: mix64(seed ^ seed) = 0 has no bits to count. */
static void count_rest(struct bit_counters *counters, uint64_t seed, const uint64_t *values, size_t count) {
    uint64_t padded[BATCH];
    for (size_t i = 0; i < BATCH; i++) padded[i] = i < count ? values[i] : seed;
    count_batch(counters, seed, padded);
}

/* At most as many values as the counters hold; each set bit counts 2, each value -1. */
static void simhash_part(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    struct bit_counters counters = {0};
    size_t i = 0;
    for (; i + BATCH <= count; i += BATCH) count_batch(&counters, seed, values + i);
    if (i < count) count_rest(&counters, seed, values + i, count - i);
    int planes = 64 - __builtin_clzll(count / VEC_LANES + 8); /* the others are zero */
    uint64_t bits[PLANES * VEC_LANES];
    for (int k = 0; k < planes; k++) vec_store(bits + VEC_LANES * k, counters.plane[k]);
    avx2_add_planes(sums, bits, planes, VEC_LANES);
    for (int bit = 0; bit < 64; bit++) sums[bit] -= (int64_t)count;
}

void KERNEL(simhash_update)(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count) {
    const size_t most = (size_t)1 << PLANES; /* a small part of what the planes hold in all lanes */
    for (; count > most; values += most, count -= most) simhash_part(sums, seed, values, most);
    if (count > 0) simhash_part(sums, seed, values, count);
}

/* ---- one-permutation hashing ---- */

#define OPH_BLOCK 64 /* values mixed by vectors before scalar code puts them into their bins */

/* Stored in any case, because whether a value is the smallest of its bin cannot be predicted in a short
 * document. */
static inline void put_into_bins(uint64_t *minima, size_t bins, const uint64_t *mixed, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 product = (unsigned __int128)mixed[i] * bins;
        uint64_t *bin = &minima[(uint64_t)(product >> 64)], candidate = (uint64_t)product, old = *bin;
        *bin = candidate < old ? candidate : old;
    }
}

void KERNEL(oph_update)(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count) {
    uint64_t mixed[OPH_BLOCK];
    for (size_t at = 0; at < count; at += OPH_BLOCK) {
        size_t block = count - at < OPH_BLOCK ? count - at : OPH_BLOCK;
        for (size_t i = 0; i < block; i += VEC_LANES) /* past the end it reads slack */
            vec_store(mixed + i, vec_mix64(vec_xor(vec_load(values + at + i), vec_all64(seed))));
        put_into_bins(minima, bins, mixed, block);
    }
}

/* Products: bin above, candidate below. */
static inline vec bins_of(vec values, vec seed, vec bins) {
    const vec factor = vec_all64(MIX64_MULTIPLIER);
    vec x = vec_xor(values, seed);
    x = vec_multiply64(vec_xor(x, vec_upper(x)), factor);
    return vec_multiply32(vec_upper(x), bins);
}

#define LIMIT_VALUES                                                                                         \
    1024 /* after so many, and each time they have doubled, the limit is worth being found again */

static uint32_t largest(const uint32_t *minima, size_t bins) {
    uint32_t limit = 0;
    for (size_t i = 0; i < bins; i++) limit = minima[i] > limit ? minima[i] : limit;
    return limit;
}

/* The more values there were, the fewer are below the largest minimum:
 * only these are looked at one by one. */
static inline size_t products_below(uint32_t limit, const uint64_t *values, size_t count, vec seed, vec bins,
                                    uint64_t *out) {
    const vec limits = vec_all64(limit);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += VEC_LANES) { /* past the end it reads slack, which count cuts off */
        vec products = bins_of(vec_load(values + i), seed, bins);
        unsigned lanes = vec_lower_below(products, limits);
        kept += keep(out + kept, products, count - i < VEC_LANES ? lanes & first_lanes(count - i) : lanes);
    }
    return kept;
}

static size_t all_products(const uint64_t *values, size_t count, vec seed, vec bins, uint64_t *out) {
    for (size_t i = 0; i < count; i += VEC_LANES)
        vec_store(out + i, bins_of(vec_load(values + i), seed, bins));
    return count;
}

void KERNEL(bin_minima)(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count) {
    const vec seeds = vec_all64(seed), factor = vec_all64(bins);
    uint64_t products[OPH_BLOCK + VEC_LANES];
    uint32_t limit = count < LIMIT_VALUES ? UINT32_MAX : largest(minima, bins);
    for (size_t at = 0; at < count; at += OPH_BLOCK) {
        size_t block = count - at < OPH_BLOCK ? count - at : OPH_BLOCK;
        if (at >= LIMIT_VALUES && (at & (at - 1)) == 0) limit = largest(minima, bins);
        size_t kept = limit == UINT32_MAX
                          ? all_products(values + at, block, seeds, factor, products)
                          : products_below(limit, values + at, block, seeds, factor, products);
        for (size_t i = 0; i < kept; i++) {
            uint32_t *bin = &minima[products[i] >> 32], candidate = (uint32_t)products[i], old = *bin;
            *bin = candidate < old ? candidate : old;
        }
    }
}
