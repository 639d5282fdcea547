#include "sketch/sharing.h"

#include "sketch/agreement.h"

#include <math.h>

#define SHARED_MISS   .0005 /* contained documents that the count of shared samples may lose, */
#define SHARED_SIGMAS 3.3   /* which is so far from the mean */

/* shared[n]: the largest number that Binomial(n, contained) falls short of with less than SHARED_MISS; never
 * 0, since who shares nothing is not seen. */
static void set_shared(struct sharing *s, double contained) {
    double chance[SHARING_SAMPLES + 1] = {1};
    const double one[2] = {1 - contained, contained};
    for (size_t n = 1; n <= SHARING_SAMPLES; n++) {
        polynomial_multiply(chance, n - 1, one, 1);
        size_t least = 0;
        for (double below = chance[0]; below < SHARED_MISS; below += chance[++least]) {
        }
        s->shared[n] = (uint8_t)(least > 0 ? least : 1);
    }
}

#define RATIO_SIGMAS 3.5 /* 2 in 10,000 are lost */
#define SIZE_SIGMAS  4.

/* x of which a share c is in y resemble by J = c / (1 - c + y / x). Agreeing minima bound J from above
 * (Wilson's score interval), so y / x from below. */
static void set_ratios(struct sharing *s, double c, uint32_t minima) {
    const double k = minima, z = RATIO_SIGMAS;
    for (uint32_t agree = 0; agree <= minima; agree++) {
        double a = agree, most = (a + z * z / 2 + z * sqrt(a * (k - a) / k + z * z / 4)) / (k + z * z);
        s->least_ratio[agree] = (float)(c / most - (1 - c));
    }
    s->size_error = (float)exp(SIZE_SIGMAS / sqrt(k));
}

void sharing_init(struct sharing *s, double contained, uint32_t minima) {
    *s = (struct sharing){0};
    set_shared(s, contained);
    set_ratios(s, contained, minima);
}

uint64_t sharing_least(const struct sharing *s, double contained, uint64_t samples) {
    if (samples <= SHARING_SAMPLES) return s->shared[samples];
    const double n = (double)samples;
    const double least = n * contained - SHARED_SIGMAS * sqrt(n * contained * (1 - contained)) - 1;
    return least > 1 ? (uint64_t)least : 1;
}

static double size_error(const struct sharing *s, uint32_t size) {
    return size <= KEY_COUNTED ? KEY_COUNTED_ERROR : s->size_error;
}

bool sharing_sizes_allow(const struct sharing *s, uint32_t x_size, uint32_t y_size, uint64_t agree) {
    double most = (double)y_size * size_error(s, x_size) * size_error(s, y_size);
    return most >= (double)s->least_ratio[agree] * x_size;
}
