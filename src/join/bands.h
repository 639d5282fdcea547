/* Candidates by bands: classes whose keys agree in all rows of some band. One band at a time, any bands at
 * once. */
#ifndef JOIN_BANDS_H
#define JOIN_BANDS_H

#include "join/join.h"
#include "join/outlet.h"

#include <stdatomic.h>

struct bands {
    const struct join_plan *plan;
    const struct join_input *input;
    _Atomic uint64_t *full; /* of each class, the bands in which its bucket is larger than the cap */
};

stemma_status bands_init(struct bands *bands, const struct join_plan *plan, const struct join_input *input,
                         stemma_error *err);
void bands_release(struct bands *bands);

/* Scratch of one thread. */
struct band_worker {
    uint64_t *entries, *scratch; /* made by the first band */
    struct outlet outlet;
    struct join_counts counts;
};

void band_worker_init(struct band_worker *worker, struct sorter *pairs);
void band_worker_release(struct band_worker *worker);

/* Every band once; then, when any bucket was full, every band once more. */
stemma_status band_join(const struct bands *bands, struct band_worker *worker, uint32_t band,
                        stemma_error *err);
stemma_status band_join_again(const struct bands *bands, struct band_worker *worker, uint32_t band,
                              stemma_error *err);

#endif
