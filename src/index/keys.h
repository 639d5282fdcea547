/*
 * Keys by which a collection finds documents: its lookup runs hold nothing else. All are made from what is
 * kept of a document, so that adding, asking and repairing agree.
 *
 * Bands are two minima and a check: three bytes that are evenly spread, below the number of the band. Samples
 * are kept as they are, SAMPLE_BYTES each.
 */
#ifndef INDEX_KEYS_H
#define INDEX_KEYS_H

#include "sketch/keyer.h"

struct view;

/* Bands of a document that can be looked up. Those of a question are fewer: how many says its threshold. With
 * 26 the floors are reached from .45 on. */
#define BANDS_POSTED 26
#define BAND_BITS    24

#define SAMPLE_BYTES (KEY_SAMPLE_BITS / 8)

/* What is kept of the documents of a collection, of which the first bands have checks. */
struct key_form index_form(const struct view *view);

/* Of one band of keys of that form. */
uint64_t band_key(const uint8_t *keys, uint32_t band);
/* Of all that are posted, appended. */
stemma_status band_keys(const uint8_t *keys, struct vec64 *out, stemma_error *err);

/* Samples, ascending, as the bytes that are kept; and back, appended. A number of bytes that is none of whole
 * samples is CORRUPT. */
stemma_status samples_pack(const struct vec64 *samples, struct buf *out, stemma_error *err);
stemma_status samples_unpack(const uint8_t *bytes, size_t size, struct vec64 *out, stemma_error *err);

#endif
