/* The keys and the bits of a canonical text in memory, by the fastest way there is. */
#ifndef SKETCH_TEXT_KEYS_H
#define SKETCH_TEXT_KEYS_H

#include "shingle/whole.h"
#include "sketch/bits.h"
#include "sketch/keyer.h"

/* The keyer is of this form; the rest as of keyer_make. The text is not empty. */
stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err);

/* Fingerprints in pieces go to the keyer: keyer_begin comes before, keyer_end after. */
struct shingle_sink keyer_sink(struct keyer *keyer);

/* Keys, and bits: both from the same fingerprints. */
struct text_keyer {
    struct keyer *keyer;
    const struct key_form *form; /* of the keyer */
    uint8_t *keys;               /* as of keyer_make */
    struct vec64 *samples;
    struct bit_maker *bits; /* NULL: they are not wanted */
};

stemma_status text_keyer_text(const struct text_keyer *t, struct whole *whole, const uint8_t *text,
                              size_t size, stemma_error *err);
/* Of a document whose fingerprints come in pieces. The sink lasts while *t does. */
struct shingle_sink text_keyer_begin(struct text_keyer *t);
stemma_status text_keyer_end(const struct text_keyer *t, stemma_error *err);

#endif
