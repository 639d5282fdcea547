/* How the families of schemes plug into the sketcher: a maker takes a document's fingerprints and leaves one
 * part. Each family has one file and one constructor. */
#ifndef SKETCH_MAKER_H
#define SKETCH_MAKER_H

#include "sketch/sketch.h"

struct maker;

struct maker_class {
    /* NULL for what is made of bytes. */
    stemma_status (*take)(struct maker *maker, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err);
    /* Fills *out, which is empty; what it took on failure is released by the caller. */
    stemma_status (*finish)(struct maker *maker, uint64_t shingles, struct part *out, stemma_error *err);
    void (*free)(struct maker *maker);
    /* The document's own bytes; NULL for what is made of fingerprints. */
    stemma_status (*take_bytes)(struct maker *maker, const uint8_t *bytes, size_t size, stemma_error *err);
};

/* First member of every maker. */
struct maker {
    const struct maker_class *class;
    struct spec spec;
    size_t held; /* values in memory, where they grow with the document */
    bool enough; /* mod: the floor is not needed any more, only multiples matter */
};

/* NULL when memory is refused. seed: what all hash functions follow from. */
struct maker *sample_maker_new(const struct spec *spec);
struct maker *minhash_maker_new(const struct spec *spec, uint64_t seed);
struct maker *oph_maker_new(const struct spec *spec, uint64_t seed);
struct maker *chunk_maker_new(const struct spec *spec, uint64_t seed);
struct maker *simhash_maker_new(const struct spec *spec, uint64_t seed);
struct maker *signature_maker_new(const struct spec *spec, const struct view *view, size_t memory);

/* Each family has its own hash functions: constants that are mixed with the seed. */
#define SALT_MINHASH UINT64_C(0x6d696e6861736831) /* "minhash1" */
#define SALT_FEED    UINT64_C(0x6d696e6861736832) /* "minhash2" */
#define SALT_OPH     UINT64_C(0x6f6e655065726d31) /* "onePerm1" */
#define SALT_DENSIFY UINT64_C(0x6f6e655065726d32) /* "onePerm2" */
#define SALT_CHUNK   UINT64_C(0x6273772d63686e6b) /* "bsw-chnk" */
#define SALT_SIMHASH UINT64_C(0x73696d6861736831) /* "simhash1" */

/* ---- shared by making, union and codec ---- */

/* i = floor(log2(shingles / 100)), at least 0: leaves 100 to 200 of as many distinct fingerprints (Broder
 * 1997). */
uint32_t level_of(uint64_t shingles);

/* distinct (and filled) from the whole minima of a minhash or oph part. */
void minhash_count(struct part *part, const uint64_t *minima, size_t n, uint64_t shingles);
void oph_count(struct part *part, const uint64_t *minima, size_t n, uint64_t shingles);

/* Room for n fields of b bits, zeroed, with slack; then field i set to the low b bits of value. */
bool fields_reserve(struct buf *out, size_t n, uint32_t bits);
void fields_set(struct buf *out, size_t i, uint32_t bits, uint64_t value);

/* Field i: the upper b bits of (minimum i ^ (i + 1) FIELD_INDEX) * MIX64_MULTIPLIER. */
#define FIELD_INDEX UINT64_C(0x9e3779b97f4a7c15)
void fields_of_minima(struct buf *out, const uint64_t *minima, size_t n, uint32_t bits);

/* Sort and drop repetitions; false when memory is refused. */
bool vec64_make_set(struct vec64 *vec);
bool vec64_append(struct vec64 *vec, const uint64_t *values, size_t count);

#endif
