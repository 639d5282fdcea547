/* The ways of retrieval.c that go by an index: each verifies its candidates. */
#ifndef INDEX_HAMMING_WAYS_H
#define INDEX_HAMMING_WAYS_H

#include "base/spill.h"
#include "index/hamming/retrieval.h"

struct hamming_question {
    const struct hamming_source *source;
    const uint64_t *query;
    uint32_t radius;
    struct hamming_matches *matches;
    struct hamming_work *work;
};

/* Both need r_h < m. */
stemma_status hamming_grouping(const struct hamming_question *q, stemma_error *err);
stemma_status hamming_merging(const struct hamming_question *q, stemma_error *err);
stemma_status hamming_multi_index(const struct hamming_question *q, stemma_error *err);

/* Lookups of all values of a group within `radius` bits: what multi-index hashing asks of it. */
double hamming_probes(uint32_t width, int radius);
/* The radius of group i: the first groups get one more, so that all together are r_h - m + 1; -1: it is not
 * asked. */
int hamming_group_radius(uint32_t radius, uint32_t groups, uint32_t i);

/* Numbers that were met, in any order: those that were `least` times are candidates, and become matches where
 * they are within the radius. */
stemma_status hamming_verify(const struct hamming_question *q, struct spill *met, uint64_t least,
                             stemma_error *err);
stemma_status hamming_take_met(void *spill, const uint64_t *numbers, size_t count, stemma_error *err);

#endif
