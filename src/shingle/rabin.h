/*
 * Rabin fingerprints (Broder 1997, 4.1 and 4.3): a string as a polynomial over GF(2), 64 zero bits appended,
 * modulo an irreducible polynomial P of degree 32 to 64.
 *
 * P is dense and found from a seed: sparse polynomials leave structure in the sample counts.
 */
#ifndef SHINGLE_RABIN_H
#define SHINGLE_RABIN_H

#include "kernels/kernels.h"

/* Whether x^degree + low is irreducible over GF(2), for degrees 2 to 64. */
bool rabin_irreducible(uint64_t low, int degree);

/* The first dense irreducible polynomial of that degree in the sequence that follows from seed. */
uint64_t rabin_find(int degree, uint64_t seed);

/* Tables for windows of `window` bytes. */
void rabin_init(struct rabin_tables *tables, int degree, uint64_t seed, int window);

/* From scratch, for any number of bytes. */
uint64_t rabin_of(const struct rabin_tables *tables, const uint8_t *bytes, size_t size);

#endif
