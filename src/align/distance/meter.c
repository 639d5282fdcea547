#include "align/distance/meter.h"

bool meter_spend(struct meter *meter, uint64_t cells) {
    if (meter->work == UINT64_MAX) return true;
    if (cells > meter->work) return false;
    meter->work -= cells;
    return true;
}

stemma_status meter_check(const struct meter *meter, stemma_error *err) {
    return check_stop(meter->stop, err);
}

stemma_status meter_allows(const struct meter *meter, size_t count, size_t size, stemma_error *err) {
    if (count <= meter->memory / size) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED,
                "the edit distance of texts that long needs more memory than is allowed");
}
