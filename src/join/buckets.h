/* Samples by bucket: all classes that have the same one. */
#ifndef JOIN_BUCKETS_H
#define JOIN_BUCKETS_H

#include "runs/runs.h"

struct buckets {
    struct sorter_cursor *cursor;
    struct record *batch; /* room for a bucket and what is read at a time */
    size_t at, read;      /* of the batch: where the bucket begins; what is there */
    bool ended;           /* all was read */
    size_t cap;
    bool shared; /* buckets of one class are passed over */
    /* The bucket, or the next part of it when it has more classes than the cap. */
    const struct record *records;
    uint64_t key;
    size_t count;
    bool full;  /* more classes than the cap: this is a part of them */
    bool begun; /* its first part */
};

/* Of some parts of the keys (sorter_read_parts). To be closed, also when it failed. */
stemma_status buckets_open(struct buckets *buckets, struct sorter *samples, uint32_t first_part,
                           uint32_t end_part, size_t cap, bool shared, stemma_error *err);
void buckets_close(struct buckets *buckets);
/* *more is false at the end. */
stemma_status buckets_next(struct buckets *buckets, bool *more, stemma_error *err);

static inline uint32_t bucket_class(const struct buckets *bucket, size_t i) {
    return (uint32_t)bucket->records[i].value;
}

/* Whether the class whose turn comes some time after the i-th's shares its sample: then what is known of it
 * can be fetched meanwhile. */
static inline bool bucket_ahead(const struct buckets *bucket, size_t i, uint32_t *class) {
    enum { AHEAD = 96 };
    const struct record *ahead = bucket->records + i + AHEAD;
    if (bucket->at + i + AHEAD + 1 >= bucket->read) return false;
    *class = (uint32_t)ahead->value;
    return ahead[-1].key == ahead->key || ahead[1].key == ahead->key;
}

#endif
