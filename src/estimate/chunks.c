/*
 * BSW_n (Cherkasova et al. 2009): the share of common chunk values.
 *
 * One edit spoils a whole chunk, so the share is lower than the resemblance, by how much depends on whether
 * the edits are scattered or stand together; the share alone cannot tell. The value is the papers'; the
 * interval reaches from edits that stand together (the share is the resemblance) to edits that are scattered
 * evenly.
 */
#include "estimate/estimate.h"

#include "base/sort.h"

#include <math.h>

/* If a share s of the chunks survives scattered edits, about s^(1/2) of what makes up a chunk value did: a
 * chunk needs its value and its border. */
static double scattered(double jaccard) {
    double survived = 2 * jaccard / (1 + jaccard);
    double piece = sqrt(survived);
    return piece / (2 - piece);
}

static stemma_quantity widened(stemma_quantity share) {
    if (share.known) share.high = fmin(1, scattered(share.high));
    return share;
}

void estimate_chunks(const struct spec *spec, const struct part *a, const struct part *b,
                     struct estimates *out) {
    (void)spec;
    double na = (double)a->values.len, nb = (double)b->values.len;
    double common = (double)common_u64(a->values.data, a->values.len, b->values.data, b->values.len);
    out->resemblance = widened(quantity_share(common, na + nb - common, 1));
    out->a_in_b = widened(quantity_share(common, na, 1));
    out->b_in_a = widened(quantity_share(common, nb, 1));
    /* A chunk is a draw from about the same place in both; another scheme's draws are worth more. */
    out->resemblance_draws = out->a_draws = out->b_draws = 1;
}
