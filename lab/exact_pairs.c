#include "exact_pairs.h"

#include "base/rng.h"

static bool add_word(struct buf *text, uint64_t value) {
    return buf_add_format(text, "%llx ", (unsigned long long)value);
}

double exact_pair(double r, size_t all, uint64_t seed, struct buf *a, struct buf *b) {
    size_t common = (size_t)(r * (double)all + .5);
    a->len = b->len = 0;
    for (size_t i = 0; i < all; i++) {
        uint64_t value = rng_next(&seed);
        bool second = i < common || (i - common) % 2 == 0, first = i < common || !second;
        if ((first && !add_word(a, value)) || (second && !add_word(b, value))) return -1;
    }
    return (double)common / (double)all;
}
