#include "join/buckets.h"

#include "base/alloc.h"

stemma_status buckets_open(struct buckets *buckets, struct sorter *samples, uint32_t first_part,
                           uint32_t end_part, size_t cap, stemma_error *err) {
    *buckets = (struct buckets){.cap = cap};
    buckets->classes = mem_alloc((cap + 1) * sizeof *buckets->classes);
    if (!buckets->classes) return fail_memory(err);
    return sorter_read_parts(samples, first_part, end_part, &buckets->cursor, err);
}

void buckets_close(struct buckets *buckets) {
    mem_free(buckets->classes);
    if (buckets->cursor) sorter_cursor_free(buckets->cursor);
}

/* Makes sure that there is a record at `at`, if any is left. */
static stemma_status fill(struct buckets *buckets, stemma_error *err) {
    if (buckets->at < buckets->read) return STEMMA_OK;
    buckets->at = 0;
    return sorter_next(buckets->cursor, buckets->batch, BUCKET_BATCH, &buckets->read, err);
}

stemma_status buckets_next(struct buckets *buckets, bool *more, stemma_error *err) {
    const uint64_t before = buckets->key;
    const bool was_full = buckets->full;
    TRY(fill(buckets, err));
    *more = buckets->read > 0;
    if (!*more) return STEMMA_OK;
    buckets->key = buckets->batch[buckets->at].key;
    buckets->begun = !(was_full && buckets->key == before);
    buckets->count = 0;
    while (buckets->read > 0 && buckets->batch[buckets->at].key == buckets->key &&
           buckets->count <= buckets->cap) {
        buckets->classes[buckets->count++] = (uint32_t)buckets->batch[buckets->at++].value;
        TRY(fill(buckets, err));
    }
    buckets->full = !buckets->begun || buckets->count > buckets->cap;
    return STEMMA_OK;
}
