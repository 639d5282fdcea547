/*
 * The documents of a small collection with their sets of shingles, all in memory: what brute force works on.
 *
 * Documents with the same canonical text are one class; classes are numbered in keep order (longer text
 * first, then in the order of input), so a class is also its place in that order.
 */
#ifndef TRUTH_COLLECTION_H
#define TRUTH_COLLECTION_H

#include "base/digest.h"
#include "sketch/recipe.h"

#include <stdio.h>

#define NO_CLASS UINT32_MAX

struct truth_document {
    char *name;
    size_t number;              /* of the input */
    uint64_t bytes, text_bytes; /* as given, and of the canonical text */
    uint8_t text_digest[DIGEST_SIZE];
    uint64_t *shingles; /* ascending, without repetitions */
    size_t shingle_count;
    uint32_t class_number; /* NO_CLASS: no text */
};

struct collection {
    struct truth_document *documents; /* in keep order */
    size_t count, cap;
    const struct truth_document **classes; /* the first document of each */
    uint32_t class_count;
};

/* Reads documents until the end: each is its name, a NUL, its size in decimal, a newline, and its bytes. */
stemma_status collection_read(struct collection *collection, FILE *in, const struct stemma_recipe *recipe,
                              stemma_error *err);
void collection_release(struct collection *collection);

#endif
