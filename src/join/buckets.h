/* Samples by bucket: all classes that have the same one. */
#ifndef JOIN_BUCKETS_H
#define JOIN_BUCKETS_H

#include "runs/runs.h"

#define BUCKET_BATCH 1024

struct buckets {
    struct sorter_cursor *cursor;
    struct record batch[BUCKET_BATCH];
    size_t at, read; /* of the batch */
    size_t cap;
    /* The bucket, or the next part of it when it has more classes than the cap. */
    uint64_t key;
    uint32_t *classes;
    size_t count;
    bool full;  /* more classes than the cap: this is a part of them */
    bool begun; /* its first part */
};

/* Of some parts of the keys (sorter_read_parts). To be closed, also when it failed. */
stemma_status buckets_open(struct buckets *buckets, struct sorter *samples, uint32_t first_part,
                           uint32_t end_part, size_t cap, stemma_error *err);
void buckets_close(struct buckets *buckets);
/* *more is false at the end. */
stemma_status buckets_next(struct buckets *buckets, bool *more, stemma_error *err);

#endif
