/*
 * Keys by which a collection finds documents: its lookup runs hold nothing else. All are made from what is
 * kept of a document, so that adding, asking and repairing agree.
 *
 * Bands are two minima and a check: three bytes that are evenly spread, below the number of the band. Those
 * of samples are in stored_samples.h.
 */
#ifndef INDEX_KEYS_H
#define INDEX_KEYS_H

#include "base/bits.h"
#include "index/schema.h"
#include "sketch/keyer.h"

struct view;

/* Bands of a document that can be looked up. Those of a question are fewer: how many says its threshold. With
 * 26 the floors are reached from .45 on. */
#define BANDS_POSTED 26
#define BAND_BITS    24

/* A cell of minima: the keys as keyer_make gives them, then the size of the document as keyer_size does. A
 * document without text has zeros, and no bands. */
#define MINIMA_KEYS  (KEY_MINIMA + BANDS_POSTED)
#define MINIMA_BYTES (MINIMA_KEYS + 4)

/* What is kept of the documents of a collection, of which the first bands have checks. */
struct key_form index_form(const struct view *view);

/* Parts of the schema for documents like these: minima with their bands. */
stemma_status minima_add_parts(struct schema *schema, stemma_error *err);
/* What makes the keys of bands, for part_kinds. */
stemma_status band_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                             struct vec64 *keys, stemma_error *err);

/* The size behind the keys of a cell. */
static inline void minima_set_size(uint8_t *cell, uint32_t size) {
    store_u32(cell + MINIMA_KEYS, size);
}
static inline uint32_t minima_size(const uint8_t *cell) {
    return load_u32(cell + MINIMA_KEYS);
}

/* Of one band of keys of that form. */
uint64_t band_key(const uint8_t *keys, uint32_t band);

#endif
