/* The parts of a document that is a zip archive in memory. */
#ifndef READ_ZIP_PARTS_H
#define READ_ZIP_PARTS_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

struct zip_parts {
    const uint8_t *bytes;
    size_t size;
    const volatile int *stop;
    size_t part_most;     /* bytes of one part, which is held */
    uint64_t unpack_left; /* bytes of all parts that may still be taken: a bomb ends here */
    struct buf part;
};

void zip_parts_init(struct zip_parts *zip, const uint8_t *bytes, size_t size,
                    const struct reading_limits *limits);
void zip_parts_release(struct zip_parts *zip);

/* What to do with the parts, in the order of the archive. */
struct zip_taker {
    bool (*wants)(void *context, const char *name);
    stemma_status (*take)(void *context, const char *name, const uint8_t *bytes, size_t size,
                          stemma_error *err);
};

/* CORRUPT (also for a part whose checksum is wrong), UNSUPPORTED (encrypted, or a bomb), NO_MEMORY,
 * INTERRUPTED, and what `take` returns. */
stemma_status zip_parts_each(struct zip_parts *zip, const struct zip_taker *taker, void *context,
                             stemma_error *err);

#endif
