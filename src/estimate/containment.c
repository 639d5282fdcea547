/*
 * Containment from resemblance and sizes: |A ∩ B| = J (|A| + |B|) / (1 + J), so A in B = J (1 + |B|/|A|) / (1
 * + J).
 *
 * A sample of one in n has few values of a short document, while the minima know its resemblance well and its
 * size within a few per cent. Where the two documents are of like size this is the better witness; where one
 * is much longer the interval says that it is not. Only recipes that sample for containment get it: a
 * fixed-size sketch alone refuses.
 */
#include "estimate/estimate.h"

#include <math.h>

/* Relative standard deviation of a number of shingles that was counted by n bins (linear counting; a crowded
 * sketch counts by its minima). */
static double size_error(const struct part *part, double n) {
    double size = (double)part->distinct, load = size / n;
    double counting = (exp(load) - load - 1) / (load * size);
    return sqrt(fmin(counting, 1 / (double)part->filled));
}

static double share(double j, double ratio) {
    return fmin(1, j * (1 + ratio) / (1 + j));
}

/* Of the document of size 1 in that of size `ratio`, which is known to the factor 1 ± error. */
static stemma_quantity from_resemblance(stemma_quantity j, double ratio, double error) {
    stemma_quantity q = {.value = share(j.value, ratio), .known = true};
    /* Two independent errors: their squares add up. */
    double by_low = q.value - share(j.low, ratio), by_high = share(j.high, ratio) - q.value;
    double by_size = share(j.value, ratio * (1 + 1.96 * error)) - share(j.value, ratio * (1 - 1.96 * error));
    q.low = fmax(0, q.value - hypot(by_low, by_size / 2));
    q.high = fmin(1, q.value + hypot(by_high, by_size / 2));
    if (q.value == 1) q.high = 1;
    return q;
}

/* What interval a sample would need so many draws for. */
static double draws_of(stemma_quantity q) {
    double deviation = (q.high - q.low) / (2 * 1.96), middle = (q.high + q.low) / 2;
    return fmax(.0001, middle * (1 - middle)) / (deviation * deviation);
}

static void keep_if_better(stemma_quantity *sampled, double *draws, stemma_quantity derived) {
    double worth = draws_of(derived);
    if (sampled->exact || (sampled->known && *draws >= worth)) return;
    *sampled = derived;
    *draws = worth;
}

void containment_from_sizes(double size_a, double size_b, double error, struct estimates *out) {
    /* What both documents have is counted alike: only the rest is counted differently. */
    error *= sqrt(1 - out->resemblance.value);
    keep_if_better(&out->a_in_b, &out->a_draws, from_resemblance(out->resemblance, size_b / size_a, error));
    keep_if_better(&out->b_in_a, &out->b_draws, from_resemblance(out->resemblance, size_a / size_b, error));
}

void containment_from_resemblance(const struct spec *spec, const struct part *a, const struct part *b,
                                  struct estimates *out) {
    const double n = spec->n;
    containment_from_sizes((double)a->distinct, (double)b->distinct,
                           hypot(size_error(a, n), size_error(b, n)), out);
}

static void at_least(stemma_quantity *containment, const stemma_quantity *resemblance) {
    if (!containment->known || containment->exact) return;
    containment->value = fmax(containment->value, resemblance->value);
    containment->low = fmax(containment->low, resemblance->low);
    containment->high = fmax(containment->high, containment->value);
}

void containments_reconcile(struct estimates *out) {
    if (!out->resemblance.known) return;
    at_least(&out->a_in_b, &out->resemblance);
    at_least(&out->b_in_a, &out->resemblance);
}
