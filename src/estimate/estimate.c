/* Which estimator a pair of parts needs, and the best answer of several. */
#include "estimate/estimate.h"

static struct estimates nothing_known(void) {
    stemma_quantity none = quantity_unknown("the recipes have no scheme in common that gives it");
    return (struct estimates){.resemblance = none,
                              .a_in_b = none,
                              .b_in_a = none,
                              .cosine = quantity_unknown("no simhash was compared")};
}

/* Signatures are about edits; sets of shingles do not follow from them. */
static void signature_says_nothing(struct estimates *out) {
    out->resemblance = out->a_in_b = out->b_in_a =
        quantity_unknown("signatures tell the edit distance, not the share of common shingles");
}

stemma_status estimate_parts(const struct spec *sa, const struct part *a, const struct spec *sb,
                             const struct part *b, int width, struct estimates *out, stemma_error *err) {
    struct estimates found = nothing_known();
    switch (sa->scheme) {
    case SCHEME_MOD:
    case SCHEME_LEVEL:
    case SCHEME_MIN:
    case SCHEME_MINMOD:
        TRY(estimate_samples(sa, a, sb, b, width, &found, err));
        break;
    case SCHEME_MINHASH:
        estimate_minhash(sa, a, sb, b, &found);
        break;
    case SCHEME_OPH:
        estimate_oph(sa, a, b, &found);
        break;
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        estimate_chunks(sa, a, b, &found);
        break;
    case SCHEME_SIMHASH:
        estimate_simhash(sa, a, sb, b, &found);
        break;
    case SCHEME_SIGNATURE:
    case SCHEME_SIGNATURE2011:
        signature_says_nothing(&found);
        break;
    }
    *out = found;
    return STEMMA_OK;
}

static struct estimates no_text(void) {
    stemma_quantity none = quantity_unknown("there is no text");
    return (struct estimates){.resemblance = none, .a_in_b = none, .b_in_a = none, .cosine = none};
}

static void keep_better(stemma_quantity *best, double *best_draws, stemma_quantity other, double draws) {
    if (!other.known) {
        if (!best->known && other.why) best->why = other.why;
        return;
    }
    if (best->known && *best_draws >= draws) return;
    *best = other;
    *best_draws = draws;
}

static const struct spec_pair *find_scheme(const struct stemma_sketch *a, const struct spec_pair *pairs,
                                           size_t count, enum scheme scheme) {
    for (size_t i = 0; i < count; i++)
        if (a->recipe->specs[pairs[i].a].scheme == scheme) return &pairs[i];
    return NULL;
}

stemma_status estimate_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b,
                                struct estimates *out, stemma_error *err) {
    struct spec_pair pairs[SPECS_MOST];
    struct estimates best = nothing_known();
    TRY(recipe_comparable(a->recipe, b->recipe, err));
    if (a->shingles == 0 || b->shingles == 0) {
        *out = no_text();
        return STEMMA_OK;
    }
    size_t count = recipe_pairs(a->recipe, b->recipe, pairs);
    for (size_t i = 0; i < count; i++) {
        struct estimates found;
        TRY(estimate_parts(&a->recipe->specs[pairs[i].a], &a->parts[pairs[i].a],
                           &b->recipe->specs[pairs[i].b], &b->parts[pairs[i].b], a->recipe->view.width,
                           &found, err));
        keep_better(&best.resemblance, &best.resemblance_draws, found.resemblance, found.resemblance_draws);
        keep_better(&best.a_in_b, &best.a_draws, found.a_in_b, found.a_draws);
        keep_better(&best.b_in_a, &best.b_draws, found.b_in_a, found.b_draws);
        if (found.cosine.known) best.cosine = found.cosine;
    }
    const struct spec_pair *minima = find_scheme(a, pairs, count, SCHEME_OPH);
    bool samples = find_scheme(a, pairs, count, SCHEME_MOD) || find_scheme(a, pairs, count, SCHEME_LEVEL);
    if (minima && samples && !best.resemblance.exact)
        containment_from_resemblance(&a->recipe->specs[minima->a], &a->parts[minima->a], &b->parts[minima->b],
                                     &best);
    containments_reconcile(&best);
    *out = best;
    return STEMMA_OK;
}
