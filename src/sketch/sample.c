/*
 * Samples of the set of fingerprints: mod, min, minmod, level (Broder 1997, 3).
 *
 * Two collectors do all the work. `multiples` keeps a set that only grows: values are appended and the set is
 * sorted whenever it has doubled, so time is near-linear and a million equal lines stay small. `lowest`
 * (lowest.h) keeps the n smallest.
 */
#include "base/alloc.h"
#include "base/sort.h"
#include "kernels/kernels.h"
#include "sketch/lowest.h"
#include "sketch/maker.h"

/* ---- the multiples of n ---- */

enum { MULTIPLES_ROOM = 64 }; /* before the first sort for size */

struct multiples {
    struct vec64 kept;
    size_t settled; /* how many distinct ones the last sort left */
};

static bool multiples_settle(struct multiples *multiples) {
    if (!vec64_make_set(&multiples->kept)) return false;
    multiples->settled = multiples->kept.len;
    return true;
}

/* While fewer than `floor` are known to be distinct every few are counted, so that it is soon known. */
static bool multiples_add(struct multiples *multiples, const uint64_t *values, size_t count, uint64_t n,
                          size_t floor) {
    struct vec64 *kept = &multiples->kept;
    if (!vec64_reserve(kept, count + KERNEL_SLACK)) return false;
    kept->len += kernels_get()->filter_mod(values, count, n, kept->data + kept->len);
    size_t most = multiples->settled * 2 > MULTIPLES_ROOM ? multiples->settled * 2 : MULTIPLES_ROOM;
    if (multiples->settled < floor) most = floor;
    return kept->len < most || multiples_settle(multiples);
}

static bool multiples_thin(struct multiples *multiples, uint64_t n) {
    struct vec64 *kept = &multiples->kept, thinned = {0};
    if (!vec64_reserve(&thinned, kept->len + KERNEL_SLACK)) return false;
    if (kept->len) thinned.len = kernels_get()->filter_mod(kept->data, kept->len, n, thinned.data);
    vec64_release(kept);
    *kept = thinned;
    return multiples_settle(multiples);
}

/* ---- makers ---- */

struct sample_maker {
    struct maker base;
    struct multiples multiples; /* mod, level; minmod: what one block leaves for `lowest` */
    struct lowest lowest;       /* min, minmod: the sample; mod, level: the floor */
    uint64_t seen;              /* level: fingerprints so far, with repetitions */
    uint32_t level;
};

static stemma_status mod_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    (void)tokens, (void)token_count;
    if (!multiples_add(&maker->multiples, fp, count, base->spec.n, SAMPLE_FLOOR)) return fail_memory(err);
    if (!base->enough && !lowest_add(&maker->lowest, kernels_get(), fp, count)) return fail_memory(err);
    base->enough = maker->multiples.settled >= SAMPLE_FLOOR;
    base->held = maker->multiples.kept.len;
    return STEMMA_OK;
}

uint32_t level_of(uint64_t shingles) {
    uint32_t level = 0;
    while (shingles / 100 >> level > 1) level++;
    return level;
}

/* The level grows with the document: what is kept stays a few hundred values. */
static stemma_status level_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                                size_t token_count, stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    (void)tokens, (void)token_count;
    maker->seen += count;
    uint32_t level = level_of(maker->seen);
    if (!multiples_add(&maker->multiples, fp, count, UINT64_C(1) << level, 0)) return fail_memory(err);
    if (level > maker->level && !multiples_thin(&maker->multiples, UINT64_C(1) << level))
        return fail_memory(err);
    maker->level = level;
    return lowest_add(&maker->lowest, kernels_get(), fp, count) ? STEMMA_OK : fail_memory(err);
}

static stemma_status min_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    (void)tokens, (void)token_count;
    return lowest_add(&maker->lowest, kernels_get(), fp, count) ? STEMMA_OK : fail_memory(err);
}

static stemma_status minmod_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                                 size_t token_count, stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    struct vec64 *passed = &maker->multiples.kept;
    (void)tokens, (void)token_count;
    if (!vec64_reserve(passed, count + KERNEL_SLACK)) return fail_memory(err);
    size_t left = kernels_get()->filter_mod(fp, count, base->spec.mod, passed->data);
    return lowest_add(&maker->lowest, kernels_get(), passed->data, left) ? STEMMA_OK : fail_memory(err);
}

/* Hand over an array; memory that was room for growth is given back. */
static stemma_status give_values(struct vec64 *from, struct vec64 *to, stemma_error *err) {
    return vec64_append(to, from->data, from->len) ? STEMMA_OK : fail_memory(err);
}

static stemma_status multiples_finish(struct maker *base, uint64_t shingles, struct part *out,
                                      stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    uint64_t n = base->spec.n;
    if (base->spec.scheme == SCHEME_LEVEL) {
        out->level = level_of(shingles);
        n = UINT64_C(1) << out->level;
    }
    if (!multiples_thin(&maker->multiples, n)) return fail_memory(err);
    TRY(give_values(&maker->multiples.kept, &out->values, err));
    if (out->values.len >= SAMPLE_FLOOR) return STEMMA_OK;
    if (!lowest_settle(&maker->lowest)) return fail_memory(err);
    return give_values(&maker->lowest.kept, &out->smallest, err);
}

static stemma_status lowest_finish(struct maker *base, uint64_t shingles, struct part *out,
                                   stemma_error *err) {
    struct sample_maker *maker = (struct sample_maker *)base;
    (void)shingles;
    if (!lowest_settle(&maker->lowest)) return fail_memory(err);
    out->complete = !maker->lowest.overflow;
    return give_values(&maker->lowest.kept, &out->values, err);
}

static void sample_free(struct maker *base) {
    struct sample_maker *maker = (struct sample_maker *)base;
    vec64_release(&maker->multiples.kept);
    vec64_release(&maker->lowest.kept);
    mem_free(maker);
}

static const struct maker_class mod_class = {
    .take = mod_take, .finish = multiples_finish, .free = sample_free};
static const struct maker_class level_class = {
    .take = level_take, .finish = multiples_finish, .free = sample_free};
static const struct maker_class min_class = {.take = min_take, .finish = lowest_finish, .free = sample_free};
static const struct maker_class minmod_class = {
    .take = minmod_take, .finish = lowest_finish, .free = sample_free};

struct maker *sample_maker_new(const struct spec *spec) {
    struct sample_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    maker->base = (struct maker){.spec = *spec};
    bool smallest = spec->scheme == SCHEME_MIN || spec->scheme == SCHEME_MINMOD;
    lowest_init(&maker->lowest, smallest ? spec->n : SAMPLE_FLOOR);
    maker->base.class = spec->scheme == SCHEME_MOD     ? &mod_class
                        : spec->scheme == SCHEME_LEVEL ? &level_class
                        : spec->scheme == SCHEME_MIN   ? &min_class
                                                       : &minmod_class;
    return &maker->base;
}
