/*
 * One-permutation hashing: one hash function, n bins, the minimum of each bin.
 *
 * b bits of a minimum cannot say "empty", so before they are cut out every empty bin borrows the minimum of a
 * filled one (densification). The filled bins take turns: in round r bin j aims at bin t(j, r), and an empty bin
 * keeps the first that hits it. Which bin it borrows from depends on the places of bins alone, so a bin that is
 * empty in two documents looks into the bins of their union in one common order and agrees with probability J.
 * Would the elements aim instead of the bins, a bin whose minima differ had two chances of being borrowed from, one
 * per document, and one whose minima agree a single one: the estimate would be too low. All bins are hit after
 * about n ln n aims, however few are filled.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "sketch/maker.h"

#include <string.h>

#define AIM_BIN   UINT64_C(0x9e3779b97f4a7c15)
#define AIM_ROUND UINT64_C(0xc2b2ae3d27d4eb4f)

struct oph_maker {
    struct maker base;
    uint64_t seed, aim_seed;
    uint64_t *minima;
};

static stemma_status oph_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct oph_maker *maker = (struct oph_maker *)base;
    (void)tokens, (void)token_count, (void)err;
    kernels_get()->oph_update(maker->minima, base->spec.n, maker->seed, fp, count);
    return STEMMA_OK;
}

/* Each bin is watched from 0 up to its minimum, an empty one to the end; events per length watched is the most
 * likely rate, for sparse and for crowded bins alike. In integers, so that it is the same everywhere. */
void oph_count(struct part *part, const uint64_t *minima, size_t n, uint64_t shingles) {
    unsigned __int128 watched = 1, filled = 0;
    for (size_t i = 0; i < n; i++) {
        watched += minima[i];
        filled += minima[i] != UINT64_MAX;
    }
    unsigned __int128 estimate = (((filled * n) << 64) + watched / 2) / watched;
    part->filled = (uint32_t)filled;
    part->distinct = estimate > shingles ? shingles : (uint64_t)estimate;
    if (part->distinct < filled) part->distinct = (uint64_t)filled;
}

/* ---- densification ---- */

static size_t list_filled(const uint64_t *minima, size_t n, uint32_t *list) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (minima[i] != UINT64_MAX) list[count++] = (uint32_t)i;
    return count;
}

static size_t aim(uint64_t bin, uint64_t round, uint64_t seed, size_t n) {
    uint64_t mixed = mix64((bin * AIM_BIN + round * AIM_ROUND) ^ seed);
    return (size_t)(((unsigned __int128)mixed * n) >> 64);
}

/* At least one bin is filled. A borrowed value is never UINT64_MAX, so a bin is filled once. */
static void lend(uint64_t *minima, size_t n, const uint32_t *filled, size_t filled_count, uint64_t seed) {
    size_t empty = n - filled_count;
    for (uint64_t round = 1; empty; round++) {
        for (size_t k = 0; k < filled_count; k++) {
            uint64_t *target = &minima[aim(filled[k], round, seed, n)];
            if (*target != UINT64_MAX) continue;
            *target = minima[filled[k]];
            empty--;
        }
    }
}

static stemma_status densify(uint64_t *minima, size_t n, uint64_t seed, stemma_error *err) {
    uint32_t *filled = mem_alloc(n * sizeof *filled);
    if (!filled) return fail_memory(err);
    size_t count = list_filled(minima, n, filled);
    if (count) lend(minima, n, filled, count, seed);
    mem_free(filled);
    return STEMMA_OK;
}

/* ---- the maker ---- */

static stemma_status oph_finish(struct maker *base, uint64_t shingles, struct part *out, stemma_error *err) {
    struct oph_maker *maker = (struct oph_maker *)base;
    size_t n = base->spec.n;
    oph_count(out, maker->minima, n, shingles);
    if (base->spec.bits == 64)
        return vec64_append(&out->values, maker->minima, n) ? STEMMA_OK : fail_memory(err);
    if (!fields_reserve(&out->bits, n, base->spec.bits)) return fail_memory(err);
    TRY(densify(maker->minima, n, maker->aim_seed, err));
    for (size_t i = 0; out->filled && i < n; i++)
        fields_set(&out->bits, i, base->spec.bits, mix64(maker->minima[i] ^ mix64(i)));
    return STEMMA_OK;
}

static void oph_free(struct maker *base) {
    struct oph_maker *maker = (struct oph_maker *)base;
    mem_free(maker->minima);
    mem_free(maker);
}

struct maker *oph_maker_new(const struct spec *spec, uint64_t seed) {
    static const struct maker_class class = {oph_take, oph_finish, oph_free};
    struct oph_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    maker->base = (struct maker){.class = &class, .spec = *spec};
    maker->seed = mix64(seed ^ SALT_OPH);
    maker->aim_seed = mix64(seed ^ SALT_DENSIFY);
    maker->minima = mem_alloc((spec->n + KERNEL_SLACK) * sizeof *maker->minima);
    if (!maker->minima) {
        oph_free(&maker->base);
        return NULL;
    }
    memset(maker->minima, 0xff, (spec->n + KERNEL_SLACK) * sizeof *maker->minima);
    return &maker->base;
}
