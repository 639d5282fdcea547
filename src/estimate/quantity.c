/* Numbers with intervals. Shares use Wilson's score interval, which stays inside [0, 1] and keeps its
 * coverage for few draws and for shares near 0 and 1, where the normal interval does not. */
#include "estimate/estimate.h"

#include <math.h>

/* Two-sided 95 % of the normal distribution. */
static const double Z = 1.959963984540054;

stemma_quantity quantity_unknown(const char *why) {
    return (stemma_quantity){.why = why};
}

stemma_quantity quantity_exact(double value) {
    return (stemma_quantity){.value = value, .low = value, .high = value, .exact = true, .known = true};
}

stemma_quantity quantity_share(double hits, double trials, double shrink) {
    double share = hits / trials;
    if (shrink <= 0) return quantity_exact(share);
    double n = trials / shrink, zz = Z * Z / n;
    double centre = (share + zz / 2) / (1 + zz);
    double half = Z / (1 + zz) * sqrt(share * (1 - share) / n + zz / (4 * n));
    return (stemma_quantity){
        .value = share,
        .low = fmax(0, fmin(share, centre - half)),
        .high = fmin(1, fmax(share, centre + half)),
        .known = true,
    };
}
