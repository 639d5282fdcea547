/* Bytes that are put aside until their place comes, in memory up to a bound and then in a temporary file. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/buf.h"
#include "base/disk.h"

struct spool {
    const char *directory; /* of the file; NULL: TMPDIR, else /tmp */
    struct buf bytes;      /* not in the file yet */
    bool has_file;
    int fd; /* of that, which may be 0 */
    uint64_t filed;
};

stemma_status spool_add(struct spool *spool, const void *bytes, size_t size, stemma_error *err);
/* All of it, in pieces that are multiples of SPOOL_PIECE bytes but for the last. */
enum { SPOOL_PIECE = 1 << 20 };
typedef stemma_status spool_take(void *context, const uint8_t *bytes, size_t size, stemma_error *err);
stemma_status spool_read(struct spool *spool, spool_take *take, void *context, stemma_error *err);
void spool_release(struct spool *spool);

#endif
