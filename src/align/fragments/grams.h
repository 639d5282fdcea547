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
    uint64_t *words; /* the bitmap; NULL: the targets, or what is looked for, do not allow it */
    int log_words;   /* how many */
    size_t size;     /* bytes of a gram */
    size_t stride;
    size_t shortest,
        longest;     /* bytes of the beginning of a fragment that has to be known to tell it: so many */
    uint64_t tokens; /* or more */
};

/* How it is to be, from the targets; `log_words` is 0 when it cannot be. */
void grams_plan(struct grams *grams, const struct stemma_finder *finder);
stemma_status grams_fill(struct grams *grams, const struct stemma_finder *finder, stemma_error *err);
void grams_release(struct grams *grams);

static inline uint64_t grams_hash(const struct grams *grams, const uint8_t *text) {
    unsigned __int128 product = (unsigned __int128)(load_u64(text) ^ UINT64_C(0x9e3779b97f4a7c15)) *
                                (load_u64(text + grams->size - 8) ^ UINT64_C(0xd6e8feb86659fd93));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two bits of one word: a gram that is in no target has to meet both. */
static inline uint64_t grams_bits(uint64_t hash) {
    return UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63);
}

static inline uint64_t *grams_word(const struct grams *grams, uint64_t hash) {
    return &grams->words[hash >> (64 - grams->log_words)];
}

/* Whether a target may hold the gram at `text`. */
static inline bool grams_pass(const struct grams *grams, const uint8_t *text) {
    uint64_t hash = grams_hash(grams, text);
    return !(grams_bits(hash) & ~*grams_word(grams, hash));
}

#endif
