/*
 * Sketch_n: the minima of n hash functions, each i -> a_i lo + b_i hi + c_i with random odd a, b (see
 * kernels.h).
 *
 * Fingerprints are mixed first: Rabin's are linear in the text, and the hash functions nearly so. The
 * functions are drawn one after another, so the first m of n are those of a sketch with n = m.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "sketch/maker.h"

enum { MIX_BLOCK = 256 };

struct minhash_maker {
    struct maker base;
    uint64_t feed_seed;
    uint64_t *coefficients; /* a[n], b[n], c[n] */
    uint64_t *minima;
};

static stemma_status minhash_take(struct maker *base, const uint64_t *fp, size_t count,
                                  const uint64_t *tokens, size_t token_count, stemma_error *err) {
    struct minhash_maker *maker = (struct minhash_maker *)base;
    const struct kernels *kernels = kernels_get();
    uint64_t mixed[MIX_BLOCK + KERNEL_SLACK];
    (void)tokens, (void)token_count, (void)err;
    for (size_t at = 0; at < count; at += MIX_BLOCK) {
        size_t block = count - at < MIX_BLOCK ? count - at : MIX_BLOCK;
        for (size_t i = 0; i < block; i++) mixed[i] = mix64(fp[at + i] ^ maker->feed_seed);
        kernels->minhash_update(maker->minima, base->spec.n, maker->coefficients, mixed, block);
    }
    return STEMMA_OK;
}

/* The minimum of N uniform numbers is 1 / (N + 1) on average; (n - 1) / sum is unbiased for N. */
void minhash_count(struct part *part, const uint64_t *minima, size_t n, uint64_t shingles) {
    unsigned __int128 sum = 1;
    for (size_t i = 0; i < n; i++) sum += minima[i];
    unsigned __int128 estimate = ((unsigned __int128)(n - 1) << 64) / sum;
    part->distinct = estimate > shingles ? shingles : (uint64_t)estimate;
    if (part->distinct == 0 && shingles) part->distinct = 1;
}

static stemma_status minhash_finish(struct maker *base, uint64_t shingles, struct part *out,
                                    stemma_error *err) {
    const struct minhash_maker *maker = (const struct minhash_maker *)base;
    size_t n = base->spec.n;
    minhash_count(out, maker->minima, n, shingles);
    if (base->spec.bits == 64)
        return vec64_append(&out->values, maker->minima, n) ? STEMMA_OK : fail_memory(err);
    if (!fields_reserve(&out->bits, n, base->spec.bits)) return fail_memory(err);
    if (shingles) fields_of_minima(&out->bits, maker->minima, n, base->spec.bits);
    return STEMMA_OK;
}

static void minhash_free(struct maker *base) {
    struct minhash_maker *maker = (struct minhash_maker *)base;
    mem_free(maker->coefficients);
    mem_free(maker->minima);
    mem_free(maker);
}

static void draw_functions(struct minhash_maker *maker, size_t n, uint64_t seed) {
    uint64_t state = mix64(seed ^ SALT_MINHASH);
    uint64_t *a = maker->coefficients, *b = a + n, *c = b + n;
    for (size_t i = 0; i < n; i++) {
        a[i] = (rng_next(&state) >> 32) | 1;
        b[i] = (rng_next(&state) >> 32) | 1;
        c[i] = rng_next(&state);
        maker->minima[i] = UINT64_MAX;
    }
}

struct maker *minhash_maker_new(const struct spec *spec, uint64_t seed) {
    static const struct maker_class class = {
        .take = minhash_take, .finish = minhash_finish, .free = minhash_free};
    struct minhash_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    size_t n = spec->n;
    maker->base = (struct maker){.class = &class, .spec = *spec};
    maker->feed_seed = mix64(seed ^ SALT_FEED);
    maker->coefficients = mem_zero(3 * n + KERNEL_SLACK, sizeof *maker->coefficients);
    maker->minima = mem_zero(n + KERNEL_SLACK, sizeof *maker->minima);
    if (!maker->coefficients || !maker->minima) {
        minhash_free(&maker->base);
        return NULL;
    }
    draw_functions(maker, n, seed);
    return &maker->base;
}
