/*
 * FastSimilaritySketch (Dahlgaard, Knudsen, Thorup 2017): in round i every element is thrown into a bin, with
 * a value; a bin keeps the smallest value of the first round that hits it. Rounds go on until every bin is
 * hit; those after as many as there are bins aim at one bin each, so that even a single element reaches all.
 * Whichever element of the union of two sets comes first in a bin, it is equally likely to be any: so the
 * bins of two sets agree with probability J, and there are about n ln n throws for n bins, or one for each
 * element of a large set.
 *
 * Round 0 is a kernel. The others are for short documents, and for long ones that repeat few shingles: before
 * much is thrown, repetitions are dropped.
 *
 * Where some fingerprints are made faster than all (those that are 0 mod form->coarse), a coarse round of
 * them alone comes first. It is one more round, to which not all are admitted: of the union of two sets any
 * element is still equally likely to come first. When it hits every bin, as in long documents, nothing else
 * matters.
 */
#include "sketch/keyer.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "kernels/kernels.h"
#include "shingle/whole.h"

#include <string.h>

_Static_assert(KEY_MINIMA <= OPEN_BINS_MOST, "bins that a kernel takes");

#define DEDUPE_THROWS 4096 /* six times what all bins take on average: so many only when elements repeat */
#define PIECE         4096 /* fingerprints filtered at a time */

/* Of the bits by which distinct fingerprints are counted: 32 for each of KEY_COUNTED. */
#define SEEN_LOG   15
#define COUNT_STEP 256 /* fingerprints counted before it is seen that they are too many */

/* Distinct values: tidied when there are too many, which then must at least double. */
struct distinct {
    struct vec64 values;
    size_t tidied; /* values at the last tidying */
};

struct keyer {
    struct key_form form;
    uint32_t coarse[KEY_MINIMA];         /* minima of the coarse round */
    bool settled;                        /* which hit every bin */
    uint32_t first[KEY_MINIMA];          /* minima of the first round of all */
    uint64_t minima[KEY_MINIMA];         /* of all rounds */
    uint64_t filled[KEY_MINIMA / 64];    /* a bit per bin */
    uint64_t every[KEY_MINIMA / 64];     /* the bits of all bins there are */
    bool full;                           /* every bin */
    uint64_t seen[(1 << SEEN_LOG) / 64]; /* a bit per hash of a fingerprint */
    uint32_t counted;                    /* bits set */
    struct distinct held;    /* elements of a document in pieces, for later rounds, until it is full */
    struct distinct samples; /* mixed */
    uint64_t sieved[PIECE + KERNEL_SLACK];
};

/* ---- distinct values ---- */

static stemma_status distinct_tidy(struct distinct *d, stemma_error *err) {
    if (!sort_u64(d->values.data, d->values.len)) return fail_memory(err);
    d->values.len = d->tidied = unique_u64(d->values.data, d->values.len);
    return STEMMA_OK;
}

/* Room for PIECE more. */
static stemma_status distinct_reserve(struct distinct *d, stemma_error *err) {
    if (d->values.len > 2 * d->tidied + PIECE) TRY(distinct_tidy(d, err));
    return vec64_reserve(&d->values, PIECE + KERNEL_SLACK) ? STEMMA_OK : fail_memory(err);
}

static stemma_status distinct_add(struct distinct *d, const uint64_t *values, size_t count,
                                  stemma_error *err) {
    for (size_t at = 0; at < count; at += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        TRY(distinct_reserve(d, err));
        memcpy(d->values.data + d->values.len, values + at, some * sizeof *values);
        d->values.len += some;
    }
    return STEMMA_OK;
}

static void distinct_clear(struct distinct *d) {
    d->values.len = d->tidied = 0;
}

/* ---- samples ---- */

static stemma_status sample(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err) {
    struct distinct *d = &keyer->samples;
    for (size_t at = 0; at < count; at += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        TRY(distinct_reserve(d, err));
        uint64_t *out = d->values.data + d->values.len;
        size_t kept = kernels_get()->filter_mod(fp + at, some, keyer->form.modulus, out);
        for (size_t i = 0; i < kept; i++) out[i] = key_sample_mix(keyer->form.seed, out[i]);
        d->values.len += kept;
    }
    return STEMMA_OK;
}

