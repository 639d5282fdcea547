#include "changed.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first algorithm of the same specification. */
static size_t first_like(const struct algorithm *algorithms, size_t index) {
    size_t i = 0;
    while (strcmp(algorithms[i].spec, algorithms[index].spec)) i++;
    return i;
}

static stemma_status make_recipe(struct originals *originals, unsigned window, uint64_t seed,
                                 stemma_error *err) {
    char text[400];
    size_t used = (size_t)snprintf(text, sizeof text, "preset=raw unit=byte window=%u hash=rabin seed=%llu",
                                   window, (unsigned long long)seed),
           parts = 0;
    for (size_t i = 0; i < originals->algorithm_count && used < sizeof text; i++) {
        size_t like = first_like(originals->algorithms, i);
        originals->parts[i] = like < i ? originals->parts[like] : parts++;
        if (like == i)
            used += (size_t)snprintf(text + used, sizeof text - used, "; %s", originals->algorithms[i].spec);
    }
    return stemma_recipe_parse(text, &originals->recipe, err);
}

double originals_score(const struct originals *originals, size_t algorithm, const stemma_sketch *a,
                       const stemma_sketch *b) {
    return originals->algorithms[algorithm].score(a, b, originals->parts[algorithm]);
}

stemma_status originals_make(const struct corpus *corpus, const struct algorithm *algorithms, size_t count,
                             unsigned window, uint64_t seed, struct originals *out, stemma_error *err) {
    *out = (struct originals){.corpus = corpus, .algorithms = algorithms, .algorithm_count = count};
    stemma_status status = make_recipe(out, window, seed, err);
    out->sketches = mem_zero(corpus->count, sizeof *out->sketches);
    if (status == STEMMA_OK && !out->sketches) status = fail_memory(err);
    for (size_t i = 0; status == STEMMA_OK && i < corpus->count; i++)
        status =
            sketch_make(out->recipe, corpus->texts[i].bytes, corpus->texts[i].size, &out->sketches[i], err);
    if (status != STEMMA_OK) originals_release(out);
    return status;
}

void originals_release(struct originals *originals) {
    for (size_t i = 0; originals->sketches && i < originals->corpus->count; i++)
        stemma_sketch_free(originals->sketches[i]);
    mem_free(originals->sketches);
    stemma_recipe_free(originals->recipe);
    *originals = (struct originals){0};
}

stemma_status originals_change(const struct originals *originals, size_t document, stemma_mutation_kind kind,
                               uint64_t count, uint64_t seed, double *scores, stemma_error *err) {
    const struct text *text = &originals->corpus->texts[document];
    stemma_mutated *mutated;
    stemma_sketch *sketch = NULL;
    size_t size;
    TRY(mutate_text(text->bytes, text->size, kind, count, mix64(seed + document) + count, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    stemma_status status = sketch_make(originals->recipe, bytes, size, &sketch, err);
    for (size_t i = 0; status == STEMMA_OK && i < originals->algorithm_count; i++)
        scores[i] = originals_score(originals, i, originals->sketches[document], sketch);
    stemma_sketch_free(sketch);
    stemma_mutated_free(mutated);
    return status;
}

stemma_status originals_means(const struct originals *originals, stemma_mutation_kind kind, uint64_t count,
                              uint64_t seed, double *means, stemma_error *err) {
    double sums[ALGORITHMS_MOST] = {0}, judged[ALGORITHMS_MOST] = {0}, scores[ALGORITHMS_MOST];
    for (size_t document = 0; document < originals->corpus->count; document++) {
        TRY(originals_change(originals, document, kind, count, seed, scores, err));
        for (size_t i = 0; i < originals->algorithm_count; i++) {
            if (isnan(scores[i])) continue;
            sums[i] += scores[i];
            judged[i]++;
        }
    }
    for (size_t i = 0; i < originals->algorithm_count; i++) means[i] = sums[i] / judged[i];
    return STEMMA_OK;
}
