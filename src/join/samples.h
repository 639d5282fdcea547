/* Candidates by samples: classes of which most samples may be found in another class. */
#ifndef JOIN_SAMPLES_H
#define JOIN_SAMPLES_H

#include "join/join.h"
#include "join/outlet.h"

stemma_status samples_join(const struct join_plan *plan, const struct join_input *input,
                           struct outlet *outlet, struct join_counts *counts, stemma_error *err);

#endif
