/* How a document becomes a set of fingerprints: the first half of a recipe. */
#ifndef SHINGLE_VIEW_H
#define SHINGLE_VIEW_H

#include "text/canon.h"

enum hash_kind { HASH_RABIN, HASH_MIX, HASH_PADDED };

#define WINDOW_MOST 1024

struct view {
    unsigned folds;
    enum unit unit;
    uint32_t window;
    bool labelled;
    enum hash_kind hash;
    int width; /* bits of a fingerprint, 32 to 64 */
    uint64_t seed;
    bool keyed;
    uint64_t key_id;    /* stored */
    uint64_t secret;    /* follows from the key, takes the place of seed; never stored */
    uint64_t finish[2]; /* likewise: the finaliser of keyed fingerprints */
    bool has_secret;    /* a keyed recipe read from a file has none: it compares, but cannot sketch */
};

/* What the polynomial and the hash functions follow from, in a view that can read. */
uint64_t view_seed(const struct view *view);

/* Whether documents can be read under it: not when it is keyed and its secret is not there. */
bool view_can_read(const struct view *view);

/* Bytes of the symbol that a token is to a Rabin fingerprint; 0 for hash=mix. */
size_t view_symbol_size(const struct view *view);

#endif
