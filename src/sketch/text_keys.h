/* The keys of a canonical text in memory, by the fastest way there is. */
#ifndef SKETCH_TEXT_KEYS_H
#define SKETCH_TEXT_KEYS_H

#include "shingle/whole.h"
#include "sketch/keyer.h"

/* The keyer is of this form; the rest as of keyer_make. The text is not empty. */
stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err);

/* Fingerprints in pieces go to the keyer: keyer_begin comes before, keyer_end after. */
struct shingle_sink keyer_sink(struct keyer *keyer);

#endif
