/*
 * What samples and minima say of containment: how many samples a contained document shares at least, and how
 * much larger than it the one that contains it must be.
 */
#ifndef SKETCH_SHARING_H
#define SKETCH_SHARING_H

#include "sketch/keyer.h"

#define SHARING_SAMPLES 255

struct sharing {
    /* Of n samples of a contained document, how many are shared at least. */
    uint8_t shared[SHARING_SAMPLES + 1];
    /* By the minima that agree: how much larger than what it contains a document is at least. */
    float least_ratio[KEY_MINIMA + 1];
    float size_error; /* factor by which sizes above KEY_COUNTED may be wrong */
};

/* For a containment above 0, and documents with so many minima. */
void sharing_init(struct sharing *sharing, double contained, uint32_t minima);

/* shared[n] for any n; above SHARING_SAMPLES by the normal distribution. */
uint64_t sharing_least(const struct sharing *sharing, double contained, uint64_t samples);

/* Whether x, of which `agree` minima are those of y, may be contained in it: two documents of about one size
 * cannot have few minima in common when one contains the other. Sizes are those of keyer_size. */
bool sharing_sizes_allow(const struct sharing *sharing, uint32_t x_size, uint32_t y_size, uint64_t agree);

#endif
