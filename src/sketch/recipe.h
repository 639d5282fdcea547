/*
 * Everything that decides the bytes of a sketch: a view and what is kept of it. Its text form is specified in
 * stemma.h and stored with every sketch.
 *
 * A recipe never changes once it is made, and its references are counted: a million sketches share one.
 */
#ifndef SKETCH_RECIPE_H
#define SKETCH_RECIPE_H

#include "shingle/tables.h"

#include <stdatomic.h>

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
    X(SCHEME_SIMHASH, "simhash")                                                                             \
    X(SCHEME_SIGNATURE, "signature")                                                                         \
    X(SCHEME_SIGNATURE2011, "signature2011")

enum scheme {
#define SCHEME_ENUM(id, name) id,
    SCHEME_LIST(SCHEME_ENUM)
#undef SCHEME_ENUM
};

const char *scheme_name(enum scheme scheme);

struct spec {
    enum scheme scheme;
    uint32_t
        n; /* modulus, sample size, hash functions, bins, chunk size, characters; 0 where there is none */
    uint32_t mod;  /* minmod only */
    uint32_t bits; /* minhash, oph: 1, 2, 4, 8, 16 or 64 (whole values); simhash: 64 or 128; else 0 */
    /* signature, signature2011; else 0 */
    uint32_t c;         /* one window in so many is kept */
    uint32_t k;         /* signature2011: those whose sum is k mod c */
    uint32_t alphabet;  /* signature: how many symbols there are */
    uint32_t positions; /* signature: 1 when it keeps where its windows begin */
};

bool spec_equal(const struct spec *a, const struct spec *b);
/* Made of the document's characters, not of its fingerprints. */
bool spec_is_signature(const struct spec *spec);

#define SPECS_MOST      8
#define RECIPE_TEXT_MAX 1024
#define SPEC_N_MOST     (1u << 20) /* all but moduli, which may be any 32-bit number */
#define KEY_LEAST       16         /* bytes of a secret key */

struct stemma_recipe {
    atomic_size_t references;
    struct view view;
    struct shingle_tables tables; /* of the view; zeroed when it cannot read */
    struct spec specs[SPECS_MOST];
    size_t spec_count;
    char text[]; /* canonical text form */
};

/* Strict: unknown fields, values out of range and combinations without meaning are INVALID, by name. */
stemma_status recipe_parse(const char *text, size_t size, struct stemma_recipe **out, stemma_error *err);

/* The same recipe under a secret key of at least KEY_LEAST bytes (INVALID when shorter). A recipe that is
 * already keyed takes only the key it was made with; MISMATCH for another. */
stemma_status recipe_with_key(const struct stemma_recipe *recipe, const void *key, size_t key_size,
                              struct stemma_recipe **out, stemma_error *err);

/* One more reference, and one less: with the last the recipe goes, and its secrets are wiped. Any threads may
 * do so at the same time. */
const struct stemma_recipe *recipe_retain(const struct stemma_recipe *recipe);
void recipe_release(const struct stemma_recipe *recipe); /* NULL: nothing happens */

/* ---- which recipes go together (match.c) ---- */

/* Whether sketches under a and b can be compared: equal views, and at least one pair of specs. MISMATCH names
 * the field and both values. */
stemma_status recipe_comparable(const struct stemma_recipe *a, const struct stemma_recipe *b,
                                stemma_error *err);

/* Whether documents under the two views have comparable fingerprints; MISMATCH names the field and both
 * values. */
stemma_status view_equal(const struct view *a, const struct view *b, stemma_error *err);

/* Whether the two are the same recipe; MISMATCH names the field and both values. */
stemma_status recipe_equal(const struct stemma_recipe *a, const struct stemma_recipe *b, stemma_error *err);

/* The specs that can be compared with each other, by their places in a and b, in the order of a. Resolutions
 * may differ where the scheme nests: mod when one modulus divides the other, level, the n of min, minmod and
 * minhash, the bits of simhash; the comparison is then made at the coarser. The views are not looked at. */
struct spec_pair {
    size_t a, b;
};
size_t recipe_pairs(const struct stemma_recipe *a, const struct stemma_recipe *b,
                    struct spec_pair out[SPECS_MOST]);

/* Name of a unit, a hash, a set of folds ("text", or "nfc+case" when the set has no name of its own) in the
 * text form. */
const char *unit_name(enum unit unit);
const char *hash_name(enum hash_kind hash);
struct fold_text {
    char text[40]; /* "preset=text" or "fold=nfc+case" */
};
struct fold_text fold_text(unsigned folds);

#endif
