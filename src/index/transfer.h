/* Collections out of one place into another: backups, files to carry, and several into one. */
#ifndef INDEX_TRANSFER_H
#define INDEX_TRANSFER_H

#include "index/collection.h"

/* The state that a reader sees, as a collection of its own in a new folder; the writer goes on meanwhile.
 * `link`: its files are the same ones under a second name, where that can be, and are not read. On failure
 * nothing is left of it. What is copied is checked; CORRUPT is no failure: the backup is made, of damaged
 * files too, the first of which is told. */
stemma_status collection_backup(struct collection *collection, const char *path, bool link,
                                stemma_error *err);

/* All documents that count as one file; "-" is standard output. */
stemma_status collection_export(struct collection *collection, const char *path, uint64_t *documents,
                                stemma_error *err);

/* A collection, or a file of one, from which documents are taken. */
struct origin;
stemma_status origin_open(const char *path, const struct collection_options *options, struct origin **out,
                          stemma_error *err);
const struct schema *origin_schema(const struct origin *origin);
void origin_close(struct origin *origin);

struct merge_facts {
    uint64_t documents, added, replaced, unchanged;
    uint64_t made; /* of which parts were made again */
    uint64_t without_text, without_signature, without_bits;
    unsigned dropped;                       /* STEMMA_PART_* */
    uint32_t bits, bits_before, bits_given; /* of fingerprints: now, before, of the other one */
};

/* What is done with each document: the row is the origin's until it returns. */
typedef stemma_status take_document(void *context, const struct row *row, stemma_error *err);
/* CORRUPT when it ends too early, or is damaged: what was taken before is then not to be kept. */
stemma_status origin_read(struct origin *origin, take_document *take, void *context, stemma_error *err);

#endif
