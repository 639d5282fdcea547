/*
 * What an earlier scan knew: files that have not changed need not be read again, only entered, with the
 * documents inside them. The identities are lasting ones.
 *
 * Of a file that holds documents, or a data set, there is a recording (recording.h), in chunks, whose order
 * does not matter. It is made by all who take documents out of that file: whoever is about to calls begin,
 * and end when it has added what it took. With the last end it is complete. The chunks of a data set are of
 * pieces of it, and count before that: another scan that finds it unfinished goes on with it.
 */
#ifndef SCAN_CACHE_H
#define SCAN_CACHE_H

#include "group/group.h"
#include "scan/catalogue.h"

struct cached {
    struct identity bytes_identity, text_identity;
    uint64_t bytes, text_size;
    enum document_state state; /* text, empty, binary or a container */
    uint8_t format;
    bool looked_into;            /* it may hold documents */
    uint32_t shingles;           /* see keyer_size; of a text, as the rest */
    const uint8_t *keys;         /* of the scan's plan */
    const struct vec64 *samples; /* likewise */
};

struct inside_known {
    uint32_t slot, chunks; /* where, and how many */
    bool filled, in_order; /* see struct source */
    uint64_t rows;         /* that the cache has of the file */
    bool unfinished;       /* then none of these three is known, and this is what its chunks say: */
    bool tight;
    uint64_t held;
};

/* How somebody fared who took documents out of a file. */
struct inside_taken {
    bool whole;    /* it follows from the bytes of the file alone, and from how it is read, whatever he met */
    bool tight;    /* he met the limit of memory; */
    uint64_t held; /* if not, he would not have with so much */
};

/* All by any thread. */
struct scan_cache {
    void *context;
    /* Keys and samples are put into the buffers given, which `out` then points to. */
    stemma_status (*find)(void *context, const struct source *source, uint8_t *keys, struct vec64 *samples,
                          struct cached *out, bool *found, stemma_error *err);
    stemma_status (*keep)(void *context, const struct source *source, const struct cached *known,
                          stemma_error *err);

    stemma_status (*find_inside)(void *context, const struct source *source, struct inside_known *out,
                                 bool *found, stemma_error *err);
    /* One of its chunks. Not found: the cache was given up, which was told. */
    stemma_status (*chunk)(void *context, const struct source *source, const struct inside_known *known,
                           uint32_t number, struct buf *out, bool *found, stemma_error *err);
    /* All of it was entered, once for a file. */
    void (*entered)(void *context, const struct inside_known *known);
    /* Not taken: nothing is to be added. It is the same for all until the last has ended. unfinished: what
     * the first goes on with, NULL: nothing. */
    stemma_status (*begin)(void *context, const struct source *source, const struct inside_known *unfinished,
                           bool *taken, stemma_error *err);
    stemma_status (*add)(void *context, const struct source *source, const struct buf *chunk, uint64_t bytes,
                         stemma_error *err);
    stemma_status (*end)(void *context, const struct source *source, const struct inside_taken *how,
                         stemma_error *err);

    /* Nothing else is to be read: what was kept by now lasts, whatever ends the scan; by one thread. */
    stemma_status (*all_read)(void *context, stemma_error *err);

    /* What two texts have in common, by whatever tells such pairs apart; by one thread. */
    stemma_status (*find_numbers)(void *context, struct identity pair, struct numbers *out, bool *found,
                                  stemma_error *err);
    stemma_status (*keep_numbers)(void *context, struct identity pair, const struct numbers *numbers,
                                  stemma_error *err);
};

#endif
