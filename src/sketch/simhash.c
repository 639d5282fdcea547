/* simhash: every shingle votes, with repetitions, on each of 64 or 128 bits; the majority decides. */
#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "sketch/maker.h"

struct simhash_maker {
    struct maker base;
    uint64_t seeds[2]; /* one hash function per 64 bits; the first is the same for 64 and 128 */
    int64_t sums[2][64];
};

static stemma_status simhash_take(struct maker *base, const uint64_t *fp, size_t count,
                                  const uint64_t *tokens, size_t token_count, stemma_error *err) {
    struct simhash_maker *maker = (struct simhash_maker *)base;
    (void)tokens, (void)token_count, (void)err;
    for (size_t i = 0; i < base->spec.bits / 64; i++)
        kernels_get()->simhash_update(maker->sums[i], maker->seeds[i], fp, count);
    return STEMMA_OK;
}

static stemma_status simhash_finish(struct maker *base, uint64_t shingles, struct part *out,
                                    stemma_error *err) {
    const struct simhash_maker *maker = (const struct simhash_maker *)base;
    (void)shingles;
    if (!fields_reserve(&out->bits, base->spec.bits, 1)) return fail_memory(err);
    for (size_t i = 0; i < base->spec.bits; i++)
        fields_set(&out->bits, i, 1, maker->sums[i / 64][i % 64] > 0);
    return STEMMA_OK;
}

static void simhash_free(struct maker *base) {
    mem_free(base);
}

struct maker *simhash_maker_new(const struct spec *spec, uint64_t seed) {
    static const struct maker_class class = {
        .take = simhash_take, .finish = simhash_finish, .free = simhash_free};
    struct simhash_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    uint64_t state = mix64(seed ^ SALT_SIMHASH);
    maker->base = (struct maker){.class = &class, .spec = *spec};
    for (int i = 0; i < 2; i++) maker->seeds[i] = rng_next(&state);
    return &maker->base;
}
