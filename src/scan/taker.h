/*
 * Who gets documents as they are read: the catalogue of a scan, or a collection.
 *
 * Each worker has a taker of its own. It gets one document after the other: what it is (document), if it is
 * wanted its text, in memory or in pieces, or that there is none; and that this was all (end).
 */
#ifndef SCAN_TAKER_H
#define SCAN_TAKER_H

#include "scan/cache.h"
#include "shingle/stream.h"

struct stemma_scan;
struct text_reader;

struct taker_kind {
    stemma_status (*new)(struct stemma_scan *scan, void **out, stemma_error *err);
    void (*free)(void *taker);
    /* So many sources are listed that they are to be read now, and forgotten; NULL: all are listed first. */
    stemma_status (*listed)(struct stemma_scan *scan, stemma_error *err);
    /* Whether it is known without opening it that a file is a data set, or that it is none: *known, and
     * which; NULL: nobody knows. */
    stemma_status (*dataset)(struct stemma_scan *scan, const struct source *source, bool *known, bool *is,
                             stemma_error *err);
    bool every_container; /* else of those with the same bytes only the first is looked into */
    /* Sources are taken in the order they were listed in, each with what it holds, and not the largest first:
     * as jobs, which are numbered from 0 on (a data set is several). A worker does one after the other; it
     * may wait where it begins one, and in a pause between two documents, when it holds no lock. */
    bool in_order;
    stemma_status (*job)(void *taker, uint64_t number, stemma_error *err); /* NULL: it does not matter */
    stemma_status (*pause)(void *taker, stemma_error *err);                /* likewise */
    /* Whether a file or data set has to be read at all; NULL: all have to. */
    stemma_status (*source)(void *taker, uint32_t source, bool *wanted, stemma_error *err);
    /* Whether what is inside a container, or a data set that was not read, has to be; NULL: all has to. */
    stemma_status (*inside)(void *taker, uint32_t source, bool *wanted, stemma_error *err);
    /* From here on documents are taken out of a container or data set: by one worker, or one for each batch;
     * then also by whoever cuts it, from its beginning to its end. Problems are told in between; they are in
     * the catalogue already. All NULL: it does not matter. */
    stemma_status (*begin_inside)(void *taker, uint32_t source, stemma_error *err);
    stemma_status (*problem)(void *taker, uint32_t source, const char *name, uint64_t line,
                             const stemma_error *cause, stemma_error *err);
    stemma_status (*end_inside)(void *taker, uint32_t source, const struct inside_taken *how,
                                stemma_error *err);
    /* Of a data set that is about to be read: the pieces that are known, by whoever was asked for it. Each is
     * then taken by its key, as a batch. Both NULL: none is. */
    stemma_status (*known_pieces)(void *taker, struct dataset *dataset, stemma_error *err);
    stemma_status (*known_piece)(void *taker, uint32_t source, uint64_t key, stemma_error *err);
    /* Where in the data set the batch begins, its next record does, and the batch ends; NULL: it does not
     * matter. */
    stemma_status (*place)(void *taker, uint32_t source, uint64_t offset, uint64_t line, stemma_error *err);
    /* Of the document source, place, bytes, format, state, what it holds, and the identity of its bytes are
     * known; id NULL: it has the source's name. Not wanted: nobody looks at its text. */
    stemma_status (*document)(void *taker, const struct document *document, const char *id, size_t id_size,
                              bool *wanted, stemma_error *err);
    /* Of the document at work something could not be read, as `what` tells; the rest of it follows. */
    stemma_status (*damaged)(void *taker, const stemma_error *what, stemma_error *err);
    /* The canonical text, which the reader has just made, not empty. */
    stemma_status (*text)(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                          stemma_error *err);
    /* A text that is not to be held. Its fingerprints, and the pieces of its canonical text (NULL: nobody
     * looks at them), are taken before anything else is known of the document, and are forgotten when another
     * begins. */
    struct shingle_sink (*begin_pieces)(void *taker);
    stemma_status (*piece)(void *taker, const uint8_t *text, size_t size, stemma_error *err);
    stemma_status (*end_pieces)(void *taker, struct identity text, uint64_t size, stemma_error *err);
    /* There is none: binary, empty, a container, or failed, which has a cause. */
    stemma_status (*no_text)(void *taker, enum document_state state, const stemma_error *cause,
                             stemma_error *err);
    stemma_status (*end)(void *taker, stemma_error *err);
    /* The last document was taken. */
    stemma_status (*finish)(void *taker, stemma_error *err);
};

/* Enters documents into the catalogue, with the keys and samples that the join works with. */
extern const struct taker_kind catalogue_taker;
/* The same with scan->cache: what it knows is not read, the rest is made known to it. */
extern const struct taker_kind cached_taker;

#endif
