/*
 * FastSimilaritySketch, as in keyer.c: in a round every element is thrown into a bin, with a value; a bin
 * keeps the smallest value of the first round that hits it. There are four times as many bins as a keyer has,
 * so that documents of some hundred shingles take a dozen rounds; in the later ones few elements fall into a
 * bin that is still empty, and a kernel finds these.
 */
#include "sketch/bits.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/sort.h"
#include "kernels/kernels.h"
#include "sketch/keyer.h"

#include <string.h>

#define HELD_STEP   4096
#define EMPTY       UINT32_MAX
#define TIDY_THROWS 16384 /* five times what all bins take on average: so many only when elements repeat */
#define PLANE_WORDS (BITS_PLANE / 64)

_Static_assert(BITS_PLANE == FILL_BINS, "the kernel fills a plane");

struct plane {
    uint64_t seed;
    uint32_t bins;               /* of which the first so many matter */
    uint32_t coarse[BITS_PLANE]; /* minima of the coarse round, */
    uint32_t minima[BITS_PLANE]; /* of the first round of all, and in the end those of all rounds */
};

struct bit_maker {
    uint32_t bits;
    uint64_t modulus; /* of the coarse round; 1: there is none */
    size_t planes;
    struct plane plane[BITS_PLANES];
    bool settled, full; /* every bin is hit: by the coarse round; by it or the first */
    struct vec64 held;  /* elements, until it is full */
    size_t tidied;
    uint64_t sieved[HELD_STEP + KERNEL_SLACK];
};

/* ---- rounds ---- */

static uint64_t round_seed(const struct plane *plane, size_t round) {
    return mix64(plane->seed + round * 0x9e3779b97f4a7c15u);
}
#define COARSE_ROUND (2 * BITS_PLANE)

static bool all_hit(const uint32_t *a, const uint32_t *b, size_t count) {
    uint32_t empty = 0;
    for (size_t i = 0; i < count; i++) empty |= (a[i] == EMPTY) & (b[i] == EMPTY);
    return !empty;
}

static void throw_coarse(struct bit_maker *maker, const uint64_t *fp, size_t count) {
    bool hit = true;
    for (size_t i = 0; i < maker->planes; i++) {
        struct plane *plane = &maker->plane[i];
        kernels_get()->bin_minima(plane->coarse, BITS_PLANE, round_seed(plane, COARSE_ROUND), fp, count);
        hit = hit && all_hit(plane->coarse, plane->coarse, plane->bins);
    }
    maker->settled = hit;
    maker->full = maker->full || hit;
}

static void sieve_coarse(struct bit_maker *maker, const uint64_t *fp, size_t count) {
    for (size_t at = 0; at < count; at += HELD_STEP) {
        size_t some = count - at < HELD_STEP ? count - at : HELD_STEP;
        throw_coarse(maker, maker->sieved,
                     kernels_get()->filter_mod(fp + at, some, maker->modulus, maker->sieved));
    }
}

static void throw_first(struct bit_maker *maker, const uint64_t *fp, size_t count) {
    bool hit = true;
    for (size_t i = 0; i < maker->planes; i++) {
        struct plane *plane = &maker->plane[i];
        kernels_get()->bin_minima(plane->minima, BITS_PLANE, round_seed(plane, 0), fp, count);
        hit = hit && all_hit(plane->minima, plane->coarse, plane->bins);
    }
    maker->full = maker->full || hit;
}

static void find_empty(const struct plane *plane, uint64_t empty[PLANE_WORDS]) {
    for (size_t w = 0; w < PLANE_WORDS; w++) {
        uint64_t word = 0;
        for (size_t i = w * 64; i < plane->bins && i < w * 64 + 64; i++)
            word |= (uint64_t)(plane->minima[i] == EMPTY) << i % 64;
        empty[w] = word;
    }
}

static bool none_left(const uint64_t empty[PLANE_WORDS]) {
    uint64_t any = 0;
    for (size_t w = 0; w < PLANE_WORDS; w++) any |= empty[w];
    return !any;
}

/* The last rounds: one for each bin, which all elements hit. */
static void throw_at_rest(struct plane *plane, const uint64_t *fp, size_t count) {
    for (size_t bin = 0; bin < plane->bins; bin++) {
        if (plane->minima[bin] != EMPTY) continue;
        uint64_t seed = round_seed(plane, BITS_PLANE + bin);
        for (size_t i = 0; i < count; i++) {
            uint32_t value = (uint32_t)(mix64(fp[i] ^ seed) >> 32);
            if (value < plane->minima[bin]) plane->minima[bin] = value;
        }
    }
}

/* ---- what later rounds need ---- */

static stemma_status tidy(struct bit_maker *maker, stemma_error *err) {
    if (!sort_u64(maker->held.data, maker->held.len)) return fail_memory(err);
    maker->held.len = maker->tidied = unique_u64(maker->held.data, maker->held.len);
    return STEMMA_OK;
}

