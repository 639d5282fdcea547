#include "runs/runs.h"

#include "base/alloc.h"
#include "runs/record_sort.h"

#include <pthread.h>
#include <string.h>

struct sorter {
    struct sorter_options options;
    pthread_mutex_t lock; /* of all below, while records are added */
    struct record *records;
    size_t count, capacity;
};

struct sorter_cursor {
    const struct record *at;
    size_t left;
};

stemma_status sorter_new(const struct sorter_options *options, struct sorter **out, stemma_error *err) {
    struct sorter *sorter = mem_zero(1, sizeof *sorter);
    if (!sorter) return fail_memory(err);
    sorter->options = *options;
    pthread_mutex_init(&sorter->lock, NULL);
    *out = sorter;
    return STEMMA_OK;
}

stemma_status sorter_add(struct sorter *sorter, const struct record *records, size_t count,
                         stemma_error *err) {
    pthread_mutex_lock(&sorter->lock);
    bool grown = mem_grow((void **)&sorter->records, &sorter->capacity, sorter->count + count,
                          sizeof *sorter->records);
    if (grown && count) {
        memcpy(sorter->records + sorter->count, records, count * sizeof *records);
        sorter->count += count;
    }
    pthread_mutex_unlock(&sorter->lock);
    return grown ? STEMMA_OK : fail_memory(err);
}

stemma_status sorter_finish(struct sorter *sorter, stemma_error *err) {
    TRY(check_stop(sorter->options.stop, err));
    if (!sort_records(sorter->records, sorter->count, sorter->options.threads)) return fail_memory(err);
    if (sorter->options.unique) sorter->count = unique_records(sorter->records, sorter->count);
    return STEMMA_OK;
}

uint64_t sorter_count(const struct sorter *sorter) {
    return sorter->count;
}

uint64_t sorter_spilled(const struct sorter *sorter) {
    (void)sorter;
    return 0;
}

size_t sorter_resident(const struct sorter *sorter) {
    return sorter->capacity * sizeof *sorter->records;
}

const struct record *sorter_in_memory(const struct sorter *sorter, size_t *count) {
    static const struct record nothing;
    *count = sorter->count;
    return sorter->records ? sorter->records : &nothing;
}

void sorter_free(struct sorter *sorter) {
    if (!sorter) return;
    pthread_mutex_destroy(&sorter->lock);
    mem_free(sorter->records);
    mem_free(sorter);
}

stemma_status sorter_read(struct sorter *sorter, struct sorter_cursor **out, stemma_error *err) {
    struct sorter_cursor *cursor = mem_zero(1, sizeof *cursor);
    if (!cursor) return fail_memory(err);
    cursor->at = sorter_in_memory(sorter, &cursor->left);
    *out = cursor;
    return STEMMA_OK;
}

stemma_status sorter_next(struct sorter_cursor *cursor, struct record *records, size_t room, size_t *count,
                          stemma_error *err) {
    (void)err;
    size_t taken = cursor->left < room ? cursor->left : room;
    memcpy(records, cursor->at, taken * sizeof *records);
    cursor->at += taken;
    cursor->left -= taken;
    *count = taken;
    return STEMMA_OK;
}

void sorter_cursor_free(struct sorter_cursor *cursor) {
    mem_free(cursor);
}
