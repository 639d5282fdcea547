/* Everything that decides the bytes of a sketch: a view and what is kept of it. Its text form is specified in
 * stemma.h and stored with every sketch. */
#ifndef SKETCH_RECIPE_H
#define SKETCH_RECIPE_H

#include "shingle/view.h"

/* X(enumerator, name): the names are part of the recipe's text form. */
#define SCHEME_LIST(X)                                                                                       \
    X(SCHEME_MOD, "mod")                                                                                     \
    X(SCHEME_MIN, "min")                                                                                     \
    X(SCHEME_MINMOD, "minmod")                                                                               \
    X(SCHEME_LEVEL, "level")                                                                                 \
    X(SCHEME_MINHASH, "minhash")                                                                             \
    X(SCHEME_OPH, "oph")                                                                                     \
    X(SCHEME_BSW, "bsw")                                                                                     \
    X(SCHEME_BSW_CHUNK, "bsw-chunk")                                                                         \
    X(SCHEME_SIMHASH, "simhash")

enum scheme {
#define SCHEME_ENUM(id, name) id,
    SCHEME_LIST(SCHEME_ENUM)
#undef SCHEME_ENUM
};

const char *scheme_name(enum scheme scheme);

struct spec {
    enum scheme scheme;
    uint32_t n;    /* modulus, sample size, hash functions, bins, chunk size; 0 where there is none */
    uint32_t mod;  /* minmod only */
    uint32_t bits; /* minhash, oph: 1, 2, 4, 8, 16 or 64 (whole values); simhash: 64 or 128 */
};

#define SPECS_MOST      8
#define RECIPE_TEXT_MAX 1024

struct stemma_recipe {
    struct view view;
    struct spec specs[SPECS_MOST];
    size_t spec_count;
    char text[RECIPE_TEXT_MAX]; /* canonical text form */
};

/* Strict: unknown fields, values out of range and combinations without meaning are INVALID, by name. */
stemma_status recipe_parse(const char *text, size_t size, struct stemma_recipe *out, stemma_error *err);

/* Whether sketches under a and b can be compared; MISMATCH names the field. Resolutions may differ where the
 * scheme nests. */
stemma_status recipe_comparable(const struct stemma_recipe *a, const struct stemma_recipe *b, stemma_error *err);

#endif
