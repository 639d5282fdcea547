/*
 * Template: hashes of windows of characters, VEC_LANES at a time.
 *
 * A polynomial over 2k characters is that over the first k, times the multiplier^k, and that over the last:
 * so windows grow by doubling, all of a block at once, and nothing waits for the window before. The last
 * doubling is not stored.
 *
 * Expects a *_vector.h, and: vec_add64, vec_widen (VEC_LANES characters), vec_half_mix (the finaliser) and
 * zero_lanes (those that are 0 under a mask). Gives sign_windows.
 */
#include "kernels/generic.h"

#define SIGN_BLOCK 256 /* windows whose sums stay in the first-level cache; a multiple of VEC_LANES */

/* Sums over `size` characters. What is read and written behind those that are wanted is slack. */
struct sums {
    _Alignas(VEC_BYTES) uint64_t of[SIGN_BLOCK + SIGN_WINDOW_MOST + 2 * VEC_LANES];
    size_t size;
    uint64_t power; /* multiplier^size */
};

static inline vec sum_twice(const struct sums *s, size_t i, vec power) {
    return vec_add64(vec_multiply64(vec_load(s->of + i), power), vec_load(s->of + i + s->size));
}

static inline void sums_begin(struct sums *s, const uint32_t *chars, size_t count, uint64_t multiplier) {
    for (size_t i = 0; i < count; i += VEC_LANES) vec_store(s->of + i, vec_widen(chars + i));
    s->size = 1;
    s->power = multiplier;
}

static inline void sums_begin_pairs(struct sums *s, const uint32_t *chars, size_t count,
                                    uint64_t multiplier) {
    const vec factor = vec_all64(multiplier);
    for (size_t i = 0; i < count; i += VEC_LANES)
        vec_store(s->of + i,
                  vec_add64(vec_multiply64(vec_widen(chars + i), factor), vec_widen(chars + i + 1)));
    s->size = 2;
    s->power = multiplier * multiplier;
}

static inline void sums_double(struct sums *s, size_t count) {
    const vec power = vec_all64(s->power);
    for (size_t i = 0; i < count; i += VEC_LANES) vec_store(s->of + i, sum_twice(s, i, power));
    s->size *= 2;
    s->power *= s->power;
}

static inline void sums_grow(struct sums *s, const uint32_t *chars, size_t count, uint64_t multiplier) {
    const vec factor = vec_all64(multiplier);
    for (size_t i = 0; i < count; i += VEC_LANES)
        vec_store(s->of + i,
                  vec_add64(vec_multiply64(vec_load(s->of + i), factor), vec_widen(chars + i + s->size)));
    s->size++;
    s->power *= multiplier;
}

/* Of `count` windows of `size` characters, by the bits of the size, from the highest on. */
static inline void sums_make(struct sums *s, const uint32_t *chars, size_t count, size_t size,
                             uint64_t multiplier) {
    const size_t all = count + size; /* so many are wanted, less the size they have */
    if (size == 1) {
        sums_begin(s, chars, count, multiplier);
        return;
    }
    sums_begin_pairs(s, chars, all - 2, multiplier);
    for (unsigned bit = 31u - (unsigned)__builtin_clz((unsigned)size); bit-- > 0;) {
        if (size >> bit > 3) sums_double(s, all - 2 * s->size);
        if (size >> bit & 1) sums_grow(s, chars, all - s->size - 1, multiplier);
    }
}

struct window_finish {
    vec power, multiplier, finish;
    bool odd; /* a window has one character more than twice those of the sums */
};

static inline vec window_hash(const struct sums *s, const uint32_t *chars, size_t i,
                              const struct window_finish *f) {
    vec sum = sum_twice(s, i, f->power);
    if (f->odd) sum = vec_add64(vec_multiply64(sum, f->multiplier), vec_widen(chars + i + 2 * s->size));
    return vec_half_mix(vec_xor(sum, f->finish));
}

/* The hashes of a block, in place of its sums; a bit for each of 64 that is 0 under the mask. */
static inline void finish_block(struct sums *s, const uint32_t *chars, size_t count,
                                const struct window_finish *f, vec under, uint64_t *kept) {
    for (size_t i = 0; i < count; i += 64) {
        uint64_t word = 0;
        for (size_t k = 0; k < 64 && i + k < count; k += VEC_LANES) {
            const vec hash = window_hash(s, chars, i + k, f);
            vec_store(s->of + i + k, hash);
            word |= (uint64_t)zero_lanes(hash, under) << k;
        }
        kept[i / 64] = count - i < 64 ? word & ((UINT64_C(1) << (count - i)) - 1) : word;
    }
}

size_t KERNEL(sign_windows)(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                            uint64_t mask, uint32_t *places, uint64_t *hashes) {
    if (n == 1) return generic_sign_windows(keys, chars, windows, n, mask, places, hashes);
    struct window_finish finish = {
        .multiplier = vec_all64(keys->multiplier), .finish = vec_all64(keys->finish), .odd = n % 2};
    const vec under = vec_all64(mask);
    struct sums sums;
    uint64_t kept[SIGN_BLOCK / 64];
    size_t found = 0;
    for (size_t at = 0, count; at < windows; at += count) {
        count = windows - at < SIGN_BLOCK ? windows - at : SIGN_BLOCK;
        sums_make(&sums, chars + at, count + n / 2, n / 2, keys->multiplier);
        finish.power = vec_all64(sums.power);
        finish_block(&sums, chars + at, count, &finish, under, kept);
        for (size_t i = 0; i < count; i += 64)
            for (uint64_t word = kept[i / 64]; word; word &= word - 1) {
                const size_t place = i + (size_t)__builtin_ctzll(word);
                places[found] = (uint32_t)(at + place);
                hashes[found++] = sums.of[place];
            }
    }
    return found;
}
