/* Texts to measure edit distances on: pieces of a file, or of generated English,
 * and edited copies of them. */
#ifndef BENCH_EDIT_TEXTS_H
#define BENCH_EDIT_TEXTS_H

#include "base/buf.h"

struct source {
    uint8_t *bytes;
    size_t size, next;
    uint64_t random;
    const char *file; /* NULL: generated */
};

/* At least `size` bytes, which are repeated when they are used up.
 * False when there is no memory or no file. */
bool source_init(struct source *source, const char *file, size_t size);
void source_release(struct source *source);

/* The next piece; belongs to the source. */
const uint8_t *source_piece(struct source *source, size_t size);

/* A copy with `edits` edits at random places: substitutions, insertions, deletions by letters, as often each.
 * Added to the empty *out. */
bool edited_copy(const uint8_t *text, size_t size, size_t edits, uint64_t *random, struct buf *out);

#endif
