/* Brotli (RFC 7932), which HTTP has and files do not: it cannot be told by its bytes. */
#ifndef READ_BROTLI_H
#define READ_BROTLI_H

#include "base/error.h"

struct brotli;

/* The name, for messages, and the bytes must stay. */
stemma_status brotli_new(const char *name, const uint8_t *bytes, size_t size, struct brotli **out,
                         stemma_error *err);
/* A stream_pull; context: a brotli. CORRUPT when the data is damaged or ends too early. */
stemma_status brotli_read(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err);
void brotli_free(struct brotli *brotli);

#endif
