/*
 * A text that is copied while it is changed, from its beginning to its end, and the operations noted on the
 * way.
 *
 * Refused memory is remembered and said once, at the end: those who change need not look.
 */
#ifndef MUTATE_TAPE_H
#define MUTATE_TAPE_H

#include "base/buf.h"
#include "base/error.h"

#include <stddef.h>

struct tape {
    const uint8_t *text;
    size_t size, at; /* at: what stands before it is copied or left out */
    struct buf out;
    stemma_operation *operations;
    size_t count, capacity;
    stemma_take_operation *take; /* has them instead, or NULL */
    void *context;
    stemma_error *err;     /* for what it says */
    stemma_status status;  /* of it */
    uint64_t edits, moved; /* characters */
    bool refused;
};

/* The bytes from `begin` (not before what was changed last) to `end` become the `size` bytes at `bytes`. */
void tape_replace(struct tape *tape, size_t begin, size_t end, const void *bytes, size_t size);
static inline void tape_insert(struct tape *tape, size_t at, const void *bytes, size_t size) {
    tape_replace(tape, at, at, bytes, size);
}
static inline void tape_delete(struct tape *tape, size_t begin, size_t end) {
    tape_replace(tape, begin, end, NULL, 0);
}

/* The bytes from `begin` to `end` give their place to those from `from` to `to`, which are given another
 * elsewhere. */
void tape_move(struct tape *tape, size_t begin, size_t end, size_t from, size_t to);

/* The rest is copied. Errors: NO_MEMORY, those of `take`. */
stemma_status tape_finish(struct tape *tape, stemma_error *err);

void tape_release(struct tape *tape);

#endif
