#include "runs/runs.h"

#include "base/alloc.h"
#include "base/levels.h"
#include "runs/block.h"
#include "runs/merge.h"
#include "runs/narrow.h"
#include "runs/record_sort.h"
#include "runs/run.h"

#include <pthread.h>
#include <string.h>

enum {
    LEAST_RECORDS = 8192, /* 256 KiB with the scratch of the sort */
    ROOM = 1 << 22,       /* records that there is room for at first: memory costs nothing until it is used */
    STEP = 4096           /* records between two looks at whether to stop */
};

struct sorter {
    struct sorter_options options;
    size_t most;          /* records in memory */
    pthread_mutex_t lock; /* of all below, while records are added */
    size_t count;         /* records in memory: */
    struct record *records;
    size_t capacity, most_used;
    struct narrow narrow; /* instead of these with key_bits */
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
    /* the sort needs as much again, or, where all keys are in one part, twice */
    sorter->most = options->memory / (options->key_bits ? 3 * sizeof(uint64_t) : 2 * sizeof(struct record));
    if (options->key_bits) narrow_init(&sorter->narrow, options->key_bits);
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
    narrow_release(&sorter->narrow);
    mem_free(sorter);
}

/* ---- spilling ---- */

static stemma_status copy_merged(struct sorter *sorter, struct merge *merge, struct run_writer *writer,
                                 stemma_error *err) {
    struct record step[STEP];
    for (;;) {
        size_t count = 0;
        TRY(check_stop(sorter->options.stop, err));
        TRY(merge_next(merge, step, STEP, &count, err));
        if (count == 0) return STEMMA_OK;
        TRY(run_writer_add(writer, step, count, err));
    }
}

static stemma_status write_merged(struct sorter *sorter, const struct level_run *from, size_t count,
                                  struct run_writer *writer, stemma_error *err) {
    struct merge *merge;
    TRY(merge_levels(from, count, sorter->levels.directory, sorter->options.unique, 0, &merge, err));
    stemma_status status = copy_merged(sorter, merge, writer, err);
    merge_free(merge);
    return status;
}

static stemma_status write_narrow(struct sorter *sorter, struct run_writer *writer, stemma_error *err) {
    struct narrow_cursor cursor = narrow_read(&sorter->narrow, 0, SORTER_PARTS);
    struct record step[STEP];
    for (size_t count; (count = narrow_next(&cursor, step, STEP)) > 0;) {
        TRY(check_stop(sorter->options.stop, err));
        TRY(run_writer_add(writer, step, count, err));
    }
    return STEMMA_OK;
}

static stemma_status write_memory(struct sorter *sorter, struct run_writer *writer, stemma_error *err) {
    return sorter->options.key_bits ? write_narrow(sorter, writer, err)
                                    : run_writer_add(writer, sorter->records, sorter->count, err);
}

static stemma_status fill_run(void *owner, const struct level_run *from, size_t count, struct level_run *to,
                              stemma_error *err) {
    struct sorter *sorter = owner;
    const char *directory = sorter->levels.directory;
    struct run_place place = {.fd = to->fd, .name = directory, .unnamed = true, .directory = directory};
    struct run_writer *writer;
    TRY(run_writer_new(&place, BLOCK_RECORDS, &writer, err));
    stemma_status status =
        count ? write_merged(sorter, from, count, writer, err) : write_memory(sorter, writer, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, &to->extent, err);
    if (status == STEMMA_OK) sorter->bytes += to->extent;
    run_writer_free(writer);
    return status;
}

static stemma_status sort_memory(struct sorter *sorter, stemma_error *err) {
    TRY(check_stop(sorter->options.stop, err));
    if (sorter->options.key_bits)
        return narrow_sort(&sorter->narrow, sorter->options.threads) ? STEMMA_OK : fail_memory(err);
    if (!sort_records(sorter->records, sorter->count, sorter->options.threads)) return fail_memory(err);
    if (sorter->options.unique) sorter->count = unique_records(sorter->records, sorter->count);
    return STEMMA_OK;
}

