/*
 * With r shingles of b that are not in a, at most most - r are in common. Then
 *
 *   (most - r) / (a + r) >= t    means r <= (most - t a) / (1 + t),
 *   (most - r) / most >= c       means r <= (1 - c) most,
 *   (most - r) / a >= c          means r <= most - c a.
 */
#include "estimate/reach.h"

#include <math.h>

double reach_limit(const struct overlap_aim *aim, uint64_t a, uint64_t most) {
    double limit = ((double)most - aim->resemblance * (double)a) / (1 + aim->resemblance);
    if (aim->contained > 0) {
        limit = fmax(limit, (1 - aim->contained) * (double)most);
        limit = fmax(limit, (double)most - aim->contained * (double)a);
    }
    return limit + 1; /* more than what rounding may take away */
}
