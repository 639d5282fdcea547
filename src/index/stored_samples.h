/*
 * The samples of a document as a collection keeps them: the upper bits of each, as gaps in Rice codes.
 *
 * In memory a sample has KEY_SAMPLE_BITS; one of which fewer are kept has zeros below them. So samples of any
 * widths compare, once they are cut to the fewer bits of both. (docs/design/store.md)
 */
#ifndef INDEX_STORED_SAMPLES_H
#define INDEX_STORED_SAMPLES_H

#include "index/schema.h"
#include "sketch/keyer.h"

/* Of each sample, for collections that are made now. A key brings by chance as many documents as the
 * collection has samples, divided by 2^this: .07 for a million documents of 10 KB. Each bit takes 2 of the 53
 * that a sample takes in the row and its lookup together. */
#define STORED_SAMPLE_BITS 30

/* Parts of the schema: samples of so many bits and their lookup. KEY_SAMPLE_BITS: as older collections have
 * them, without codes. */
stemma_status samples_add_parts(struct schema *schema, uint32_t bits, stemma_error *err);
/* As samples_add_parts would add them today. */
void samples_renew_parts(struct schema *schema);
/* Which part they are, or -1; *bits: those that are kept, KEY_SAMPLE_BITS without such a part. */
int samples_find_part(const struct schema *schema, uint32_t *bits);
int sample_keys_find_part(const struct schema *schema);
bool is_samples_part(const struct part *part);

/* What makes the keys of their lookup, for part_kinds; and the key of one sample. */
stemma_status sample_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err);
static inline uint64_t sample_key(uint64_t sample, uint32_t bits) {
    return sample >> (KEY_SAMPLE_BITS - bits);
}

/* Ascending samples without the bits that are not kept, each once. */
void samples_cut(struct vec64 *samples, uint32_t bits);
void samples_cut_for(const struct schema *schema, struct vec64 *samples); /* that it keeps */
/* Samples that are cut, ascending, each once, to the bytes that are kept; and back, appended. CORRUPT: bytes
 * that are none of samples of so many bits. */
stemma_status samples_pack(const struct vec64 *samples, uint32_t bits, struct buf *out, stemma_error *err);
stemma_status samples_unpack(const uint8_t *bytes, size_t size, uint32_t bits, struct vec64 *out,
                             stemma_error *err);

#endif
