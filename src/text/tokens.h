/* Canonical text to tokens. Words are separated by white space (Unicode's), lines by '\n', characters are
 * code points (a byte that is not part of one stands for itself). Tokens are never empty: blank lines are
 * none. */
#ifndef TEXT_TOKENS_H
#define TEXT_TOKENS_H

#include "text/canon.h"

/* A longer word or line is cut into tokens of so many bytes:
 * what is held back of a document stays bounded. */
#define TOKEN_MOST 65536

struct token {
    size_t begin, end; /* in the text given */
};

/* The same in half the room, where many are kept. */
struct packed_token {
    uint64_t begin : 47, size : 17; /* up to TOKEN_MOST */
};

static inline struct packed_token token_pack(struct token token) {
    return (struct packed_token){token.begin, token.end - token.begin};
}

/* The next token at or behind *at; false when there is none that is known to be complete. *at moves behind
 * it, and over separators before it in any case. `last`: no more text follows, so what stands at the end is
 * complete too. */
bool token_next(enum unit unit, const uint8_t *text, size_t size, bool last, size_t *at, struct token *out);

#endif
