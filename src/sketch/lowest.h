/*
 * The n smallest distinct numbers of a stream: a threshold filter throws nearly everything away, the few that
 * pass are sorted in once in a while. Of a first block that is long, those below a guessed threshold are
 * sorted only: evenly spread numbers have about 2 n below it, and where the guess was too low the block is
 * taken in the plain way.
 */
#ifndef SKETCH_LOWEST_H
#define SKETCH_LOWEST_H

#include "base/buf.h"
#include "kernels/kernels.h"

struct lowest {
    size_t n;
    struct vec64 kept;
    uint64_t limit; /* the n-th smallest once more than n are known, else UINT64_MAX */
    bool overflow;  /* there are more than n */
};

void lowest_init(struct lowest *lowest, size_t n);
/* False when memory is refused. */
bool lowest_add(struct lowest *lowest, const struct kernels *kernels, const uint64_t *values, size_t count);
/* Now kept holds at most n, ascending. */
bool lowest_settle(struct lowest *lowest);

#endif
