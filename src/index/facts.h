/*
 * What a collection knows of a document besides its name and its sketches: the facts of its row, FACTS_BYTES
 * of them.
 *
 * Every row has cells for all parts; those of a document without text are zeros, or empty, and say nothing:
 * lookup parts have no keys for it (facts_text), and whoever scans columns leaves it aside.
 */
#ifndef INDEX_FACTS_H
#define INDEX_FACTS_H

#include "index/schema.h"

enum facts_state {
    FACTS_TEXT = 0,
    FACTS_EMPTY = 1,     /* no text: nothing to judge by */
    FACTS_BINARY = 2,    /* not text: known by its bytes alone */
    FACTS_FAILED = 3,    /* its text could not be had: no longer written, see collector.c */
    FACTS_CONTAINER = 4, /* the documents in it are others: likewise */
    FACTS_DATASET = 5 /* its records are documents, it is none itself: remembered so that it can be skipped */
};

enum { FACTS_BYTES = 96, FACTS_DIGEST = 16 };

struct facts {
    enum facts_state state;
    uint8_t format;      /* enum text_format: how the bytes are read */
    bool looked_into;    /* of a file: what it may hold was looked for */
    bool unsettled;      /* size and time do not say that all is known: it is to be read again */
    bool outdated;       /* there is a later version, which could not be read */
    bool no_bits;        /* it has no Hamming fingerprint, where others do: its bits are zeros */
    uint32_t path_bytes; /* so many bytes of the id are the path of the file; 0: it was in memory */
    uint64_t bytes, text_bytes;
    uint32_t shingles; /* distinct; see keyer_size */
    uint32_t way;      /* how the text was made: of the same bytes another is made in another way */
    uint64_t offset;   /* of a record in its data set; of a document in a container its number there, from 1;
                          of a settled file how many documents of the collection are inside it: where there
                          are others, some were lost */
    uint32_t record_bytes;
    uint32_t stamp;                                          /* of the file, besides size and time */
    uint64_t file_bytes;                                     /* of the file, */
    int64_t modified;                                        /* and when it was, in nanoseconds since 1970 */
    uint8_t digest[FACTS_DIGEST], text_digest[FACTS_DIGEST]; /* the first bytes of those that sketches have */
};

void facts_write(const struct facts *facts, uint8_t out[FACTS_BYTES]);
/* CORRUPT when they cannot be. */
stemma_status facts_read(struct cell cell, struct facts *out, stemma_error *err);

/* Whether there is anything in the row's other cells. */
bool facts_text(struct cell facts);
/* Whether its fingerprint is one, if fingerprints are kept. */
bool facts_bits(struct cell facts);

/* Whether it is inside a file, and not the file itself. */
static inline bool facts_inside(const struct facts *facts, size_t id_bytes) {
    return facts->path_bytes != 0 && facts->path_bytes < id_bytes;
}

/* All documents inside a file have this key (KIND_MEMBER_KEYS), */
uint64_t path_key(const void *path, size_t size);
/* and all data sets this one, */
#define DATASET_KEY UINT64_C(0)
/* and those without a fingerprint this one, too. */
#define NO_BITS_KEY UINT64_C(1)
stemma_status member_keys(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err);

/* All with these bytes have this key (KIND_DIGEST_KEYS), where it is by them that they are found: without
 * text, or with too little of it to have samples. What is empty is like nothing. */
uint64_t digest_key(const uint8_t digest[FACTS_DIGEST]);
stemma_status digest_keys(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err);

#endif
