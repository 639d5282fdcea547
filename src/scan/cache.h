/*
 * What an earlier scan knew of files: those that have not changed need not be read again, only entered.
 *
 * Files alone: what is in archives and data sets is read each time. The identities are lasting ones.
 */
#ifndef SCAN_CACHE_H
#define SCAN_CACHE_H

#include "scan/catalogue.h"

struct cached {
    struct identity bytes_identity, text_identity;
    uint64_t bytes, text_size;
    enum document_state state; /* text, empty or binary */
    uint8_t format;
    uint32_t shingles;           /* see keyer_size; of a text, as the rest */
    const uint8_t *keys;         /* of the scan's plan */
    const struct vec64 *samples; /* likewise */
};

/* Both by any thread. */
struct scan_cache {
    void *context;
    /* Keys and samples are put into the buffers given, which `out` then points to. */
    stemma_status (*find)(void *context, const struct source *source, uint8_t *keys, struct vec64 *samples,
                          struct cached *out, bool *found, stemma_error *err);
    stemma_status (*keep)(void *context, const struct source *source, const struct cached *known,
                          stemma_error *err);
};

#endif
