#include "estimate/tally.h"

#include "kernels/kernels.h"

#include <string.h>

enum { BLOCK = 256 }; /* fingerprints looked for at a time */

void tally_base_init(struct tally_base *base) {
    *base = (struct tally_base){0};
    places_init(&base->places);
}

void tally_base_release(struct tally_base *base) {
    places_release(&base->places);
    vec64_release(&base->firsts);
}

stemma_status tally_base_set(struct tally_base *base, const uint64_t *fp, size_t count, stemma_error *err) {
    size_t words = bits_words(count);
    base->firsts.len = 0;
    if (!vec64_reserve(&base->firsts, words)) return fail_memory(err);
    TRY(places_set(&base->places, fp, count, err));
    uint64_t *firsts = base->firsts.data;
    memset(firsts, 0, words * sizeof *firsts);
    bits_set_range(firsts, 0, count);
    for (size_t i = 0; i < base->places.repeat_count; i++)
        bits_clear_range(firsts, base->places.repeats[i].at, base->places.repeats[i].count);
    base->count = count;
    return STEMMA_OK;
}

void tally_release(struct tally *tally) {
    vec64_release(&tally->marks);
    vec64_release(&tally->rest);
    vec64_release(&tally->met);
    vec64_release(&tally->bits);
    distinct_release(&tally->distinct);
}

stemma_status tally_begin(struct tally *tally, const struct tally_base *base, stemma_error *err) {
    size_t words = bits_words(base->count);
    tally->marks.len = tally->rest.len = 0;
    if (!vec64_reserve(&tally->marks, words)) return fail_memory(err);
    memset(tally->marks.data, 0, words * sizeof *tally->marks.data);
    return STEMMA_OK;
}

/* Sorts out, without a branch, the fingerprints that are certainly not in the base;
 * returns how many may be. */
static size_t sift(struct tally *tally, const struct places *places, const uint64_t *fp, size_t count,
                   uint64_t *maybe) {
    const struct places table = *places; /* which no store can change, unlike what a pointer points to */
    uint64_t *rest = tally->rest.data + tally->rest.len;
    size_t kept = 0, absent = 0;
    for (size_t i = 0; i < count; i++) {
        bool may_be = places_may_have(&table, fp[i]);
        maybe[kept] = rest[absent] = fp[i];
        kept += may_be;
        absent += !may_be;
    }
    tally->rest.len += absent;
    return kept;
}

stemma_status tally_find(struct tally *tally, const struct tally_base *base, const uint64_t *fp, size_t count,
                         stemma_error *err) {
    uint64_t maybe[BLOCK];
    if (!vec64_reserve(&tally->rest, count + 1)) return fail_memory(err);
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t kept = sift(tally, &base->places, fp + at, count - at < BLOCK ? count - at : BLOCK, maybe);
        for (size_t i = 0; i < kept; i++) tally_put(tally, maybe[i], places_find(&base->places, maybe[i]));
    }
    return STEMMA_OK;
}

/* Marks move to the first position of their fingerprint, where each counts once. */
static void settle(uint64_t *marks, const struct tally_base *base) {
    const struct places *places = &base->places;
    for (size_t i = 0; i < places->repeat_count; i++)
        bits_or_range(marks, places->repeats[i].first, places->repeats[i].at, places->repeats[i].count);
    for (size_t i = 0; i < bits_words(base->count); i++) marks[i] &= base->firsts.data[i];
}

stemma_status tally_end(struct tally *tally, const struct tally_base *base, struct overlap *out,
                        stemma_error *err) {
    size_t rest;
    TRY(distinct_count(&tally->distinct, tally->rest.data, tally->rest.len, &rest, err));
    settle(tally->marks.data, base);
    uint64_t unmet =
        kernels_get()->hamming((const uint8_t *)tally->marks.data, (const uint8_t *)base->firsts.data,
                               bits_words(base->count) * sizeof *tally->marks.data);
    uint64_t common = base->places.distinct - unmet;
    *out = (struct overlap){base->places.distinct, common + rest, common};
    return STEMMA_OK;
}

/* ---- all at once ---- */

static bool make_room(struct tally *tally, const struct tally_base *base, size_t count) {
    size_t words = bits_words(base->count), zero = tally->bits.len;
    tally->rest.len = tally->met.len = 0;
    if (!vec64_reserve(&tally->rest, count + 1) || !vec64_reserve(&tally->met, count + 1)) return false;
    if (words <= zero) return true;
    if (!vec64_reserve(&tally->bits, words - zero)) return false;
    memset(tally->bits.data + zero, 0, (words - zero) * sizeof *tally->bits.data);
    tally->bits.len = words;
    return true;
}

/* Looking up leads to the first position of a fingerprint, so what is met counts once at once. */
static size_t meet(struct tally *tally, const struct places *places, const uint64_t *fp, size_t count) {
    uint64_t *bits = tally->bits.data, *met = tally->met.data + tally->met.len;
    size_t found = 0, fresh = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = places_find(places, fp[i]);
        if (at == PLACES_NONE) {
            tally->rest.data[tally->rest.len++] = fp[i];
            continue;
        }
        fresh += ~bits[at / 64] >> at % 64 & 1;
        bits_set(bits, at);
        met[found++] = at;
    }
    tally->met.len += found;
    return fresh;
}

stemma_status tally_all(struct tally *tally, const struct tally_base *base, const uint64_t *fp, size_t count,
                        struct overlap *out, stemma_error *err) {
    uint64_t maybe[BLOCK];
    size_t common = 0, rest;
    if (!make_room(tally, base, count)) return fail_memory(err);
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t kept = sift(tally, &base->places, fp + at, count - at < BLOCK ? count - at : BLOCK, maybe);
        common += meet(tally, &base->places, maybe, kept);
    }
    for (size_t i = 0; i < tally->met.len; i++) tally->bits.data[tally->met.data[i] / 64] = 0;
    TRY(distinct_count(&tally->distinct, tally->rest.data, tally->rest.len, &rest, err));
    *out = (struct overlap){base->places.distinct, common + rest, common};
    return STEMMA_OK;
}
