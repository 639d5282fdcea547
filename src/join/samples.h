/* Candidates by samples: classes of which most samples may be found in another class. In stages, of which
 * each is done when the one before is; those that have slices by any threads at once. */
#ifndef JOIN_SAMPLES_H
#define JOIN_SAMPLES_H

#include "base/buf.h"
#include "join/join.h"
#include "join/outlet.h"

#define SAMPLE_SLICES 32 /* at most */

struct samples {
    const struct join_plan *plan;
    const struct join_input *input;
    struct class_samples *classes;
    uint64_t *in_part;               /* a bit a class: it looks up a part of its samples */
    uint8_t *need;                   /* by rank: how often a class that contains it is met at least */
    uint32_t *class_at;              /* rank; NULL when sizes are not known */
    struct buf heads[SAMPLE_SLICES]; /* the first few ranks of each full bucket, in order */
    uint32_t slices, met_slices;     /* of the samples, of what was met */
    struct sorter *met;              /* pairs that share a sample which one of them needs, once for each */
};

stemma_status samples_init(struct samples *samples, const struct join_plan *plan,
                           const struct join_input *input, stemma_error *err);
void samples_release(struct samples *samples);

stemma_status samples_count(struct samples *samples, uint32_t slice, stemma_error *err);
stemma_status samples_decide(struct samples *samples, stemma_error *err);
stemma_status samples_meet(struct samples *samples, uint32_t slice, struct join_counts *counts,
                           stemma_error *err);
stemma_status samples_settle(struct samples *samples, struct join_counts *counts, stemma_error *err);
stemma_status samples_give(struct samples *samples, uint32_t slice, struct outlet *outlet,
                           struct join_counts *counts, stemma_error *err);
/* Once it is decided: whether a class could not do without samples of more classes than the cap. */
bool samples_needs_full(const struct samples *samples, uint32_t class);

#endif
