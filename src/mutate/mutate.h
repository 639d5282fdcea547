/* A text changed in a known way: see stemma/mutate.h. */
#ifndef MUTATE_MUTATE_H
#define MUTATE_MUTATE_H

#include "mutate/tape.h"

/* Of a request that was checked; result and operations are left in the tape, to be released in any case. */
stemma_status mutate(const uint8_t *text, size_t size, const stemma_mutation *asked, struct tape *tape,
                     stemma_mutated_info *info, stemma_error *err);

#endif
