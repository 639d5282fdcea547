/* The last steps from what the kernels compute to the fingerprints of a view. */
#ifndef SHINGLE_FINISH_H
#define SHINGLE_FINISH_H

#include "base/rng.h"
#include "shingle/view.h"

static inline void narrow(uint64_t *fp, size_t count, int width) {
    if (width < 64)
        for (size_t i = 0; i < count; i++) fp[i] >>= 64 - width;
}

/* Under a key fingerprints are mixed with two secret numbers: a few plain Rabin fingerprints of known text
 * would give the polynomial away. */
static inline void finish_keyed(const struct view *view, uint64_t *fp, size_t count) {
    for (size_t i = 0; i < count; i++) fp[i] = mix64(mix64(fp[i] ^ view->finish[0]) ^ view->finish[1]);
}

/* Rabin's have the width of the polynomial; all others have 64 bits, of which the highest count. */
static inline void finish_windows(const struct view *view, uint64_t *fp, size_t count) {
    if (view->keyed) finish_keyed(view, fp, count);
    if (view->keyed || view->hash == HASH_MIX) narrow(fp, count, view->width);
}

#endif
