#include "runs/runs.h"

#include "base/alloc.h"
#include "base/levels.h"
#include "runs/merge.h"
#include "runs/record_sort.h"
#include "runs/run.h"

#include <pthread.h>
#include <string.h>

enum {
    LEAST_RECORDS = 8192, /* 256 KiB with the scratch of the sort */
    ROOM = 1 << 22,       /* records that there is room for at first: memory costs nothing until it is used */
    MERGE_STEP = 4096     /* records between two looks at whether to stop */
};

struct sorter {
    struct sorter_options options;
    size_t most;          /* records in memory */
    pthread_mutex_t lock; /* of all below, while records are added */
    struct record *records;
    size_t count, capacity, most_used;
    uint64_t added;
    struct levels levels; /* the extent of a run is its size in bytes */
    uint64_t bytes;       /* written */
};

static level_fill fill_run;

stemma_status sorter_new(const struct sorter_options *options, struct sorter **out, stemma_error *err) {
    struct sorter *sorter = mem_zero(1, sizeof *sorter);
    if (!sorter) return fail_memory(err);
    stemma_status status = levels_init(&sorter->levels, options->directory, fill_run, sorter, err);
    if (status != STEMMA_OK) {
        mem_free(sorter);
        return status;
    }
    sorter->options = *options;
    sorter->most = options->memory / (2 * sizeof(struct record)); /* the sort needs as much again */
    if (sorter->most < LEAST_RECORDS) sorter->most = LEAST_RECORDS;
    if (sorter->most > SORT_RECORDS_MOST) sorter->most = SORT_RECORDS_MOST;
    pthread_mutex_init(&sorter->lock, NULL);
    *out = sorter;
    return STEMMA_OK;
}

void sorter_free(struct sorter *sorter) {
    if (!sorter) return;
    levels_release(&sorter->levels);
    pthread_mutex_destroy(&sorter->lock);
    mem_free(sorter->records);
    mem_free(sorter);
}

/* ---- spilling ---- */

static stemma_status copy_merged(struct sorter *sorter, struct merge *merge, struct run_writer *writer,
                                 stemma_error *err) {
    struct record step[MERGE_STEP];
    for (;;) {
        size_t count = 0;
        TRY(check_stop(sorter->options.stop, err));
        TRY(merge_next(merge, step, MERGE_STEP, &count, err));
        if (count == 0) return STEMMA_OK;
        TRY(run_writer_add(writer, step, count, err));
    }
}

static stemma_status write_merged(struct sorter *sorter, const struct level_run *from, size_t count,
                                  struct run_writer *writer, stemma_error *err) {
    struct merge *merge;
    TRY(merge_new(from, count, sorter->levels.directory, sorter->options.unique, &merge, err));
    stemma_status status = copy_merged(sorter, merge, writer, err);
    merge_free(merge);
    return status;
}

static stemma_status fill_run(void *owner, const struct level_run *from, size_t count, struct level_run *to,
                              stemma_error *err) {
    struct sorter *sorter = owner;
    struct run_place place = {to->fd, 0, sorter->levels.directory, true};
    struct run_writer *writer;
    TRY(run_writer_new(&place, &writer, err));
    stemma_status status = count ? write_merged(sorter, from, count, writer, err)
                                 : run_writer_add(writer, sorter->records, sorter->count, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, &to->extent, err);
    if (status == STEMMA_OK) sorter->bytes += to->extent;
    run_writer_free(writer);
    return status;
}

static stemma_status sort_memory(struct sorter *sorter, stemma_error *err) {
    TRY(check_stop(sorter->options.stop, err));
    if (!sort_records(sorter->records, sorter->count, sorter->options.threads)) return fail_memory(err);
    if (sorter->options.unique) sorter->count = unique_records(sorter->records, sorter->count);
    return STEMMA_OK;
}

static stemma_status spill_records(struct sorter *sorter, stemma_error *err) {
    if (sorter->count == 0) return STEMMA_OK;
    TRY(levels_add(&sorter->levels, err));
    sorter->count = 0;
    return levels_settle(&sorter->levels, err);
}

