/*
 * One-bit Hamming fingerprints (Yuan et al. 2012): of k minima of a document one bit each. Two fingerprints
 * agree in a bit with probability (1 + J) / 2, where J is the resemblance.
 *
 * Minima are those of keyer.h, in planes of BITS_PLANE: a document costs one throw for each shingle and
 * plane, instead of one for each shingle and bit. Bit i follows from i and the view alone, so that a longer
 * fingerprint begins with the shorter.
 */
#ifndef SKETCH_BITS_H
#define SKETCH_BITS_H

#include "sketch/text_keys.h"

#define BITS_PLANE  KEYER_BINS
#define BITS_PLANES 8
#define BITS_MOST   (BITS_PLANE * BITS_PLANES)

struct bit_maker; /* scratch of one worker, for any number of documents */

/* `bits` from 1 to BITS_MOST. */
stemma_status bit_maker_new(const struct view *view, uint32_t bits, struct bit_maker **out,
                            stemma_error *err);
void bit_maker_free(struct bit_maker *maker);

/* Its keyers join those to which a document is given next; then bit_maker_take gives (bits + 7) / 8 bytes,
 * the first bit lowest in the first. */
void bit_maker_join(struct bit_maker *maker, struct keyers *keyers);
void bit_maker_take(const struct bit_maker *maker, uint8_t *out);

#endif
