/*
 * What scans learned of the documents inside files, in a collection: of each file a row with what recordings
 * there are, and a row for each of their chunks.
 *
 * All with the lock of pending held. Paths are ids of files.
 */
#ifndef COLLECT_RECORDINGS_H
#define COLLECT_RECORDINGS_H

#include "collect/pending.h"
#include "scan/cache.h"

enum { RECORDINGS_MOST = 4 }; /* of a file, read in different ways */

/* How a file is read: what is recorded is the same where this is, */
struct recording_way {
    struct identity how;
    uint64_t held; /* and as much memory is allowed as it took */
};

struct recording_head {
    struct recording_way way;
    bool tight; /* exactly so much */
    uint32_t chunks;
    uint8_t slot; /* under which its chunks are kept */
    bool filled, in_order;
    bool unfinished; /* it has as many chunks as are there */
};

/* Those of a file, the newest first. */
struct recording_heads {
    struct recording_head heads[RECORDINGS_MOST];
    size_t count;
};

/* One that is being made. */
struct recording_open {
    const struct source *source;
    unsigned takers;
    struct recording_heads others;
    struct recording_head made;
    uint64_t allowed; /* memory */
    bool whole;
};

struct recordings {
    struct pending *pending;
    size_t part;     /* of the schema */
    int64_t settled; /* see settled_until */
    struct recording_open *open;
    size_t open_count, open_cap;
    struct buf id, cell;
};

void recordings_release(struct recordings *recordings);

/* Its rows: of all recordings of the file, if it has not changed. */
stemma_status recordings_find(struct recordings *recordings, struct cell path, const struct source *source,
                              const struct recording_way *way, struct inside_known *out, bool *found,
                              stemma_error *err);
stemma_status recordings_chunk(struct recordings *recordings, struct cell path,
                               const struct inside_known *known, uint32_t number, struct buf *out,
                               stemma_error *err);

/* See struct scan_cache. */
stemma_status recordings_begin(struct recordings *recordings, struct cell path, const struct source *source,
                               const struct recording_way *way, const struct inside_known *unfinished,
                               bool *taken, stemma_error *err);
stemma_status recordings_add(struct recordings *recordings, struct cell path, const struct source *source,
                             const struct buf *chunk, uint64_t bytes, stemma_error *err);
/* *rows: as above, once it is complete. */
stemma_status recordings_end(struct recordings *recordings, struct cell path, const struct source *source,
                             const struct inside_taken *how, uint64_t *rows, stemma_error *err);

/* Those of a file that is no longer what it was. */
stemma_status recordings_drop_old(struct recordings *recordings, struct cell path,
                                  const struct source *source, stemma_error *err);

#endif
