/*
 * Two documents, compared exactly and by sketch, both ways round: whatever the bytes are, the numbers must
 * make sense and agree with each other.
 *
 * Input: one byte that chooses the recipe, then the documents with "|||" between them.
 */
#include "fuzz.h"

#include "stemma.h"

#include <math.h>

static const char *const recipes[] = {
    "window=2; min n=8; mod n=3",
    "preset=raw unit=byte window=4; mod n=2; oph n=16 bits=2",
    "preset=text unit=char window=3 labelled=yes; min n=16",
    "preset=code unit=line window=1; level; minmod n=8 mod=2",
    "unit=word window=3 hash=rabin width=40; minhash n=16 bits=64; minhash n=32 bits=1",
    "unit=word window=3 hash=padded; oph n=16 bits=64; bsw n=4",
    "fold=nfc+space unit=word window=1; bsw-chunk n=4; simhash bits=64",
    "",
};

static bool same_bytes(const struct documents *d) {
    return d->a_size == d->b_size && (d->a_size == 0 || !memcmp(d->a, d->b, d->a_size));
}

static void check_quantity(const stemma_quantity *q, double least) {
    REQUIRE(isfinite(q->value) && isfinite(q->low) && isfinite(q->high));
    if (q->known) {
        REQUIRE(!q->why);
        REQUIRE(least <= q->low && q->low <= q->value && q->value <= q->high && q->high <= 1);
        REQUIRE(!q->exact || (q->low == q->value && q->value == q->high));
    } else {
        REQUIRE(q->why && !q->exact);
        REQUIRE(q->value == 0 && q->low == 0 && q->high == 0);
    }
}

static bool equal(const stemma_quantity *x, const stemma_quantity *y) {
    return x->known == y->known && x->exact == y->exact && x->value == y->value && x->low == y->low &&
           x->high == y->high;
}

static stemma_relation mirrored(stemma_relation relation) {
    if (relation == STEMMA_CONTAINED) return STEMMA_CONTAINS;
    if (relation == STEMMA_CONTAINS) return STEMMA_CONTAINED;
    return relation;
}

/* What holds of any comparison, and of it and the one the other way round. */
static void check_pair(const struct documents *d, const stemma_comparison *there,
                       const stemma_comparison *back) {
    check_quantity(&there->resemblance, 0);
    check_quantity(&there->a_in_b, 0);
    check_quantity(&there->b_in_a, 0);
    check_quantity(&there->cosine, -1);
    REQUIRE(equal(&there->resemblance, &back->resemblance));
    REQUIRE(equal(&there->a_in_b, &back->b_in_a) && equal(&there->b_in_a, &back->a_in_b));
    REQUIRE(equal(&there->cosine, &back->cosine));
    REQUIRE(there->relation == mirrored(back->relation) && there->certain == back->certain);
    if (there->relation == STEMMA_IDENTICAL) REQUIRE(same_bytes(d));
    if (same_bytes(d) && d->a_size > 0) REQUIRE(there->relation == STEMMA_IDENTICAL);
}

/* The relation is what the numbers and the default thresholds say. */
static void check_relation(const stemma_comparison *c) {
    stemma_thresholds line = stemma_thresholds_default();
    double resemblance = c->resemblance.value, forth = c->a_in_b.value, back = c->b_in_a.value;
    if (c->relation == STEMMA_SAME_TEXT && c->resemblance.known) REQUIRE(resemblance == 1);
    if (c->relation == STEMMA_NEAR_DUPLICATE) REQUIRE(resemblance >= line.resemblance);
    if (c->relation == STEMMA_CONTAINED) REQUIRE(forth >= line.containment && resemblance < line.resemblance);
    if (c->relation == STEMMA_CONTAINS) REQUIRE(back >= line.containment && resemblance < line.resemblance);
    if (c->relation == STEMMA_RELATED || c->relation == STEMMA_UNRELATED)
        REQUIRE(resemblance < line.resemblance && forth < line.containment && back < line.containment);
    if (c->relation == STEMMA_UNRELATED) REQUIRE(resemblance <= line.chance);
}

static void check_counts(const stemma_comparison *c) {
    double a = (double)c->shingles_a, b = (double)c->shingles_b, common = (double)c->shingles_common;
    REQUIRE(common <= a && common <= b);
    REQUIRE(!c->from_sketches && (c->certain || c->relation == STEMMA_UNKNOWN));
    if (c->resemblance.known)
        REQUIRE(c->resemblance.exact && fabs(c->resemblance.value - common / (a + b - common)) < 1e-12);
    if (c->a_in_b.known) REQUIRE(c->a_in_b.exact && fabs(c->a_in_b.value - common / a) < 1e-12);
    if (c->b_in_a.known) REQUIRE(c->b_in_a.exact && fabs(c->b_in_a.value - common / b) < 1e-12);
    bool known = a > 0 && b > 0 && c->relation != STEMMA_UNKNOWN;
    REQUIRE(c->resemblance.known == known && c->a_in_b.known == known && c->b_in_a.known == known);
}

/* False when one of them says what it is and is not: a broken archive, say. */
static bool compare_exactly(const struct documents *d, const stemma_recipe *recipe,
                            stemma_comparison *there) {
    stemma_comparison back;
    stemma_status forth =
        stemma_compare_bytes(d->a, d->a_size, d->b, d->b_size, recipe, NULL, NULL, there, NULL);
    stemma_status reverse =
        stemma_compare_bytes(d->b, d->b_size, d->a, d->a_size, recipe, NULL, NULL, &back, NULL);
    REQUIRE(!forth == !reverse);
    if (forth) REQUIRE(forth == STEMMA_CORRUPT || forth == STEMMA_UNSUPPORTED);
    if (forth) return false;
    check_pair(d, there, &back);
    check_relation(there);
    check_counts(there);
    return true;
}

/* A sketch that calls its number exact must have the true one. */
static void check_claim(const stemma_quantity *claimed, const stemma_quantity *truth) {
    if (claimed->known && claimed->exact)
        REQUIRE(truth->known && fabs(claimed->value - truth->value) < 1e-12);
}

static void compare_by_sketch(const struct documents *d, const stemma_recipe *recipe,
                              const stemma_comparison *truth) {
    stemma_sketch *a, *b;
    stemma_comparison there, back;
    REQUIRE(!stemma_sketch_bytes(d->a, d->a_size, "a", recipe, NULL, &a, NULL));
    REQUIRE(!stemma_sketch_bytes(d->b, d->b_size, "b", recipe, NULL, &b, NULL));
    REQUIRE(!stemma_compare_sketches(a, b, NULL, &there, NULL));
    REQUIRE(!stemma_compare_sketches(b, a, NULL, &back, NULL));
    stemma_sketch_free(a);
    stemma_sketch_free(b);
    check_pair(d, &there, &back);
    REQUIRE(there.from_sketches);
    REQUIRE((there.relation == STEMMA_SAME_TEXT) == (truth->relation == STEMMA_SAME_TEXT));
    check_claim(&there.resemblance, &truth->resemblance);
    check_claim(&there.a_in_b, &truth->a_in_b);
    check_claim(&there.b_in_a, &truth->b_in_a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    stemma_recipe *recipe;
    struct documents d = split_documents(data + 1, size - 1);
    REQUIRE(!stemma_recipe_parse(recipes[data[0] % (sizeof recipes / sizeof recipes[0])], &recipe, NULL));
    stemma_comparison truth;
    if (compare_exactly(&d, recipe, &truth)) compare_by_sketch(&d, recipe, &truth);
    stemma_recipe_free(recipe);
    return 0;
}
