#include "api/conclude.h"

#include <string.h>

static bool same_digest(const uint8_t *a, const uint8_t *b) {
    return memcmp(a, b, DIGEST_SIZE) == 0;
}

void conclude(const struct facts *a, const struct facts *b, uint32_t window, const struct estimates *e,
              const stemma_thresholds *thresholds, stemma_comparison *out) {
    bool certain = true, too_short = false;
    stemma_relation relation;
    if (a->bytes == b->bytes && same_digest(a->digest, b->digest))
        relation = STEMMA_IDENTICAL;
    else if (a->tokens && a->tokens == b->tokens && same_digest(a->text_digest, b->text_digest))
        relation = STEMMA_SAME_TEXT;
    else if ((too_short = a->tokens < window || b->tokens < window))
        relation = STEMMA_UNKNOWN; /* less than a window is one shingle, which tells nothing of its parts */
    else
        relation = judge(e, thresholds, &certain);
    *out = (stemma_comparison){
        .relation = relation,
        .resemblance = e->resemblance,
        .a_in_b = e->a_in_b,
        .b_in_a = e->b_in_a,
        .cosine = e->cosine,
        .certain = certain && relation != STEMMA_UNKNOWN,
    };
    const char *why = a->tokens == 0 || b->tokens == 0 ? "there is no text"
                      : too_short                      ? "there is too little to judge by"
                                                       : NULL;
    if (why) /* no number then, whether from sets or from sketches */
        out->resemblance = out->a_in_b = out->b_in_a = out->cosine = quantity_unknown(why);
}
