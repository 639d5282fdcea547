/* What can be saved of a damaged collection: opening what is there, and writing again what is left. */
#ifndef INDEX_SALVAGE_H
#define INDEX_SALVAGE_H

#include "index/state.h"
#include "index/verify.h"

struct salvage {
    struct collection *c;
    struct verify_facts *facts;
    take_finding *take;
    void *context;
    bool *sound; /* by segment */
    bool gone_lost;
    struct vec64 given_up; /* serials of files that were not, or not wholly, read */
};

/* A status that tells of damage becomes a finding, and *sound (may be NULL) false; others are handed on. */
stemma_status finding(struct salvage *v, stemma_status status, bool *sound, stemma_error *err);
/* Reads every block of a file. */
stemma_status check_blocks(const struct segment_file *file, stemma_error *err);
/* The state of whatever can be opened. */
stemma_status salvage_open(struct salvage *v, stemma_error *err);
/* No id counts twice; where what is gone is lost, the earlier goes. */
stemma_status check_twice(struct salvage *v, stemma_error *err);
/* Segments that are not sound are written again, from what can be read of them; one commit names all. */
stemma_status salvage_commit(struct salvage *v, stemma_error *err);

#endif
