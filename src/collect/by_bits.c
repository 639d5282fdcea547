#include "collect/by_bits.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "shingle/whole.h"
#include "sketch/agreement.h"
#include "sketch/bits.h"

#include <math.h>

struct by_bits {
    struct collection *reader;
    const struct stemma_recipe *recipe;
    struct collected *collected;
    const struct hamming_source *source;
    struct whole *whole;
    struct bit_maker *maker; /* of so many bits */
    uint32_t bits;
    uint64_t commit; /* that collected is of */
};

void by_bits_free(struct by_bits *b) {
    if (!b) return;
    collected_free(b->collected);
    whole_free(b->whole);
    bit_maker_free(b->maker);
    mem_free(b);
}

static uint64_t commit_of(const struct collection *reader) {
    struct collection_facts facts;
    collection_about(reader, &facts);
    return facts.commit;
}

/* After a follow or a commit the fingerprints are others, and may have more bits, or fewer. */
static stemma_status follow(struct by_bits *b, stemma_error *err) {
    if (b->collected && b->commit == commit_of(b->reader)) return STEMMA_OK;
    collected_free(b->collected);
    b->collected = NULL;
    TRY(collected_new(b->reader, &b->collected, err));
    b->source = collected_source(b->collected);
    b->commit = commit_of(b->reader);
    if (b->maker && b->bits == b->source->bits) return STEMMA_OK;
    bit_maker_free(b->maker);
    b->maker = NULL;
    b->bits = b->source->bits;
    return bit_maker_new(&b->recipe->view, b->bits, &b->maker, err);
}

static stemma_status prepare(struct by_bits *b, stemma_error *err) {
    TRY(follow(b, err));
    return whole_new(&b->recipe->view, &b->recipe->tables, &b->whole, err);
}

stemma_status by_bits_new(struct collection *reader, const struct stemma_recipe *recipe, struct by_bits **out,
                          stemma_error *err) {
    struct by_bits *b = mem_zero(1, sizeof *b);
    if (!b) return fail_memory(err);
    b->reader = reader;
    b->recipe = recipe;
    stemma_status status = prepare(b, err);
    if (status == STEMMA_OK)
        *out = b;
    else
        by_bits_free(b);
    return status;
}

/* A bit differs with probability (1 - J) / 2: the first number that Binomial(k, that) exceeds rarely enough.
 */
static uint32_t radius_for(uint32_t k, double resemblance, double share) {
    const double p = (1 - resemblance) / 2;
    if (p <= 0) return 0;
    double term = (double)k * log1p(-p), sum = exp(term);
    uint32_t radius = 0;
    while (sum < share && radius < k) {
        term += log((double)(k - radius)) - log((double)(radius + 1)) + log(p) - log1p(-p);
        sum += exp(term);
        radius++;
    }
    return radius;
}

/* Bits in which fingerprints of k bits may differ, so that documents of this resemblance are found as often
 * as is promised (agreement_floors). */
static uint32_t by_bits_radius(uint32_t k, double resemblance) {
    uint32_t most = 0;
    for (int i = 0; i < AGREEMENT_FLOORS; i++) {
        const double j = fmin(resemblance + agreement_floors[i].above, 1);
        const uint32_t radius = radius_for(k, j, agreement_floors[i].share);
        if (radius > most) most = radius;
    }
    return most;
}

stemma_status by_bits_make(struct by_bits *b, const uint8_t *text, size_t size, uint64_t *words,
                           stemma_error *err) {
    uint8_t bytes[BITS_MOST / 8 + sizeof(uint64_t)] = {0};
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(follow(b, err));
    TRY(whole_shingles(b->whole, text, size, &fp, &count, &tokens, err));
    bit_maker_begin(b->maker);
    TRY(bit_maker_add(b->maker, fp, count, err));
    TRY(bit_maker_end(b->maker, err));
    bit_maker_take(b->maker, bytes);
    for (size_t i = 0; i * 64 < b->source->bits; i++) words[i] = load_u64(bytes + 8 * i);
    return STEMMA_OK;
}

/* What so many bits say, in minima. */
static uint32_t as_minima(uint32_t distance, uint32_t bits) {
    const double resemblance = 1 - 2. * distance / bits;
    return resemblance > 0 ? (uint32_t)(KEY_MINIMA * resemblance) : 0;
}

/* Candidates of matches, as they come or when all are there. */
struct matched {
    uint32_t bits;
    struct candidates *out;
};

static stemma_status take_match(void *to, uint64_t number, uint32_t distance, stemma_error *err) {
    const struct matched *m = to;
    const struct candidate c = {
        .number = number, .agree = as_minima(distance, m->bits), .reasons = MAY_RESEMBLE};
    return candidates_add(m->out, &c, 0, err);
}

static stemma_status take_matches(const struct hamming_matches *matches, struct matched *to,
                                  stemma_error *err) {
    for (size_t i = 0; i < matches->count; i++)
        TRY(take_match(to, matches->list[i].number, matches->list[i].distance, err));
    candidates_finish(to->out, 0);
    to->out->left_out += matches->left_out;
    return STEMMA_OK;
}

static stemma_way way_of(enum hamming_via used) {
    static const stemma_way ways[] = {STEMMA_WAY_ALL_BITS, STEMMA_WAY_ALL_BITS, STEMMA_WAY_G, STEMMA_WAY_H,
                                      STEMMA_WAY_MIH}; /* in the order of enum hamming_via */
    return ways[used];
}

stemma_status by_bits_find(struct by_bits *b, const uint64_t *words, double resemblance, enum hamming_via via,
                           struct candidates *out, struct retrieval_work *work, stemma_error *err) {
    struct hamming_work done = {0};
    TRY(follow(b, err));
    const uint32_t bits = b->source->bits;
    struct matched to = {bits, out};
    struct hamming_matches matches = {.most = out->most, .take = out->to ? take_match : NULL, .to = &to};
    stemma_status status =
        hamming_query(b->source, words, by_bits_radius(bits, resemblance), via, &matches, &done, err);
    if (status == STEMMA_OK) status = take_matches(&matches, &to, err);
    hamming_matches_release(&matches);
    work->lookups += done.searches;
    work->postings += done.postings;
    work->scanned += done.used == HAMMING_SCAN ? done.distances : 0;
    work->ways[way_of(done.used)]++;
    return status;
}
