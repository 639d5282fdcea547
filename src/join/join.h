/*
 * From the keys and samples of all classes to the pairs that are worth comparing.
 *
 * Resemblance: bands of the keys (bands.c). Containment: rare samples (samples.c). What comes out is a set of
 * pairs that follows from keys, samples and ranks alone: threads, memory and the numbering of classes change
 * nothing.
 */
#ifndef JOIN_JOIN_H
#define JOIN_JOIN_H

#include "join/plan.h"
#include "runs/runs.h"

enum candidate_kind { CANDIDATE_RESEMBLES = 1, CANDIDATE_SECOND_IN_FIRST = 2, CANDIDATE_FIRST_IN_SECOND = 4 };

struct join_input {
    uint32_t count;       /* classes */
    const uint8_t *keys;  /* [class][plan->key_bytes], with KERNEL_SLACK readable bytes behind the last */
    const uint32_t *rank; /* of each class: its place in keep order, below count */
    const uint32_t *sample_counts; /* of each class; not looked at when containment is not looked for, nor */
    const uint32_t *sizes;         /* of each class, as keyer_size says; NULL: they are not made use of */
    struct sorter *samples;        /* finished, of KEY_SAMPLE_BITS: a sample of keyer.h, its class */
    unsigned threads;              /* 0: one a processor */
    size_t memory;                 /* for sorting pairs that share samples; 0: JOIN_MEMORY */
    const char *directory;         /* of temporary files; may be NULL */
    const volatile int *stop;      /* may be NULL */
};
#define JOIN_MEMORY ((size_t)64 << 20)

/* What it cost. */
struct join_counts {
    uint64_t looked;       /* pairs whose keys were compared */
    uint64_t resembling;   /* pairs added because of their keys */
    uint64_t full_bands;   /* buckets of a band with more classes than the cap */
    uint64_t shared;       /* pairs that share a sample which one of them needs, once for each */
    uint64_t containing;   /* pairs added because of their samples */
    uint64_t full_samples; /* samples of more classes than the cap */
    uint64_t spilled;      /* bytes written to temporary files */
    uint64_t crowded;      /* classes of which some pairs were not looked at, for the cap */
};

/* Adds (rank_first << 32 | rank_second, kinds) with rank_first < rank_second to pairs. The same pair may be
 * added more than once. Besides the keys it takes 8 bytes per class and 16 per class and thread, and 17 for
 * containment. Errors: NO_MEMORY, INTERRUPTED, and those of sorters. */
stemma_status join_candidates(const struct join_plan *plan, const struct join_input *input,
                              struct sorter *pairs, struct join_counts *counts, stemma_error *err);

#endif