static stemma_status give_samples(struct keyer *keyer, struct vec64 *samples, stemma_error *err) {
    struct distinct *d = &keyer->samples;
    TRY(distinct_tidy(d, err));
    if (d->values.len > samples->len && !vec64_reserve(samples, d->values.len - samples->len))
        return fail_memory(err);
    for (size_t i = 0; i < d->values.len; i++) samples->data[i] = d->values.data[i] >> (64 - KEY_SAMPLE_BITS);
    samples->len = unique_u64(samples->data, d->values.len);
    return STEMMA_OK;
}

/* ---- size ---- */

/* Each bin is watched up to its minimum, an empty one to the end:
 * bins hit, by the part of all bins watched. */
static double size_by_minima(const uint32_t *minima, size_t bins) {
    uint64_t watched = 1, hit = 0;
    for (size_t bin = 0; bin < bins; bin++) {
        watched += minima[bin];
        hit += minima[bin] != UINT32_MAX;
    }
    return (double)hit * (double)bins * 0x1p32 / (double)watched;
}

/* So many minima say for certain that there are more than KEY_COUNTED when they speak of twice as many: with
 * fewer elements they would with a probability below exp(-CERTAIN (ln 2 - 1/2)), one in 10^8. */
#define CERTAIN 96

static bool are_too_many(const struct keyer *keyer) {
    return keyer->form.minima >= CERTAIN &&
           size_by_minima(keyer->first, keyer->form.minima) > 2 * KEY_COUNTED;
}