static stemma_status spill_records(struct sorter *sorter, stemma_error *err) {
    if (sorter->count == 0) return STEMMA_OK;
    TRY(levels_add(&sorter->levels, err));
    sorter->count = 0;
    narrow_clear(&sorter->narrow);
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

static bool hold(struct sorter *sorter, const struct record *records, size_t count) {
    if (sorter->options.key_bits) return narrow_add(&sorter->narrow, records, count);
    if (!reserve(sorter, sorter->count + count)) return false;
    memcpy(sorter->records + sorter->count, records, count * sizeof *records);
    return true;
}

static stemma_status add(struct sorter *sorter, const struct record *records, size_t count,
                         stemma_error *err) {
    while (count) {
        if (sorter->count >= sorter->most) TRY(make_room(sorter, err));
        size_t room = sorter->most - sorter->count, part = count < room ? count : room;
        if (!hold(sorter, records, part)) return fail_memory(err);
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
    narrow_release(&sorter->narrow);
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
    return sizeof *sorter + (sorter->options.key_bits ? narrow_resident(&sorter->narrow)
                                                      : sorter->most_used * sizeof *sorter->records);
}

/* ---- reading ---- */

struct sorter_cursor {
    const struct sorter *sorter;
    struct merge *merge;         /* of the runs, */
    uint64_t last;               /* up to this key; */
    struct narrow_cursor narrow; /* without runs all is here, */
    size_t at;                   /* or among the sorter's records */
};

static uint64_t part_key(const struct sorter *sorter, uint32_t part) {
    return part ? (uint64_t)part << (sorter->options.key_bits - SORTER_PART_BITS) : 0;
}

static stemma_status open_cursor(struct sorter_cursor *cursor, uint32_t first, uint32_t end,
                                 stemma_error *err) {
    const struct sorter *sorter = cursor->sorter;
    const struct levels *levels = &sorter->levels;
    if (levels->count == 0) {
        cursor->narrow = narrow_read(&sorter->narrow, first, end);
        return STEMMA_OK;
    }
    cursor->last = end < SORTER_PARTS ? part_key(sorter, end) - 1 : UINT64_MAX;
    return merge_levels(levels->runs, levels->count, levels->directory, sorter->options.unique,
                        part_key(sorter, first), &cursor->merge, err);
}

stemma_status sorter_read_parts(struct sorter *sorter, uint32_t first, uint32_t end,
                                struct sorter_cursor **out, stemma_error *err) {
    struct sorter_cursor *cursor = mem_zero(1, sizeof *cursor);
    if (!cursor) return fail_memory(err);
    cursor->sorter = sorter;
    stemma_status status = open_cursor(cursor, first, end, err);
    if (status == STEMMA_OK)
        *out = cursor;
    else
        mem_free(cursor);
    return status;
}

stemma_status sorter_read(struct sorter *sorter, struct sorter_cursor **out, stemma_error *err) {
    return sorter_read_parts(sorter, 0, SORTER_PARTS, out, err);
}

static stemma_status next_merged(struct sorter_cursor *cursor, struct record *records, size_t room,
                                 size_t *count, stemma_error *err) {
    size_t taken;
    TRY(merge_next(cursor->merge, records, room, &taken, err));
    while (taken && records[taken - 1].key > cursor->last) taken--;
    *count = taken;
    return STEMMA_OK;
}

static size_t next_wide(struct sorter_cursor *cursor, struct record *records, size_t room) {
    const struct sorter *sorter = cursor->sorter;
    size_t left = sorter->count - cursor->at, taken = left < room ? left : room;
    if (taken) memcpy(records, sorter->records + cursor->at, taken * sizeof *records);
    cursor->at += taken;
    return taken;
}

stemma_status sorter_next(struct sorter_cursor *cursor, struct record *records, size_t room, size_t *count,
                          stemma_error *err) {
    TRY(check_stop(cursor->sorter->options.stop, err));
    if (cursor->merge) return next_merged(cursor, records, room, count, err);
    *count = cursor->sorter->options.key_bits ? narrow_next(&cursor->narrow, records, room)
                                              : next_wide(cursor, records, room);
    return STEMMA_OK;
}

void sorter_cursor_free(struct sorter_cursor *cursor) {
    if (!cursor) return;
    merge_free(cursor->merge);
    mem_free(cursor);
}
