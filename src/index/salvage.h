/* What can be saved of a damaged collection: opening what is there, and writing again what is left. */
#ifndef INDEX_SALVAGE_H
#define INDEX_SALVAGE_H

#include "index/state.h"
#include "index/verify.h"

struct salvage {
    struct collection *c;
    struct verify_facts *facts;
    const struct mender *mender; /* may be NULL */
    take_finding *take;
    void *context;
    bool *sound; /* by segment */
    bool gone_lost;
    uint64_t mended, emptied; /* documents */
    struct vec64 given_up;    /* serials of files that were not, or not wholly, read */
};

/* A status that tells of damage becomes a finding, and *sound (may be NULL) false; others are handed on. */
stemma_status finding(struct salvage *v, stemma_status status, bool *sound, stemma_error *err);
/* In words: a number, and a name that may be "". */
void salvage_tell(struct salvage *v, const char *format, unsigned long long number, const char *name);
/* Notes a file that is not, or not wholly, read. */
stemma_status give_up(struct salvage *v, uint64_t serial, stemma_error *err);
/* A manifest of the files that are there, in place of one that cannot be read. */
stemma_status rebuild_manifest(struct salvage *v, struct manifest *m, stemma_error *err);
/* CORRUPT, always. */
stemma_status manifest_one_copy_left(const char *path, stemma_error *err);
/* Reads every block of a file. */
stemma_status check_blocks(const struct segment_file *file, stemma_error *err);
/* CORRUPT, always. */
stemma_status table_one_copy_left(const struct segment_file *file, stemma_error *err);
/* The state of whatever can be opened. */
stemma_status salvage_open(struct salvage *v, stemma_error *err);
/* No id counts twice; where what is gone is lost, the earlier goes. */
stemma_status check_twice(struct salvage *v, stemma_error *err);
/* Segments that are not sound are written again, from what can be read of them; one commit names all. */
stemma_status salvage_commit(struct salvage *v, stemma_error *err);

#endif
