/*
 * What a scan learned of the documents inside a file, in bytes: entry after entry, so that another scan can
 * enter them without the file.
 */
#ifndef SCAN_RECORDING_H
#define SCAN_RECORDING_H

#include "scan/catalogue.h"

struct recorded {
    bool is_problem;          /* else a document */
    struct document document; /* its source, id, class are not here */
    const char *name;         /* its id; what the problem is of. A NUL follows */
    size_t name_size;
    /* of a text */
    struct identity text_identity;
    uint64_t text_size;
    uint32_t shingles;
    const uint8_t *keys;
    struct vec64 *samples;
    /* of a problem, or a document that failed or is damaged */
    uint64_t line;
    stemma_error cause;
};

/* All that the entry has is copied; keys are key_bytes long. */
stemma_status recording_add(struct buf *out, const struct recorded *entry, size_t key_bytes,
                            stemma_error *err);

struct recording_reader {
    const uint8_t *bytes;
    size_t size, at, key_bytes;
};

/* The next entry; its strings and keys are the recording's, its samples are put into those of `entry`, unless
 * NULL. CORRUPT when it cannot be one. */
stemma_status recording_next(struct recording_reader *reader, struct recorded *entry, bool *more,
                             stemma_error *err);

#endif
