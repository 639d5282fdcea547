/* What was done to one text to make another, token by token. */
#ifndef FAMILY_DERIVATION_H
#define FAMILY_DERIVATION_H

#include "base/error.h"
#include "stemma.h"
#include "text/tokens.h"

#include <stdbool.h>

/* A canonical text with its tokens, which stay while it is compared. */
struct family_text {
    const uint8_t *text;
    size_t size;
    struct packed_token *tokens;
    size_t count, cap;
};

stemma_status family_text_read(struct family_text *text, enum unit unit, const uint8_t *bytes, size_t size,
                               stemma_error *err);
void family_text_release(struct family_text *text);

struct derivation {
    uint64_t parent_tokens, tokens;
    uint64_t added, removed; /* tokens */
    uint64_t moved;          /* of the added: those that stand elsewhere in the parent */
    uint64_t changes;        /* places */
    uint64_t before, behind; /* of the removed: what stood before its beginning, and behind its end */
};

/* Errors: NO_MEMORY, INTERRUPTED. */
stemma_status derivation_find(const struct family_text *parent, const struct family_text *child,
                              const volatile int *stop, struct derivation *out, stemma_error *err);

stemma_derivation derivation_kind(const struct derivation *d);

#endif
