/*
 * Schemes that keep minima, whole or a few bits of each: Sketch_n and one-permutation hashing.
 *
 * A field agrees with probability P = J + (1 - J) 2^-b, so J = (P - 2^-b) / (1 - 2^-b) (Yuan 2012, eq. 5, for
 * b = 1; Li and König 2010). Containment is refused: from a fixed-size sketch it would be a guess.
 *
 * The variance of one-permutation hashing is smaller than binomial for documents of few shingles, since bins
 * draw without replacement (Li, Owen, Zhang 2012), and larger by the uneven copies that densification makes.
 */
#include "estimate/estimate.h"
#include "kernels/kernels.h"

#include <math.h>

static const char NO_CONTAINMENT[] = "a fixed-size sketch gives no containment";

static void refuse_containment(struct estimates *out) {
    out->a_in_b = out->b_in_a = quantity_unknown(NO_CONTAINMENT);
}

static double unit(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* From `agree` of n fields, which agree by chance too, to resemblance. Fewer than chance would have it bound
 * the resemblance no better than just as many. */
static stemma_quantity corrected(double agree, double n, double shrink, double chance) {
    stemma_quantity share = quantity_share(agree, n, shrink);
    stemma_quantity above = quantity_share(fmax(agree, chance * n), n, shrink);
    share.value = unit((share.value - chance) / (1 - chance));
    share.low = unit((share.low - chance) / (1 - chance));
    share.high = unit((above.high - chance) / (1 - chance));
    return share;
}

/* What a resemblance of one half would cost: b bits say less than a whole value. */
static double draws_of(double n, double chance) {
    double p = (1 + chance) / 2;
    return n * .25 * (1 - chance) * (1 - chance) / (p * (1 - p));
}

static double chance_of(uint32_t bits) {
    return bits >= 64 ? 0 : ldexp(1, -(int)bits);
}

void estimate_minhash(const struct spec *sa, const struct part *a, const struct spec *sb,
                      const struct part *b, struct estimates *out) {
    size_t n = sa->n < sb->n ? sa->n : sb->n, agree = 0;
    refuse_containment(out);
    if (sa->bits == 64)
        for (size_t i = 0; i < n; i++) agree += a->values.data[i] == b->values.data[i];
    else
        agree = kernels_get()->equal_fields(a->bits.data, b->bits.data, n, (int)sa->bits);
    out->resemblance = corrected((double)agree, (double)n, 1, chance_of(sa->bits));
    out->resemblance_draws = draws_of((double)n, chance_of(sa->bits));
}

/* ---- one-permutation hashing ---- */

/* Size of the union of both sets, from their estimated sizes and the resemblance. */
static double union_size(const struct part *a, const struct part *b, double j) {
    double larger = (double)(a->distinct > b->distinct ? a->distinct : b->distinct);
    return fmax(larger, ((double)a->distinct + (double)b->distinct) / (1 + j));
}

/* Variance of the share of equal bins over binomial J(1-J), for n bins of which `filled` are distinct draws
 * out of `all` shingles: without replacement, then copied unevenly into the n - filled others. */
static double bin_variance(double n, double filled, double all) {
    if (all < 2) return 0;
    double share = filled / n, draws = 1 / filled + (1 - share) / ((2 - share) * n);
    return fmax(0, draws * (1 + 1 / (all - 1)) - 1 / (all - 1));
}

static stemma_quantity from_bits(const struct spec *spec, const struct part *a, const struct part *b) {
    double n = spec->n, chance = chance_of(spec->bits);
    double agree = (double)kernels_get()->equal_fields(a->bits.data, b->bits.data, spec->n, (int)spec->bits);
    /* Away from 0 and 1, where the plugged-in variance would vanish. */
    double j = fmin(1 - 1 / n, fmax(1 / n, (agree / n - chance) / (1 - chance)));
    double p = j + (1 - j) * chance, all = union_size(a, b, j);
    double filled = fmin(n, fmax(1, n * (1 - exp(-all / n))));
    double variance = (1 - chance) * (1 - chance) * j * (1 - j) * bin_variance(n, filled, all) +
                      (1 - j) * chance * (1 - chance) / n;
    return corrected(agree, n, variance * n / (p * (1 - p)), chance);
}

static stemma_quantity from_minima(const struct part *a, const struct part *b, size_t n) {
    double agree = 0, bins = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = a->values.data[i], y = b->values.data[i];
        bins += x != UINT64_MAX || y != UINT64_MAX;
        agree += x == y && x != UINT64_MAX;
    }
    double all = fmax(bins, union_size(a, b, agree / bins));
    return quantity_share(agree, bins, all > 1 ? fmax(1 / bins, 1 - (bins - 1) / (all - 1)) : 1);
}

void estimate_oph(const struct spec *spec, const struct part *a, const struct part *b,
                  struct estimates *out) {
    refuse_containment(out);
    out->resemblance = spec->bits == 64 ? from_minima(a, b, spec->n) : from_bits(spec, a, b);
    out->resemblance_draws = draws_of(spec->n, chance_of(spec->bits));
}

void estimate_simhash(const struct spec *sa, const struct part *a, const struct spec *sb,
                      const struct part *b, struct estimates *out) {
    uint32_t bits = sa->bits < sb->bits ? sa->bits : sb->bits;
    out->resemblance = quantity_unknown("simhash estimates no resemblance, but a cosine");
    out->a_in_b = out->b_in_a = quantity_unknown("simhash estimates no containment, but a cosine");
    /* Each bit differs with probability angle / pi. */
    double differing = (double)kernels_get()->hamming(a->bits.data, b->bits.data, bits / 8);
    stemma_quantity angle = quantity_share(differing, bits, 1);
    out->cosine = (stemma_quantity){.value = cos(M_PI * angle.value),
                                    .low = cos(M_PI * angle.high),
                                    .high = cos(M_PI * angle.low),
                                    .known = true};
}
