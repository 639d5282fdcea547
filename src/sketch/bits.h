/*
 * One-bit Hamming fingerprints (Yuan et al. 2012): of k minima of a document one bit each. Two fingerprints
 * agree in a bit with probability (1 + J) / 2, where J is the resemblance, for sets of any size.
 *
 * Minima are made as those of keyer.h, in planes of BITS_PLANE bins: a long document costs one throw for each
 * shingle and plane, instead of one for each shingle and bit. Bit i follows from i and the view alone, so
 * that a longer fingerprint begins with the shorter.
 */
#ifndef SKETCH_BITS_H
#define SKETCH_BITS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define BITS_PLANE  512
#define BITS_PLANES 8
#define BITS_MOST   (BITS_PLANE * BITS_PLANES)

struct view;
struct bit_maker; /* scratch of one worker, for any number of documents */

/* `bits` from 1 to BITS_MOST. */
stemma_status bit_maker_new(const struct view *view, uint32_t bits, struct bit_maker **out,
                            stemma_error *err);
void bit_maker_free(struct bit_maker *maker);

/* All fingerprints of a document, in any pieces and order, repetitions allowed, at least one; KERNEL_SLACK
 * readable bytes behind each piece. Memory does not grow with repetitions. */
void bit_maker_begin(struct bit_maker *maker);
stemma_status bit_maker_add(struct bit_maker *maker, const uint64_t *fp, size_t count, stemma_error *err);
stemma_status bit_maker_end(struct bit_maker *maker, stemma_error *err);

/* The same by those fingerprints alone that are 0 mod key_form_for(view).coarse, all of them at once: false,
 * and nothing made, when the others are needed. */
bool bit_maker_coarse(struct bit_maker *maker, const uint64_t *fp, size_t count);

/* (bits + 7) / 8 bytes of the last document, the first bit lowest in the first. */
void bit_maker_take(const struct bit_maker *maker, uint8_t *out);

#endif
