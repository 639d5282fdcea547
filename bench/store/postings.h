/* Sorted runs (runs/run.h) as postings: made from a batch, merged without what is gone, and looked up. */
#ifndef STORE_POSTINGS_H
#define STORE_POSTINGS_H

#include "base/levels.h"
#include "runs/run.h"

/* Numbers of documents that are gone but still stand in runs; one bit each. */
struct gone {
    uint64_t *words;
    uint64_t limit; /* numbers from here on are not gone */
};

static inline bool is_gone(const struct gone *gone, uint64_t number) {
    return number < gone->limit && gone->words[number / 64] >> number % 64 & 1;
}

/* A run of these records, which are sorted on the way; *size is its own. */
stemma_status postings_write(const struct run_place *place, struct record *records, size_t count,
                             uint64_t *size, stemma_error *err);
/* One run of up to LEVELS_FAN others, without records whose value is gone. */
stemma_status postings_merge(const struct run_place *place, const struct level_run *from, size_t count,
                             const struct gone *gone, uint64_t *size, stemma_error *err);

struct postings {
    struct run *run;
    struct run_reader *reader; /* made when it is first asked */
};

stemma_status postings_open(struct postings *postings, const struct run_place *place, uint64_t size,
                            stemma_error *err);
/* Appends values of the key that are not gone, up to `room` in *count altogether. */
stemma_status postings_list(struct postings *postings, uint64_t key, const struct gone *gone,
                            uint64_t *values, size_t room, size_t *count, stemma_error *err);
/* A number that depends on all records that are not gone. */
stemma_status postings_digest(struct postings *postings, const struct gone *gone, uint64_t *digest,
                              stemma_error *err);
void postings_close(struct postings *postings);

#endif