/* Repetitions are dropped when there are twice as many. */
static stemma_status hold(struct bit_maker *maker, const uint64_t *fp, size_t count, stemma_error *err) {
    if (maker->held.len > 2 * maker->tidied + HELD_STEP) TRY(tidy(maker, err));
    if (!vec64_reserve(&maker->held, count + KERNEL_SLACK)) return fail_memory(err);
    memcpy(maker->held.data + maker->held.len, fp, count * sizeof *fp);
    maker->held.len += count;
    return STEMMA_OK;
}

/* ---- later rounds ---- */

/* Each fills what is empty. Repetitions change nothing but the time: they are dropped when there seem to be
 * many. */
static stemma_status later_rounds(struct bit_maker *maker, struct plane *plane, stemma_error *err) {
    const struct vec64 *held = &maker->held;
    uint64_t empty[PLANE_WORDS];
    size_t thrown = 0;
    find_empty(plane, empty);
    for (size_t round = 1; round < BITS_PLANE && !none_left(empty); round++) {
        if (thrown > TIDY_THROWS && maker->tidied != held->len) TRY(tidy(maker, err));
        kernels_get()->fill_bins(plane->minima, empty, round_seed(plane, round), held->data, held->len);
        thrown += held->len;
    }
    if (!none_left(empty)) throw_at_rest(plane, held->data, held->len);
    return STEMMA_OK;
}

/* ---- documents ---- */

stemma_status bit_maker_new(const struct view *view, uint32_t bits, struct bit_maker **out,
                            stemma_error *err) {
    struct bit_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return fail_memory(err);
    struct key_form form = key_form_for(view);
    maker->bits = bits;
    maker->modulus = form.coarse;
    maker->planes = (bits + BITS_PLANE - 1) / BITS_PLANE;
    for (size_t i = 0; i < maker->planes; i++) {
        uint32_t rest = bits - (uint32_t)i * BITS_PLANE;
        maker->plane[i].bins = rest < BITS_PLANE ? rest : BITS_PLANE;
        maker->plane[i].seed = mix64(form.seed + 1 + i);
        memset(maker->plane[i].coarse, 0xff, sizeof maker->plane[i].coarse);
    }
    *out = maker;
    return STEMMA_OK;
}

void bit_maker_free(struct bit_maker *maker) {
    if (!maker) return;
    vec64_release(&maker->held);
    mem_free(maker);
}

void bit_maker_begin(struct bit_maker *maker) {
    for (size_t i = 0; i < maker->planes; i++) {
        if (maker->modulus > 1) memset(maker->plane[i].coarse, 0xff, sizeof maker->plane[i].coarse);
        memset(maker->plane[i].minima, 0xff, sizeof maker->plane[i].minima);
    }
    maker->settled = maker->full = false;
    maker->held.len = maker->tidied = 0;
}

stemma_status bit_maker_add(struct bit_maker *maker, const uint64_t *fp, size_t count, stemma_error *err) {
    if (maker->modulus > 1) sieve_coarse(maker, fp, count);
    if (maker->settled) return STEMMA_OK;
    throw_first(maker, fp, count);
    return maker->full ? STEMMA_OK : hold(maker, fp, count, err);
}

/* What the coarse round has hit counts before all others. */
static void prefer_coarse(struct plane *plane) {
    for (size_t i = 0; i < BITS_PLANE; i++)
        plane->minima[i] = plane->coarse[i] == EMPTY ? plane->minima[i] : plane->coarse[i];
}

stemma_status bit_maker_end(struct bit_maker *maker, stemma_error *err) {
    for (size_t i = 0; i < maker->planes; i++) {
        if (maker->modulus > 1) prefer_coarse(&maker->plane[i]);
        if (!maker->full) TRY(later_rounds(maker, &maker->plane[i], err));
    }
    return STEMMA_OK;
}

bool bit_maker_coarse(struct bit_maker *maker, const uint64_t *fp, size_t count) {
    bit_maker_begin(maker);
    throw_coarse(maker, fp, count);
    for (size_t i = 0; i < maker->planes; i++) prefer_coarse(&maker->plane[i]);
    return maker->settled;
}

/* The bits of a minimum are those of a small number: a product depends on all of them. */
static uint64_t bits_of(const uint32_t *minima, size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) bits |= minima[i] * MIX64_MULTIPLIER >> 63 << i;
    return bits;
}

void bit_maker_take(const struct bit_maker *maker, uint8_t *out) {
    for (uint32_t first = 0; first < maker->bits; first += 64) {
        uint8_t word[8];
        size_t count = maker->bits - first < 64 ? maker->bits - first : 64;
        store_u64(word, bits_of(maker->plane[first / BITS_PLANE].minima + first % BITS_PLANE, count));
        memcpy(out + first / 8, word, (count + 7) / 8);
    }
}
