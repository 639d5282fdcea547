/*
 * One-permutation hashing: one hash function, n bins, the minimum of each bin.
 *
 * b bits of a minimum cannot say "empty", so before they are cut out every empty bin borrows the minimum of a
 * filled one (densification). In round r every filled bin aims o(r) places further on, and an empty bin keeps
 * the first that hits it: a shift, so that no two aim at one bin and all are borrowed from about equally
 * often. Which bin it borrows from depends on the places of bins alone, so a bin that is empty in two
 * documents looks into the bins of their union in one common order and agrees with probability J. Would the
 * elements aim instead of the bins, a bin whose minima differ had two chances of being borrowed from, one per
 * document, and one whose minima agree a single one: the estimate would be too low. All bins are hit after
 * about n ln n aims, however few are filled.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "sketch/maker.h"

#include <string.h>

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

/* Each bin is watched from 0 up to its minimum, an empty one to the end; events per length watched is the
 * most likely rate, for sparse and for crowded bins alike. In integers, so that it is the same everywhere. */
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

/* Bins as bits: which were filled, twice over, so that any shift of them can be read in one go; and which are
 * still empty. A round looks at 64 bins at a time. */
struct lending {
    size_t n, words;
    uint64_t *donors; /* 2 n bits, and a word more */
    uint64_t *empty;  /* n bits */
    size_t left;      /* empty bins */
    uint32_t
        *few; /* the filled bins, when they are fewer than words: then a round goes through them instead */
    size_t few_count;
};

static uint64_t donors_from(const struct lending *l, size_t bit) {
    uint64_t low = l->donors[bit / 64] >> (bit % 64);
    return bit % 64 ? low | l->donors[bit / 64 + 1] << (64 - bit % 64) : low;
}

static void lend_round(struct lending *l, uint64_t *minima, size_t offset) {
    for (size_t w = 0; w < l->words; w++) {
        uint64_t hit = l->empty[w] ? l->empty[w] & donors_from(l, 64 * w + l->n - offset) : 0;
        l->empty[w] ^= hit;
        for (; hit; hit &= hit - 1, l->left--) {
            size_t bin = 64 * w + (size_t)__builtin_ctzll(hit);
            minima[bin] = minima[bin >= offset ? bin - offset : bin + l->n - offset];
        }
    }
}

/* The same with the filled bins one by one: a short document in many bins needs very many rounds. */
static void lend_few(struct lending *l, uint64_t *minima, size_t offset) {
    for (size_t i = 0; i < l->few_count; i++) {
        size_t bin = l->few[i] + offset;
        if (bin >= l->n) bin -= l->n;
        if (minima[bin] != UINT64_MAX) continue;
        minima[bin] = minima[l->few[i]];
        l->left--;
    }
}

static void list_few(struct lending *l, const uint64_t *minima) {
    for (size_t i = 0; i < l->n; i++)
        if (minima[i] != UINT64_MAX) l->few[l->few_count++] = (uint32_t)i;
}

/* At least one bin is filled. */
static stemma_status densify(uint64_t *minima, size_t n, uint64_t seed, stemma_error *err) {
    struct lending l = {.n = n, .words = (n + 63) / 64};
    size_t donor_words = 2 * l.words + 2;
    l.donors = mem_zero(donor_words + 2 * l.words, sizeof *l.donors);
    if (!l.donors) return fail_memory(err);
    l.empty = l.donors + donor_words;
    l.few = (uint32_t *)(l.empty + l.words);
    for (size_t i = 0; i < n; i++) {
        if (minima[i] == UINT64_MAX) {
            l.empty[i / 64] |= UINT64_C(1) << (i % 64);
            l.left++;
        } else {
            l.donors[i / 64] |= UINT64_C(1) << (i % 64);
            l.donors[(i + n) / 64] |= UINT64_C(1) << ((i + n) % 64);
        }
    }
    bool few = n - l.left < l.words;
    if (few) list_few(&l, minima);
    for (uint64_t round = 1; l.left; round++)
        (few ? lend_few : lend_round)(&l, minima,
                                      (size_t)(((unsigned __int128)mix64(round ^ seed) * n) >> 64));
    mem_free(l.donors);
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
    if (out->filled == 0) return STEMMA_OK;
    TRY(densify(maker->minima, n, maker->aim_seed, err));
    fields_of_minima(&out->bits, maker->minima, n, base->spec.bits);
    return STEMMA_OK;
}

static void oph_free(struct maker *base) {
    struct oph_maker *maker = (struct oph_maker *)base;
    mem_free(maker->minima);
    mem_free(maker);
}

struct maker *oph_maker_new(const struct spec *spec, uint64_t seed) {
    static const struct maker_class class = {.take = oph_take, .finish = oph_finish, .free = oph_free};
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
