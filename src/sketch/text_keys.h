/* The keys of a canonical text in memory, by the fastest way there is. */
#ifndef SKETCH_TEXT_KEYS_H
#define SKETCH_TEXT_KEYS_H

#include "shingle/whole.h"
#include "sketch/keyer.h"

/* A keyer, and where what it makes goes: as of keyer_make. */
struct keyed {
    struct keyer *keyer;
    uint8_t *keys;
    struct vec64 *samples;
};

/* Keyers to which the same document goes. */
#define KEYERS_MOST 16
struct keyers {
    struct keyed list[KEYERS_MOST];
    size_t count;
};

/* The text is not empty. */
stemma_status keyers_text(const struct keyers *keyers, struct whole *whole, const uint8_t *text, size_t size,
                          stemma_error *err);

/* Of a document whose fingerprints come in pieces; they go into the sink. */
void keyers_begin(const struct keyers *keyers);
struct shingle_sink keyers_sink(struct keyers *keyers);
stemma_status keyers_end(const struct keyers *keyers, stemma_error *err);

/* The same of one keyer, which is of this form. */
stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err);

/* Fingerprints in pieces go to the keyer: keyer_begin comes before, keyer_end after. */
struct shingle_sink keyer_sink(struct keyer *keyer);

#endif