/* Sort; where repetitions left less than half, there is room again, else the records go to disk. */
static stemma_status make_room(struct sorter *sorter, stemma_error *err) {
    TRY(sort_memory(sorter, err));
    return sorter->count > sorter->most / 2 ? spill_records(sorter, err) : STEMMA_OK;
}

/* ---- adding ---- */

static bool reserve(struct sorter *sorter, size_t count) {
    size_t room = sorter->most < ROOM ? sorter->most : ROOM;
    return mem_grow((void **)&sorter->records, &sorter->capacity, count < room ? room : count,
                    sizeof *sorter->records);
}

static stemma_status add(struct sorter *sorter, const struct record *records, size_t count,
                         stemma_error *err) {
    while (count) {
        if (sorter->count >= sorter->most) TRY(make_room(sorter, err));
        size_t room = sorter->most - sorter->count, part = count < room ? count : room;
        if (!reserve(sorter, sorter->count + part)) return fail_memory(err);
        memcpy(sorter->records + sorter->count, records, part * sizeof *records);
        sorter->count += part;
        if (sorter->count > sorter->most_used) sorter->most_used = sorter->count;
        sorter->added += part;
        records += part;
        count -= part;
    }
    return STEMMA_OK;
}

stemma_status sorter_add(struct sorter *sorter, const struct record *records, size_t count,
                         stemma_error *err) {
    pthread_mutex_lock(&sorter->lock);
    stemma_status status = add(sorter, records, count, err);
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

/* What was spilled is read from disk alone, so that the memory is free for what comes next. */
stemma_status sorter_finish(struct sorter *sorter, stemma_error *err) {
    TRY(sort_memory(sorter, err));
    if (sorter->levels.count == 0) {
        sorter->added = sorter->count;
        return STEMMA_OK;
    }
    TRY(spill_records(sorter, err));
    TRY(levels_finish(&sorter->levels, err));
    mem_free(sorter->records);
    sorter->records = NULL;
    sorter->capacity = sorter->most_used = 0;
    return STEMMA_OK;
}

uint64_t sorter_count(const struct sorter *sorter) {
    return sorter->added;
}

uint64_t sorter_spilled(const struct sorter *sorter) {
    return sorter->bytes;
}

/* What was never used is no memory. */
size_t sorter_resident(const struct sorter *sorter) {
    return sizeof *sorter + sorter->most_used * sizeof *sorter->records;
}

const struct record *sorter_in_memory(const struct sorter *sorter, size_t *count) {
    static const struct record nothing;
    if (sorter->levels.count) return NULL;
    *count = sorter->count;
    return sorter->records ? sorter->records : &nothing;
}

/* ---- reading ---- */

struct sorter_cursor {
    const volatile int *stop;
    struct merge *merge;     /* of the runs; */
    const struct record *at; /* without runs all is here */
    size_t left;
};

stemma_status sorter_read(struct sorter *sorter, struct sorter_cursor **out, stemma_error *err) {
    struct sorter_cursor *cursor = mem_zero(1, sizeof *cursor);
    if (!cursor) return fail_memory(err);
    const struct levels *levels = &sorter->levels;
    cursor->stop = sorter->options.stop;
    cursor->at = sorter_in_memory(sorter, &cursor->left);
    if (!cursor->at) {
        stemma_status status = merge_new(levels->runs, levels->count, levels->directory,
                                         sorter->options.unique, &cursor->merge, err);
        if (status != STEMMA_OK) {
            mem_free(cursor);
            return status;
        }
    }
    *out = cursor;
    return STEMMA_OK;
}

stemma_status sorter_next(struct sorter_cursor *cursor, struct record *records, size_t room, size_t *count,
                          stemma_error *err) {
    TRY(check_stop(cursor->stop, err));
    if (cursor->merge) return merge_next(cursor->merge, records, room, count, err);
    size_t taken = cursor->left < room ? cursor->left : room;
    if (taken) memcpy(records, cursor->at, taken * sizeof *records);
    cursor->at += taken;
    cursor->left -= taken;
    *count = taken;
    return STEMMA_OK;
}

void sorter_cursor_free(struct sorter_cursor *cursor) {
    if (!cursor) return;
    merge_free(cursor->merge);
    mem_free(cursor);
}
