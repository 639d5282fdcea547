/* Hamming distances of 1-bit fingerprints (Yuan et al. 2012): which radius a resemblance asks for, and how
 * sure a fingerprint of k bits is of it. */
#ifndef ESTIMATE_HAMMING_H
#define ESTIMATE_HAMMING_H

#include <stdint.h>

/* r_h = floor(k (1 - r) / 2): fingerprints of documents with estimated resemblance >= r differ in at most so
 * many bits (eq. 10). */
uint32_t hamming_radius(uint32_t k, double r);

/* Variance of the estimate (eq. 6): (1 - r^2) / k. */
double hamming_variance(uint32_t k, double r);

#endif
