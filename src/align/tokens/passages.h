/*
 * What two texts have in common, wherever it stands.
 *
 * The stretches between two differences are passages in the same order. In what is then left of b, every run
 * of `least` tokens is looked up among those of a; the longest runs that it is part of are taken first, and
 * each token of b belongs to one passage. Polynomial hashes of all prefixes give the length of a match in a
 * logarithm of steps, so that repetition costs no more than variety.
 */
#ifndef ALIGN_PASSAGES_H
#define ALIGN_PASSAGES_H

#include "align/tokens/tokens_diff.h"

#include <stdbool.h>

struct common_run {
    size_t a, b, length; /* tokens */
    bool moved;          /* not between two differences: it stands elsewhere, or once more */
};

struct common_runs {
    struct common_run *runs;
    size_t count, cap;
    uint64_t steps; /* what it took */
};

/* Longest first, then by place in b. `least` is at least 1. Errors: NO_MEMORY, INTERRUPTED. */
stemma_status common_runs_find(const struct id_pair *pair, const struct hunk_list *hunks, size_t least,
                               const volatile int *stop, struct common_runs *out, stemma_error *err);
void common_runs_release(struct common_runs *runs);

#endif
