#include "estimate/tally.h"

#include "kernels/kernels.h"

#include <string.h>

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

void tally_init(struct tally *tally) {
    *tally = (struct tally){0};
    places_init(&tally->rest_places);
}

void tally_release(struct tally *tally) {
    vec64_release(&tally->marks);
    vec64_release(&tally->rest);
    places_release(&tally->rest_places);
}

stemma_status tally_begin(struct tally *tally, const struct tally_base *base, stemma_error *err) {
    size_t words = bits_words(base->count);
    tally->marks.len = tally->rest.len = 0;
    if (!vec64_reserve(&tally->marks, words)) return fail_memory(err);
    memset(tally->marks.data, 0, words * sizeof *tally->marks.data);
    return STEMMA_OK;
}

stemma_status tally_find(struct tally *tally, const struct tally_base *base, const uint64_t *fp, size_t count,
                         stemma_error *err) {
    if (!vec64_reserve(&tally->rest, count)) return fail_memory(err);
    for (size_t i = 0; i < count; i++) tally_put(tally, fp[i], places_find(&base->places, fp[i]));
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
    TRY(places_set(&tally->rest_places, tally->rest.data, tally->rest.len, err));
    settle(tally->marks.data, base);
    uint64_t unmet =
        kernels_get()->hamming((const uint8_t *)tally->marks.data, (const uint8_t *)base->firsts.data,
                               bits_words(base->count) * sizeof *tally->marks.data);
    uint64_t common = base->places.distinct - unmet;
    *out = (struct overlap){base->places.distinct, common + tally->rest_places.distinct, common};
    return STEMMA_OK;
}
