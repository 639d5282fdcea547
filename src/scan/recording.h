/*
 * What a scan learned of the documents inside a file, in bytes: entry after entry, so that another scan can
 * enter them without the file.
 */
#ifndef SCAN_RECORDING_H
#define SCAN_RECORDING_H

#include "read/dataset.h"
#include "scan/catalogue.h"

enum { RECORDING_FORMAT = 1 }; /* of these bytes */

/* What of a data set it is of; empty: of something else, which does not count by itself. */
struct recorded_piece {
    struct dataset_piece place; /* without key */
    uint64_t held;              /* see struct inside_taken; if it is tight, what was allowed */
    bool tight;
};

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

/* All that the entry has is copied; keys are key_bytes long. In front of the first there is room for
 * what all of them are of. */
stemma_status recording_add(struct buf *out, const struct recorded *entry, size_t key_bytes,
                            stemma_error *err);
void recording_set_piece(struct buf *recording, const struct recorded_piece *piece);

struct recording_reader {
    const uint8_t *bytes;
    size_t size, at, key_bytes;
};

/* CORRUPT when it cannot be a recording. */
stemma_status recording_open(struct recording_reader *reader, const struct buf *recording, size_t key_bytes,
                             struct recorded_piece *piece, stemma_error *err);
/* The next entry; its strings and keys are the recording's, its samples are put into those of `entry`, unless
 * NULL. CORRUPT when it cannot be one. */
stemma_status recording_next(struct recording_reader *reader, struct recorded *entry, bool *more,
                             stemma_error *err);

#endif
