/*
 * What the candidates for the store of a collection have to do, and the documents they do it with.
 *
 * A document is made from its number and nothing else, so that every answer of a store can be checked without
 * keeping anything: one in five is a near-copy of an earlier one, with which it shares 4 bands in 10 and 3
 * samples in 4; one sample of each comes from a small pool, as templates give them.
 */
#ifndef STORE_WORKLOAD_H
#define STORE_WORKLOAD_H

#include "base/error.h"
#include "base/rng.h"
#include "kernels/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FACTS = 120,
    MINIMA = 100,
    BITS = 50, /* 400 bits */
    BANDS = 26,
    SAMPLES = 20,
    TEMPLATES = 1000,
    ID_ROOM = 80
};

struct document {
    uint64_t number;
    char id[ID_ROOM];
    size_t id_size;
    uint8_t facts[FACTS], minima[MINIMA], bits[BITS];
    uint64_t bands[BANDS];     /* the band above a hash of 32 bits */
    uint64_t samples[SAMPLES]; /* 40 bits */
};

void make_document(uint64_t number, struct document *document);

enum index { INDEX_BANDS, INDEX_SAMPLES, INDEXES };

/* ---- what each candidate brings ---- */

struct store;

/* The name in tables. */
extern const char *const store_name;

stemma_status store_open(const char *directory, bool writes, struct store **out, stemma_error *err);
void store_close(struct store *store);
/* A reader goes on to what was committed last; *documents is how many were ever added by then. */
stemma_status store_refresh(struct store *store, uint64_t *documents, stemma_error *err);

/* Each is one commit: durable and atomic. Documents are added in the order of their numbers. */
stemma_status store_append(struct store *store, const struct document *documents, size_t count,
                           stemma_error *err);
stemma_status store_remove(struct store *store, const struct document *documents, size_t count,
                           stemma_error *err);
/* The space of what was removed goes back to the system. */
stemma_status store_reclaim(struct store *store, stemma_error *err);

/* The facts of a document by its id; *found says whether it is there. */
stemma_status store_find(struct store *store, const char *id, size_t id_size, uint8_t facts[FACTS],
                         uint64_t *number, bool *found, stemma_error *err);
/* Minima of a document by its number. */
stemma_status store_minima(struct store *store, uint64_t number, uint8_t minima[MINIMA], bool *found,
                           stemma_error *err);
/* Up to `room` numbers of documents that have the key. */
stemma_status store_list(struct store *store, enum index index, uint64_t key, uint64_t *numbers, size_t room,
                         size_t *count, stemma_error *err);
/* How many fingerprints are within `radius` of `bits`: a scan over all of them. */
stemma_status store_near(struct store *store, const uint8_t bits[BITS], unsigned radius, uint64_t *count,
                         stemma_error *err);
/* A number that depends on all that is stored, read by the ways above or by walking through it. */
stemma_status store_digest(struct store *store, uint64_t *digest, stemma_error *err);

/* ---- small things they share ---- */

static inline uint64_t bits_apart(const uint8_t *a, const uint8_t *b) {
    return kernels_get()->hamming(a, b, BITS);
}

/* Of bytes of any length; for keys and digests of this benchmark only. */
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);

#endif
