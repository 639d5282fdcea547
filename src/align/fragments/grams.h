/*
 * Which bytes a fragment can hold: a bitmap of all grams, strings of 8 to 16 bytes, of the targets' canonical
 * text.
 *
 * A fragment of `least` tokens is at least so many bytes that one of its grams begins at a multiple of
 * `stride`. So only these places of a file need to be looked at, and nothing is left to chance.
 */
#ifndef ALIGN_GRAMS_H
#define ALIGN_GRAMS_H

#include "base/buf.h"
#include "base/error.h"

struct stemma_finder;

struct grams {
    uint64_t *bits; /* NULL: the targets, or what is looked for, do not allow it */
    int log_size;   /* of bits */
    size_t size;    /* bytes of a gram */
    size_t stride;
    size_t shortest,
        longest;     /* bytes of the beginning of a fragment that has to be known to tell it: so many */
    uint64_t tokens; /* or more */
};

/* How it is to be, from the targets; `log_size` is 0 when it cannot be. */
void grams_plan(struct grams *grams, const struct stemma_finder *finder);
stemma_status grams_fill(struct grams *grams, const struct stemma_finder *finder, stemma_error *err);
void grams_release(struct grams *grams);

static inline uint64_t grams_bit(const struct grams *grams, const uint8_t *text) {
    uint64_t hash = load_u64(text) * UINT64_C(0x9e3779b97f4a7c15) +
                    load_u64(text + grams->size - 8) * UINT64_C(0xd6e8feb86659fd93);
    return hash >> (64 - grams->log_size);
}

/* Whether a target may hold the gram at `text`. */
static inline bool grams_pass(const struct grams *grams, const uint8_t *text) {
    uint64_t bit = grams_bit(grams, text);
    return grams->bits[bit / 64] >> bit % 64 & 1;
}

#endif
