/* Tokens of two texts as small numbers: equal bytes, equal number. What aligns them then compares words,
 * lines or bytes at the same price. */
#ifndef ALIGN_IDS_H
#define ALIGN_IDS_H

#include "base/error.h"
#include "text/tokens.h"

/* A text and its tokens, as they are read. */
struct token_text {
    const uint8_t *text;
    size_t size;
    const struct packed_token *tokens;
    size_t count;
};

/* A text as numbers. */
struct id_text {
    uint32_t *ids;
    size_t count;
};

struct id_pair {
    struct id_text a, b;
    uint64_t seed; /* of the hashes; follows from both texts, so that nobody can prepare collisions for it */
};

/* Numbers are given in order of appearance, in a first. Together at most TOKENS_MOST tokens. */
#define TOKENS_MOST ((size_t)INT32_MAX / 2)
stemma_status id_pair_init(struct id_pair *pair, const struct token_text *a, const struct token_text *b,
                           stemma_error *err);
void id_pair_release(struct id_pair *pair);

#endif
