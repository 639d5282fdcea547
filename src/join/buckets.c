#include "join/buckets.h"

#include "base/alloc.h"

#include <string.h>

enum { BATCH = 1024 }; /* records that are read at a time: 16 KiB */

stemma_status buckets_open(struct buckets *b, struct sorter *samples, uint32_t first_part, uint32_t end_part,
                           size_t cap, bool shared, stemma_error *err) {
    *b = (struct buckets){.cap = cap, .shared = shared};
    b->batch = mem_alloc((cap + 1 + BATCH) * sizeof *b->batch);
    if (!b->batch) return fail_memory(err);
    return sorter_read_parts(samples, first_part, end_part, &b->cursor, err);
}

void buckets_close(struct buckets *b) {
    mem_free(b->batch);
    sorter_cursor_free(b->cursor);
}

/* More records behind those of the bucket, which move to the front. */
static stemma_status fill(struct buckets *b, stemma_error *err) {
    size_t count;
    b->read -= b->at;
    memmove(b->batch, b->batch + b->at, b->read * sizeof *b->batch);
    b->at = 0;
    TRY(sorter_next(b->cursor, b->batch + b->read, BATCH, &count, err));
    b->read += count;
    b->ended = count == 0;
    return STEMMA_OK;
}

/* How many of the records that were read are of the bucket: a part of it at most. */
static size_t bucket_size(const struct buckets *b, size_t size) {
    const size_t most = b->read - b->at < b->cap + 1 ? b->read - b->at : b->cap + 1;
    const struct record *records = b->batch + b->at;
    while (size < most && records[size].key == records[0].key) size++;
    return size;
}

/* The last record that was read stays: whether it is alone is not known yet. */
static void pass_single(struct buckets *b) {
    while (b->at + 1 < b->read && b->batch[b->at].key != b->batch[b->at + 1].key) b->at++;
}

stemma_status buckets_next(struct buckets *b, bool *more, stemma_error *err) {
    const bool was_full = b->full;
    size_t size = 0;
    b->at += b->count;
    b->count = 0;
    for (;;) {
        if (b->shared && !was_full) pass_single(b);
        size = bucket_size(b, size);
        if (b->at + size < b->read || size > b->cap || b->ended) break;
        TRY(fill(b, err));
    }
    *more = size > 0;
    if (!*more) return STEMMA_OK;
    b->records = b->batch + b->at;
    b->begun = !(was_full && b->records[0].key == b->key);
    b->key = b->records[0].key;
    b->count = size;
    b->full = !b->begun || size > b->cap;
    return STEMMA_OK;
}
