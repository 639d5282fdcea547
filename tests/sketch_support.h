/* Shared by the tests of sketches: recipes from text, random documents of fingerprints, sketching them in
 * cuts. */
#ifndef TESTS_SKETCH_SUPPORT_H
#define TESTS_SKETCH_SUPPORT_H

#include "base/rng.h"
#include "kernels/kernels.h"
#include "sketch/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* last: it has a fail() of its own */

static inline struct stemma_recipe *recipe_of(const char *text) {
    struct stemma_recipe *recipe = NULL;
    stemma_error err = {0};
    if (recipe_parse(text, strlen(text), &recipe, &err) != STEMMA_OK) fail_msg("%s: %s", text, err.message);
    return recipe;
}

/* Fingerprints in order of position, and the tokens under them: count + window - 1, when there are any. */
struct document {
    uint64_t *fp, *tokens;
    size_t count, token_count;
};

/* `count` fingerprints of `width` bits, drawn from about `universe` different ones. */
static inline struct document random_document(uint64_t *rng, size_t count, uint64_t universe, int width,
                                              uint32_t window) {
    struct document doc = {.count = count, .token_count = count ? count + window - 1 : 0};
    doc.fp = calloc(doc.count + KERNEL_SLACK, 8);
    doc.tokens = calloc(doc.token_count + KERNEL_SLACK, 8);
    uint64_t salt = rng_next(rng);
    for (size_t i = 0; i < count; i++) doc.fp[i] = mix64(rng_below(rng, universe) + salt) >> (64 - width);
    for (size_t i = 0; i < doc.token_count; i++) doc.tokens[i] = rng_next(rng);
    return doc;
}

static inline void document_free(struct document *doc) {
    free(doc->fp);
    free(doc->tokens);
}

/* Blocks of random length, some of them empty; whole when rng is NULL. */
static inline void feed(struct sketcher *sketcher, const struct document *doc, uint32_t window,
                        uint64_t *rng) {
    size_t at = 0, tokens_at = 0;
    do {
        size_t left = doc->count - at, block = left;
        if (rng) block = rng_below(rng, 4) ? rng_below(rng, left + 1) / (1 + rng_below(rng, 20)) : 0;
        size_t tokens_end = at + block ? at + block + window - 1 : 0;
        assert_int_equal(sketcher_take(sketcher, doc->fp + at, block, doc->tokens + tokens_at,
                                       tokens_end - tokens_at, NULL),
                         STEMMA_OK);
        at += block;
        tokens_at = tokens_end;
    } while (at < doc->count);
}

static inline struct stemma_sketch *sketch_document(const struct stemma_recipe *recipe,
                                                    const struct document *doc, uint64_t *rng) {
    struct sketcher *sketcher = NULL;
    struct stemma_sketch *sketch = NULL;
    assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, NULL), STEMMA_OK);
    feed(sketcher, doc, recipe->view.window, rng);
    assert_int_equal(sketcher_finish(sketcher, doc->count, &sketch, NULL), STEMMA_OK);
    sketcher_free(sketcher);
    return sketch;
}

#define EVERY_SCHEME                                                                                         \
    "mod n=7; min n=20; minmod n=10 mod=3; level; minhash n=33 bits=64; oph n=50 bits=64; bsw n=9; bsw-chunk n=5"
#define EVERY_SCHEME_2                                                                                       \
    "simhash bits=64; simhash bits=128; minhash n=9 bits=1; minhash n=20 bits=16; oph n=33 bits=1; oph n=100 bits=2; oph n=7 bits=4; oph n=64 bits=8"

#endif
