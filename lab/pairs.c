#include "pairs.h"

#include "base/rng.h"

#include <ctype.h>
#include <math.h>

stemma_status pairs_init(struct pairs *pairs, const struct corpus *corpus, size_t bytes, unsigned window,
                         stemma_error *err) {
    *pairs = (struct pairs){.corpus = corpus, .bytes = bytes};
    return recipe_make(&pairs->whole, 0, err, "preset=text unit=word window=%u; mod n=1", window);
}

void pairs_release(struct pairs *pairs) {
    stemma_recipe_free(pairs->whole);
}

void pair_release(struct pair *pair) {
    buf_release(&pair->a);
    buf_release(&pair->b);
}

/* Whole words of a document, somewhere in it. */
static bool add_passage(const struct pairs *pairs, size_t document, uint64_t *rng, struct buf *out) {
    const struct text *text = &pairs->corpus->texts[document % pairs->corpus->count];
    size_t room = text->size > pairs->bytes ? text->size - pairs->bytes : 0, begin = rng_below(rng, room + 1),
           end = text->size - room + begin;
    while (begin > 0 && begin < end && !isspace(text->bytes[begin - 1])) begin++;
    while (end < text->size && end > begin && !isspace(text->bytes[end])) end--;
    out->len = 0;
    return buf_add(out, text->bytes + begin, end - begin);
}

static stemma_status count_resemblance(const struct pairs *pairs, struct pair *pair, stemma_error *err) {
    stemma_sketch *a = NULL, *b = NULL;
    stemma_status status = sketch_make(pairs->whole, pair->a.data, pair->a.len, &a, err);
    if (status == STEMMA_OK) status = sketch_make(pairs->whole, pair->b.data, pair->b.len, &b, err);
    if (status == STEMMA_OK) pair->r = jaccard_of(a, b, 0);
    stemma_sketch_free(a);
    stemma_sketch_free(b);
    return status;
}

static stemma_status remove_words(const struct pairs *pairs, double share, uint64_t seed, struct pair *pair,
                                  stemma_error *err) {
    stemma_mutation mutation = stemma_mutation_default();
    stemma_mutated *mutated;
    size_t size;
    mutation.kind = STEMMA_MUTATE_REMOVE_WORDS;
    mutation.share = share;
    mutation.seed = seed;
    TRY(stemma_mutate(pair->a.data, pair->a.len, &mutation, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    pair->b.len = 0;
    stemma_status status = buf_add(&pair->b, bytes, size) ? STEMMA_OK : fail_memory(err);
    stemma_mutated_free(mutated);
    return status == STEMMA_OK ? count_resemblance(pairs, pair, err) : status;
}

/* The more words are gone, the less is left in common: the share is halved in until it is as near as a few
 * words are. */
static stemma_status approach(const struct pairs *pairs, double aim, uint64_t seed, struct pair *pair,
                              stemma_error *err) {
    double low = 0, high = .9, best = 0, off = INFINITY;
    for (int step = 0; step < 10; step++) {
        double share = (low + high) / 2;
        TRY(remove_words(pairs, share, seed, pair, err));
        if (fabs(pair->r - aim) < off) {
            off = fabs(pair->r - aim);
            best = share;
        }
        *(pair->r > aim ? &low : &high) = share;
    }
    return remove_words(pairs, best, seed, pair, err);
}

stemma_status pair_make(const struct pairs *pairs, double aim, uint64_t seed, struct pair *out,
                        stemma_error *err) {
    uint64_t rng = mix64(seed);
    size_t document = rng_below(&rng, pairs->corpus->count);
    if (!add_passage(pairs, document, &rng, &out->a)) return fail_memory(err);
    if (aim > 0 && aim < 1) return approach(pairs, aim, rng_next(&rng), out, err);
    out->b.len = 0;
    bool ok =
        aim > 0 ? buf_add(&out->b, out->a.data, out->a.len) : add_passage(pairs, document + 1, &rng, &out->b);
    return ok ? count_resemblance(pairs, out, err) : fail_memory(err);
}
