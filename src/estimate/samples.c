/*
 * Schemes that keep fingerprints themselves: mod, level, min, minmod.
 *
 * mod, level (Broder 1997, Theorem 1): the share of common values in the union of the samples, and for
 * containment in the sample of one. min, minmod: the share of common values among the s smallest of the
 * union, which is unbiased; the Jaccard coefficient of the two samples (as some read it) is not.
 */
#include "base/sort.h"
#include "estimate/estimate.h"

#include <math.h>

/* Counts over two ascending samples, restricted to multiples of `modulus`, stopping after `most` of the
 * union. */
struct tally {
    uint64_t a, b, common, in_union;
    uint64_t last; /* the largest value looked at */
};

static struct tally tally(const struct vec64 *a, const struct vec64 *b, uint64_t modulus, uint64_t most) {
    struct tally t = {0};
    size_t i = 0, j = 0;
    while ((i < a->len || j < b->len) && t.in_union < most) {
        bool in_a = j >= b->len || (i < a->len && a->data[i] <= b->data[j]);
        bool in_b = i >= a->len || (j < b->len && b->data[j] <= a->data[i]);
        uint64_t value = in_a ? a->data[i] : b->data[j];
        i += in_a;
        j += in_b;
        if (value % modulus) continue;
        t.a += in_a;
        t.b += in_b;
        t.common += in_a && in_b;
        t.in_union++;
        t.last = value;
    }
    return t;
}

/* `common` of `all`, when there are any. */
static void give_share(stemma_quantity *q, double *draws, uint64_t common, uint64_t all, double shrink) {
    if (all == 0) return;
    *q = quantity_share((double)common, (double)all, shrink);
    *draws = shrink > 0 ? (double)all / shrink : HUGE_VAL;
}

/* ---- the smallest ---- */

/* How many of the smallest of the union are sure: a sample that is not complete says nothing beyond its own
 * end. */
static uint64_t sure_size(const struct vec64 *a, bool a_complete, uint64_t na, const struct vec64 *b,
                          bool b_complete, uint64_t nb) {
    uint64_t most = UINT64_MAX;
    if (!a_complete && (a->len < na ? a->len : na) < most) most = a->len < na ? a->len : na;
    if (!b_complete && (b->len < nb ? b->len : nb) < most) most = b->len < nb ? b->len : nb;
    return most;
}

/* Finite population: the share of all fingerprints that lie below the last one looked at. */
static double part_below(uint64_t last, int width) {
    return (double)last / ldexp(1, width);
}

static void of_smallest(const struct vec64 *a, bool a_complete, uint64_t na, const struct vec64 *b,
                        bool b_complete, uint64_t nb, uint64_t mod, int width, struct estimates *out) {
    bool all = a_complete && b_complete;
    struct tally t = tally(a, b, 1, sure_size(a, a_complete, na, b, b_complete, nb));
    if (t.in_union == 0) {
        out->resemblance = quantity_unknown("neither sketch has a sample");
        return;
    }
    double seen = (all ? 1 : part_below(t.last, width)) / (double)mod;
    double shrink = all && mod == 1 ? 0 : 1 - seen;
    give_share(&out->resemblance, &out->resemblance_draws, t.common, t.in_union, shrink);
    if (!all) return;
    give_share(&out->a_in_b, &out->a_draws, t.common, t.a, shrink);
    give_share(&out->b_in_a, &out->b_draws, t.common, t.b, shrink);
}

static void estimate_min(const struct spec *sa, const struct part *a, const struct spec *sb,
                         const struct part *b, int width, struct estimates *out) {
    uint64_t mod = sa->scheme == SCHEME_MINMOD ? sa->mod : 1;
    out->a_in_b = out->b_in_a = quantity_unknown("the smallest fingerprints give no containment");
    of_smallest(&a->values, a->complete && a->values.len <= sb->n, sa->n, &b->values,
                b->complete && b->values.len <= sa->n, sb->n, mod, width, out);
}

/* ---- multiples ---- */

/* A sample that is too small comes with the smallest fingerprints of the document; fewer than the floor are
 * all. */
static bool has_floor(const struct part *part) {
    return part->smallest.len > 0;
}

static void estimate_multiples(const struct part *a, const struct part *b, uint64_t modulus, int width,
                               struct estimates *out) {
    struct tally t = tally(&a->values, &b->values, modulus, UINT64_MAX);
    double shrink = 1 - 1 / (double)modulus;
    out->resemblance = quantity_unknown("neither sketch has a sample");
    out->a_in_b = quantity_unknown("there is no sample of the first document");
    out->b_in_a = quantity_unknown("there is no sample of the second document");
    give_share(&out->resemblance, &out->resemblance_draws, t.common, t.in_union, shrink);
    give_share(&out->a_in_b, &out->a_draws, t.common, t.a, shrink);
    give_share(&out->b_in_a, &out->b_draws, t.common, t.b, shrink);
    if (has_floor(a) && has_floor(b) && t.in_union < SAMPLE_FLOOR) {
        struct estimates few = *out;
        of_smallest(&a->smallest, a->smallest.len < SAMPLE_FLOOR, SAMPLE_FLOOR, &b->smallest,
                    b->smallest.len < SAMPLE_FLOOR, SAMPLE_FLOOR, 1, width, &few);
        *out = few;
    }
}

stemma_status estimate_samples(const struct spec *sa, const struct part *a, const struct spec *sb,
                               const struct part *b, int width, struct estimates *out, stemma_error *err) {
    if (sa->scheme == SCHEME_MIN || sa->scheme == SCHEME_MINMOD) {
        estimate_min(sa, a, sb, b, width, out);
    } else if (sa->scheme == SCHEME_LEVEL) {
        uint32_t level = a->level > b->level ? a->level : b->level;
        estimate_multiples(a, b, UINT64_C(1) << level, width, out);
    } else {
        uint64_t coarser = sa->n > sb->n ? sa->n : sb->n, finer = sa->n > sb->n ? sb->n : sa->n;
        if (coarser % finer)
            return fail(err, STEMMA_MISMATCH, "mod n=%u does not nest in mod n=%u", sa->n, sb->n);
        estimate_multiples(a, b, coarser, width, out);
    }
    return STEMMA_OK;
}
