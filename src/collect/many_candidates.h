/*
 * Candidates of questions that are asked together, of which there may be more than memory should hold: sorted
 * on disk as they are found, and given back for one question after the other, some at a time.
 */
#ifndef COLLECT_MANY_CANDIDATES_H
#define COLLECT_MANY_CANDIDATES_H

#include "index/retrieval.h"

struct many_candidates;

/* Of limits its directory and stop. */
stemma_status many_candidates_new(const stemma_limits *limits, struct many_candidates **out,
                                  stemma_error *err);
void many_candidates_free(struct many_candidates *many);

/* What the question with this number finds goes here instead of into its list. */
void many_candidates_take(struct many_candidates *many, uint32_t question, struct candidates *list);
/* No more will be found. */
stemma_status many_candidates_finish(struct many_candidates *many, stemma_error *err);
/* The next ones of a question, by their numbers, in place of what the block has; none: these were all.
 * Questions in their order, each to its end. One that was found in several ways is one. */
stemma_status many_candidates_next(struct many_candidates *many, uint32_t question, struct candidates *block,
                                   stemma_error *err);

#endif
