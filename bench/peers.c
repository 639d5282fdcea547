/*
 * The peers, each in the fastest way it has to say a distance and nothing else.
 *
 * edlib: global alignment, distance only, no bound. WFA2: edit distance, score only, no heuristics, and both
 * of the memory modes that can be fast (all wavefronts, or from both ends). myers64: the textbook's algorithm
 * in blocks of 64 rows.
 */
#include "peers.h"

#include <stdbool.h> /* WFA2's headers count on it, and on stdio.h */
#include <stdio.h>
#include <stdlib.h>

#if HAVE_EDLIB
#include <edlib.h>
static uint64_t edlib_distance(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    EdlibAlignResult result =
        edlibAlign((const char *)a, (int)a_size, (const char *)b, (int)b_size,
                   edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, NULL, 0));
    uint64_t distance = (uint64_t)result.editDistance;
    edlibFreeAlignResult(result);
    return distance;
}
#else
#define edlib_distance NULL
#endif

#if HAVE_WFA2
#include <wavefront/wavefront_align.h>
static uint64_t wfa2(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                     wavefront_memory_t memory) {
    wavefront_aligner_attr_t attributes = wavefront_aligner_attr_default;
    attributes.distance_metric = edit;
    attributes.alignment_scope = compute_score;
    attributes.heuristic.strategy = wf_heuristic_none;
    attributes.memory_mode = memory;
    wavefront_aligner_t *aligner = wavefront_aligner_new(&attributes);
    wavefront_align(aligner, (const char *)a, (int)a_size, (const char *)b, (int)b_size);
    int score = aligner->cigar->score;
    wavefront_aligner_delete(aligner);
    return (uint64_t)(score < 0 ? -score : score);
}
static uint64_t wfa2_distance(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    return wfa2(a, a_size, b, b_size, wavefront_memory_high);
}
static uint64_t wfa2_bidirectional(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    return wfa2(a, a_size, b, b_size, wavefront_memory_ultralow);
}
#else
#define wfa2_distance      NULL
#define wfa2_bidirectional NULL
#endif

/* ---- the textbook ---- */

struct block {
    uint64_t up, down;
};

/* One column of a block; `above` and the result are the changes of the rows above it and at its end. */
static inline int advance(struct block *block, uint64_t equal, int above, int last) {
    uint64_t any = equal | block->down;
    equal |= above < 0;
    uint64_t diagonal = (((equal & block->up) + block->up) ^ block->up) | equal;
    uint64_t right = block->down | ~(diagonal | block->up), left = block->up & diagonal;
    int below = (int)(right >> last & 1) - (int)(left >> last & 1);
    right = right << 1 | (above > 0);
    left = left << 1 | (above < 0);
    block->up = left | ~(any | right);
    block->down = right & any;
    return below;
}

static uint64_t myers64(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    size_t words = (a_size + 63) / 64;
    uint64_t *rows = calloc(256 * (words + 1), sizeof *rows), distance = a_size;
    struct block *blocks = malloc((words + 1) * sizeof *blocks);
    if (!rows || !blocks) abort();
    for (size_t i = 0; i < a_size; i++) rows[a[i] * words + i / 64] |= UINT64_C(1) << i % 64;
    for (size_t w = 0; w < words; w++) blocks[w] = (struct block){~UINT64_C(0), 0};
    for (size_t j = 0; j < b_size; j++) {
        int change = 1;
        for (size_t w = 0; w + 1 < words; w++)
            change = advance(&blocks[w], rows[b[j] * words + w], change, 63);
        if (words)
            change =
                advance(&blocks[words - 1], rows[b[j] * words + words - 1], change, (int)((a_size - 1) % 64));
        distance += (uint64_t)(int64_t)change;
    }
    free(rows);
    free(blocks);
    return distance;
}

const struct peer peers[PEERS] = {
    [PEER_EDLIB] = {"edlib", edlib_distance},
    [PEER_WFA2] = {"wfa2", wfa2_distance},
    [PEER_WFA2_BIDIRECTIONAL] = {"wfa2-bi", wfa2_bidirectional},
    [PEER_MYERS64] = {"myers64", myers64},
};
