/* What a computation of an edit distance may use: memory, work and the patience of the caller. */
#ifndef ALIGN_METER_H
#define ALIGN_METER_H

#include "base/error.h"

struct meter {
    uint64_t work; /* cells that may still be computed */
    size_t memory;
    const volatile int *stop;
};

/* Takes `cells` from the work that is left; false when there are not as many. */
bool meter_spend(struct meter *meter, uint64_t cells);

/* INTERRUPTED when the caller wants the work to end. */
stemma_status meter_check(const struct meter *meter, stemma_error *err);

/* UNSUPPORTED when `count` elements of `size` bytes are more than is allowed. */
stemma_status meter_allows(const struct meter *meter, size_t count, size_t size, stemma_error *err);

#endif
