/* Other programs that compute the Levenshtein distance of bytes, as far as they were found when this was
 * configured. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stddef.h>
#include <stdint.h>

struct peer {
    const char *name;
    uint64_t (*distance)(const uint8_t *a, size_t a_size, const uint8_t *b,
                         size_t b_size); /* NULL: not found */
};

enum { PEER_EDLIB, PEER_WFA2, PEER_WFA2_BIDIRECTIONAL, PEER_MYERS64, PEERS };
extern const struct peer peers[PEERS];

#endif
