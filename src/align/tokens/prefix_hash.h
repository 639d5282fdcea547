/* Hashes of all prefixes of a text: the hash of any run of tokens follows at once, and the length of a match
 * by halving. Modulo the prime 2^61 - 1, at a point that follows from both texts: that two different runs
 * agree has a chance of about their length in 2^61, and what is reported is compared token by token in any
 * case. */
#ifndef ALIGN_PREFIX_HASH_H
#define ALIGN_PREFIX_HASH_H

#include "align/tokens/ids.h"

struct prefix_hashes {
    const struct id_pair *pair;
    uint64_t *a, *b;  /* of the first i tokens */
    uint64_t *powers; /* of the point */
};

stemma_status prefix_hashes_init(struct prefix_hashes *hashes, const struct id_pair *pair, stemma_error *err);
void prefix_hashes_release(struct prefix_hashes *hashes);

/* Of `length` tokens from `begin` on; `prefixes` are those of either text. */
uint64_t run_hash(const struct prefix_hashes *hashes, const uint64_t *prefixes, size_t begin, size_t length);

/* How many tokens agree, at most `most`, from these places on or back from them. */
size_t match_ahead(const struct prefix_hashes *hashes, size_t a, size_t b, size_t most);
size_t match_behind(const struct prefix_hashes *hashes, size_t a, size_t b, size_t most);

#endif