/* Until there are more than KEY_COUNTED. */
static void count_distinct(struct keyer *keyer, const uint64_t *fp, size_t count) {
    if (keyer->counted <= KEY_COUNTED && count > KEY_COUNTED && are_too_many(keyer))
        keyer->counted = KEY_COUNTED + 1;
    for (size_t at = 0; at < count && keyer->counted <= KEY_COUNTED; at += COUNT_STEP) {
        size_t end = count - at < COUNT_STEP ? count : at + COUNT_STEP;
        for (size_t i = at; i < end; i++) {
            size_t bit = (fp[i] ^ fp[i] >> 32) * MIX64_MULTIPLIER >> (64 - SEEN_LOG);
            keyer->counted += !(keyer->seen[bit / 64] >> bit % 64 & 1);
            keyer->seen[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

static uint32_t estimated_size(const struct keyer *keyer) {
    const struct key_form *form = &keyer->form;
    double size = keyer->settled ? size_by_minima(keyer->coarse, form->minima) * (double)form->coarse
                                 : size_by_minima(keyer->first, form->minima);
    if (size <= KEY_COUNTED) return KEY_COUNTED + 1;
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

uint32_t keyer_size(const struct keyer *keyer) {
    if (keyer->settled || keyer->counted > KEY_COUNTED) return estimated_size(keyer);
    uint32_t size =
        keyer->counted + (keyer->counted * keyer->counted >> (SEEN_LOG + 1)); /* who met in a bit */
    return size < KEY_COUNTED ? size : KEY_COUNTED;
}

/* ---- rounds ---- */

static uint64_t round_seed(const struct key_form *form, size_t round) {
    return mix64(form->seed + round * 0x9e3779b97f4a7c15u);
}

/* Of pieces together, as all rounds that are kernels. */
static void first_round(struct keyer *keyer, const uint64_t *fp, size_t count) {
    const size_t bins = keyer->form.minima;
    kernels_get()->bin_minima(keyer->first, bins, round_seed(&keyer->form, 0), fp, count);
    for (size_t bin = 0; bin < bins && !keyer->full; bin++)
        if (keyer->first[bin] == UINT32_MAX && keyer->coarse[bin] == UINT32_MAX) return;
    keyer->full = true;
}

/* Of fingerprints that are 0 mod form->coarse. The rounds of the others have seeds below. */
static void coarse_round(struct keyer *keyer, const uint64_t *fp, size_t count) {
    const size_t bins = keyer->form.minima;
    kernels_get()->bin_minima(keyer->coarse, bins, round_seed(&keyer->form, 2 * bins), fp, count);
    for (size_t bin = 0; bin < bins && !keyer->settled; bin++)
        if (keyer->coarse[bin] == UINT32_MAX) return;
    keyer->settled = keyer->full = true;
}

static void sieve_coarse(struct keyer *keyer, const uint64_t *fp, size_t count) {
    for (size_t at = 0; at < count; at += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        coarse_round(keyer, keyer->sieved,
                     kernels_get()->filter_mod(fp + at, some, keyer->form.coarse, keyer->sieved));
    }
}

/* The minima of the rounds that are kernels. */
static void see_first_rounds(struct keyer *keyer) {
    const size_t bins = keyer->form.minima;
    for (size_t begin = 0; begin < bins; begin += 64) {
        uint64_t filled = 0;
        for (size_t bin = begin; bin < bins && bin < begin + 64; bin++) {
            uint32_t least = keyer->coarse[bin] != UINT32_MAX ? keyer->coarse[bin] : keyer->first[bin];
            uint64_t hit = least != UINT32_MAX;
            keyer->minima[bin] = least | (hit - 1); /* no branch: nobody could predict it */
            filled |= hit << bin % 64;
        }
        keyer->filled[begin / 64] = filled;
    }
}

static bool all_filled(const struct keyer *keyer) {
    return memcmp(keyer->filled, keyer->every, sizeof keyer->filled) == 0;
}

/* Most bins were filled in earlier rounds, so few of those that are thrown matter. */
static void throw_all(struct keyer *keyer, size_t round, const uint64_t *fp, size_t count) {
    const uint64_t seed = round_seed(&keyer->form, round), bins = keyer->form.minima;
    uint64_t hit[KEY_MINIMA / 64];
    memcpy(hit, keyer->filled, sizeof hit);
    for (size_t at = 0; at < count; at += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        some = kernels_get()->open_bins(fp + at, some, seed, bins, keyer->filled, keyer->sieved);
        for (size_t i = 0; i < some; i++) {
            unsigned __int128 product = (unsigned __int128)keyer->sieved[i] * bins;
            size_t bin = (size_t)(product >> 64);
            uint64_t value = (uint64_t)product;
            keyer->minima[bin] = value < keyer->minima[bin] ? value : keyer->minima[bin];
            hit[bin / 64] |= UINT64_C(1) << bin % 64;
        }
    }
    memcpy(keyer->filled, hit, sizeof hit);
}

/* The last rounds: one for each bin, which all elements hit. */
static void throw_at_rest(struct keyer *keyer, const uint64_t *fp, size_t count) {
    for (size_t bin = 0; bin < keyer->form.minima; bin++) {
        if (keyer->filled[bin / 64] >> bin % 64 & 1) continue;
        uint64_t seed = round_seed(&keyer->form, keyer->form.minima + bin);
        for (size_t i = 0; i < count; i++) {
            uint64_t value = mix64(fp[i] ^ seed);
            keyer->minima[bin] = value < keyer->minima[bin] ? value : keyer->minima[bin];
        }
    }
}

/* All rounds after the first. */
static stemma_status later_rounds(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err) {
    see_first_rounds(keyer);
    struct distinct *held = &keyer->held;
    bool filled = keyer->full, repeated = true; /* for all that is known */
    size_t thrown = count;
    for (size_t round = 1; !filled && round < keyer->form.minima; round++) {
        if (repeated && thrown + count > DEDUPE_THROWS) {
            if (fp != held->values.data) TRY(distinct_add(held, fp, count, err));
            TRY(distinct_tidy(held, err));
            fp = held->values.data;
            count = held->values.len;
            repeated = false;
        }
        throw_all(keyer, round, fp, count);
        thrown += count;
        filled = all_filled(keyer);
    }
    if (!filled) throw_at_rest(keyer, fp, count);
    return STEMMA_OK;
}

/* ---- forms ---- */

/* One token in so many is a sample: one in about 120 bytes, whatever a token is. On disk that is less than a
 * twentieth of the text (of Chinese, whose words are short, a tenth), and a page of 1 KB has seven: if a
 * template makes up half of it, which tells nothing, enough is left to find what contains it. */
static uint64_t modulus_of(enum unit unit) {
    switch (unit) {
    case UNIT_BYTE:
    case UNIT_CHAR:
        return 128;
    case UNIT_WORD:
        return 20;
    case UNIT_LINE:
        return 3;
    }
    return 20;
}

/* Where samples are fast, those of one window in so many decide the minima of documents of 10 KB and more. */
#define COARSE 16

struct key_form key_form_for(const struct view *view) {
    return (struct key_form){.minima = KEY_MINIMA,
                             .rows = 2,
                             .sampled = true,
                             .modulus = modulus_of(view->unit),
                             .coarse = whole_samples_fast(view) ? COARSE : 1,
                             .seed = view_seed(view)};
}

/* ---- documents ---- */

stemma_status keyer_new(struct key_form form, struct keyer **out, stemma_error *err) {
    struct keyer *keyer = mem_zero(1, sizeof *keyer);
    if (!keyer) return fail_memory(err);
    keyer->form = form;
    for (size_t bin = 0; bin < form.minima; bin++) keyer->every[bin / 64] |= UINT64_C(1) << bin % 64;
    *out = keyer;
    return STEMMA_OK;
}

void keyer_free(struct keyer *keyer) {
    if (!keyer) return;
    vec64_release(&keyer->held.values);
    vec64_release(&keyer->samples.values);
    mem_free(keyer);
}

/* The bits of a minimum are those of a small number: mixed before they are cut. */
static void give_keys(const struct keyer *keyer, uint8_t *keys) {
    const struct key_form *form = &keyer->form;
    uint8_t *checks = keys + form->minima;
    for (size_t i = 0; i < form->minima; i++) keys[i] = (uint8_t)mix64(keyer->minima[i]);
    memset(checks, 0, form->checks);
    for (size_t band = 0; band < form->checks; band++)
        for (size_t row = 0; row < form->rows; row++)
            checks[band] ^= (uint8_t)(mix64(keyer->minima[band * form->rows + row]) >> (8 + row * 8));
}

static stemma_status give(struct keyer *keyer, uint8_t *keys, struct vec64 *samples, stemma_error *err) {
    TRY(give_samples(keyer, samples, err));
    give_keys(keyer, keys);
    return STEMMA_OK;
}

void keyer_begin(struct keyer *keyer) {
    memset(keyer->coarse, 0xff, sizeof keyer->coarse);
    memset(keyer->first, 0xff, sizeof keyer->first);
    memset(keyer->seen, 0, sizeof keyer->seen);
    keyer->counted = 0;
    keyer->full = keyer->settled = false;
    distinct_clear(&keyer->held);
    distinct_clear(&keyer->samples);
}

static stemma_status begin_piece(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err) {
    const bool sampled = keyer->form.sampled;
    if (keyer->form.coarse > 1) sieve_coarse(keyer, fp, count);
    if (!keyer->settled) first_round(keyer, fp, count);
    if (!keyer->settled && sampled) count_distinct(keyer, fp, count);
    return sampled ? sample(keyer, fp, count, err) : STEMMA_OK;
}

stemma_status keyer_make(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                         struct vec64 *samples, stemma_error *err) {
    keyer_begin(keyer);
    TRY(begin_piece(keyer, fp, count, err));
    TRY(later_rounds(keyer, fp, count, err));
    return give(keyer, keys, samples, err);
}

stemma_status keyer_make_coarse(struct keyer *keyer, const uint64_t *fp, size_t count, uint8_t *keys,
                                struct vec64 *samples, bool *done, stemma_error *err) {
    keyer_begin(keyer);
    coarse_round(keyer, fp, count);
    *done = keyer->settled;
    if (!*done) return STEMMA_OK;
    if (keyer->form.sampled) TRY(sample(keyer, fp, count, err));
    see_first_rounds(keyer);
    return give(keyer, keys, samples, err);
}

stemma_status keyer_add(struct keyer *keyer, const uint64_t *fp, size_t count, stemma_error *err) {
    TRY(begin_piece(keyer, fp, count, err));
    if (keyer->full) return STEMMA_OK; /* no later round */
    return distinct_add(&keyer->held, fp, count, err);
}

stemma_status keyer_end(struct keyer *keyer, uint8_t *keys, struct vec64 *samples, stemma_error *err) {
    TRY(later_rounds(keyer, keyer->held.values.data, keyer->held.values.len, err));
    return give(keyer, keys, samples, err);
}
