#include "align/signature/parity.h"

#include "align/signature/symbols.h"

stemma_status parity_estimate(const struct signature *a, const struct signature *b, uint64_t *out,
                              stemma_error *err) {
    const struct symbols x = {a->symbols, a->count}, y = {b->symbols, b->count};
    uint64_t distance;
    TRY(symbols_distance(x, y, UINT64_MAX, &distance, err));
    *out = distance * a->c;
    return STEMMA_OK;
}

double parity_unrelated(const struct signature *a, const struct signature *b, double fudge) {
    size_t longer = a->count > b->count ? a->count : b->count; /* the shorter, and the difference */
    return (double)longer * a->c * fudge;
}
