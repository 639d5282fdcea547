/*
 * What sketches of some sizes would find: for documents that cannot be kept, or are not to be read again.
 *
 * Each document with its first copy, and with any other document, by sketches alone.
 */
#include "tune.h"

#include <string.h>

#include "command.h"

enum { SKETCHED_MOST = 600 }; /* documents: enough to tell sizes apart, and no longer than a scan takes */

enum {
    SIZES_APART = 4,
    HASHES_LEAST = 256,
    HASHES_USUAL = 4096,
    HASHES_MOST = 1 << 16,
    RATE_USUAL = 8,
    RATE_MOST = 1 << 20
};

/* What a file of sketches has besides samples and bits (docs/format.md, which is for ever). */
enum {
    AROUND_ALL = 8 + 4 + 4 + 8 + 4 + 8 + 8,   /* header, without the recipe, and end */
    AROUND_EACH = 4 + 8 + 4 + 3 * 8 + 2 * 32, /* record: frame, length of the name, counts, digests */
    OF_OPH = 4 + 8,                           /* filled, distinct */
    OF_MOD = 4 + 4                            /* two counts */
};

/* Of a document, without its sample or bits. */
static double bytes_around(const tuning *t) {
    double name = (double)t->sample.name_bytes / (double)t->sample.count;
    return AROUND_EACH + (t->aim->by_containment ? OF_MOD : OF_OPH) + name;
}

/* Values of 2 bits: as many as fit, or the usual. */
static unsigned hashes_that_fit(const tuning *t) {
    unsigned hashes = HASHES_MOST;
    size_t bytes = t->options->most_bytes;
    if (!bytes) return HASHES_USUAL;
    while (hashes > HASHES_LEAST && hashes / 4 + bytes_around(t) > (double)bytes) hashes /= 2;
    return hashes;
}

/* One in so many of the fingerprints, of 8 bytes each. */
static unsigned rate_that_fits(const tuning *t) {
    double all = 0;
    unsigned rate = 1;
    size_t bytes = t->options->most_bytes;
    if (!bytes) return RATE_USUAL;
    for (size_t i = 0; i < t->own.count; i++) all += (double)t->own.tokens[i];
    while (rate < RATE_MOST && 8 * all / (double)t->own.count / rate + bytes_around(t) > (double)bytes)
        rate *= 2;
    return rate;
}

/* By containment the sample has to grow with the document; by resemblance a fixed size will do. The last is
 * the largest. */
static void name_sketch(const tuning *t, size_t which, char *recipe, size_t size) {
    const tune_view *view = &t->views[t->best_view];
    unsigned smaller = 1;
    for (size_t i = which + 1; i < TUNE_SKETCHES; i++) smaller *= SIZES_APART;
    int used = snprintf(recipe, size, "unit=%s window=%u; ", view->unit, view->window);
    if (t->aim->by_containment)
        snprintf(recipe + used, size - (size_t)used, "mod n=%u", rate_that_fits(t) * smaller);
    else
        snprintf(recipe + used, size - (size_t)used, "oph n=%u bits=2", hashes_that_fit(t) / smaller);
}

static uint64_t part_bytes(const stemma_sketch *sketch) {
    stemma_sketch_part part;
    if (stemma_sketch_get_part(sketch, 0, &part, NULL)) return 0;
    return (part.bit_count + 7) / 8 + (part.value_count + part.smallest_count) * sizeof *part.values;
}

/* Whether the estimate is at or above the threshold. */
static bool is_found(const tuning *t, const stemma_comparison *c) {
    double threshold = tune_best(t)->threshold;
    double contained = c->a_in_b.value > c->b_in_a.value ? c->a_in_b.value : c->b_in_a.value;
    if (c->relation == STEMMA_IDENTICAL || c->relation == STEMMA_SAME_TEXT) return true;
    if (t->aim->by_containment) return contained >= threshold;
    return c->resemblance.value >= threshold || (t->aim->contained > 0 && contained >= t->aim->contained);
}

typedef struct count {
    size_t documents, found, wrong;
    uint64_t bytes;
} count;

static stemma_status compare(const tuning *t, const stemma_sketch *a, const stemma_sketch *b, size_t *found,
                             stemma_error *error) {
    stemma_comparison comparison;
    stemma_status status = stemma_compare_sketches(a, b, NULL, &comparison, error);
    if (!status) *found += is_found(t, &comparison);
    return status;
}

static stemma_status sketch_text(const tune_text *text, const stemma_recipe *recipe, stemma_sketch **out,
                                 stemma_error *error) {
    stemma_limits limits = stemma_limits_default();
    limits.stop = &stop_requested;
    return stemma_sketch_bytes(text->data, text->size, "", recipe, &limits, out, error);
}

/* A document, its copy, and the document before: the sample is in an order decided by chance. */
static stemma_status try_document(const tuning *t, size_t i, const stemma_recipe *recipe,
                                  stemma_sketch **last, count *c, stemma_error *error) {
    stemma_sketch *original, *copy;
    stemma_status status = sketch_text(&t->sample.texts[i], recipe, &original, error);
    if (status) return status;
    status = sketch_text(&t->copies.texts[i], recipe, &copy, error);
    if (!status) {
        status = compare(t, original, copy, &c->found, error);
        stemma_sketch_free(copy);
    }
    if (!status && *last) status = compare(t, original, *last, &c->wrong, error);
    c->bytes += part_bytes(original);
    c->documents++;
    stemma_sketch_free(*last);
    *last = original;
    return status;
}

static stemma_status try_sketch(const tuning *t, tune_sketch *sketch, stemma_error *error) {
    stemma_recipe *recipe;
    stemma_sketch *last = NULL;
    count c = {0};
    stemma_status status = stemma_recipe_parse(sketch->recipe, &recipe, error);
    if (status) return status;
    for (size_t i = 0; i < t->sample.count && i < SKETCHED_MOST && !status; i++)
        status = try_document(t, i, recipe, &last, &c, error);
    double around_all = AROUND_ALL + (double)strlen(stemma_recipe_text(recipe));
    stemma_sketch_free(last);
    stemma_recipe_free(recipe);
    if (status) return status;
    sketch->bytes =
        (double)c.bytes / (double)c.documents + bytes_around(t) + around_all / (double)t->sample.all;
    sketch->recall = tune_interval((double)c.found / (double)c.documents, (double)c.documents);
    sketch->wrong = tune_interval((double)c.wrong / (double)c.documents, (double)c.documents);
    return STEMMA_OK;
}

/* The largest that fits. */
static size_t best_sketch(const tuning *t) {
    size_t best = TUNE_SKETCHES;
    for (size_t i = 0; i < TUNE_SKETCHES && t->options->most_bytes; i++)
        if (t->sketches[i].bytes <= (double)t->options->most_bytes) best = i;
    return best;
}

enum exit_code tune_try_sketches(tuning *t) {
    stemma_error error;
    enum exit_code code = tune_copies_make(&t->copies, &t->sample, t->aim, t->options->chance, 0);
    for (size_t i = 0; i < TUNE_SKETCHES && !code; i++) {
        tune_sketch *sketch = &t->sketches[i];
        name_sketch(t, i, sketch->recipe, sizeof sketch->recipe);
        if (try_sketch(t, sketch, &error)) code = complain_of(&error);
    }
    t->best_sketch = best_sketch(t);
    return code;
}
