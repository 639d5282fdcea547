#include "store/postings.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "runs/merge.h"
#include "runs/record_sort.h"

#ifndef POSTINGS_BLOCK
#define POSTINGS_BLOCK 128 /* records: what is read and checked to find one key */
#endif

stemma_status postings_write(const struct run_place *place, struct record *records, size_t count,
                             uint64_t *size, stemma_error *err) {
    struct run_writer *writer;
    if (!sort_records(records, count, 1)) return fail_memory(err);
    TRY(run_writer_new(place, POSTINGS_BLOCK, &writer, err));
    stemma_status status = run_writer_add(writer, records, count, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, size, err);
    run_writer_free(writer);
    return status;
}

enum { MERGE_STEP = 4096 };

static stemma_status copy_live(struct merge *merge, const struct gone *gone, struct run_writer *writer,
                               stemma_error *err) {
    static _Thread_local struct record records[MERGE_STEP];
    for (;;) {
        size_t count, kept = 0;
        TRY(merge_next(merge, records, MERGE_STEP, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++)
            if (!is_gone(gone, records[i].value)) records[kept++] = records[i];
        TRY(run_writer_add(writer, records, kept, err));
    }
}

stemma_status postings_merge(const struct run_place *place, const struct level_run *from, size_t count,
                             const struct gone *gone, uint64_t *size, stemma_error *err) {
    struct merge *merge;
    struct run_writer *writer;
    TRY(merge_levels(from, count, place->name, false, 0, &merge, err));
    stemma_status status = run_writer_new(place, POSTINGS_BLOCK, &writer, err);
    if (status == STEMMA_OK) {
        status = copy_live(merge, gone, writer, err);
        if (status == STEMMA_OK) status = run_writer_finish(writer, size, err);
        run_writer_free(writer);
    }
    merge_free(merge);
    return status;
}

stemma_status postings_open(struct postings *postings, const struct run_place *place, uint64_t size,
                            stemma_error *err) {
    postings->reader = NULL;
    return run_open(place, size, &postings->run, err);
}

static stemma_status have_reader(struct postings *postings, stemma_error *err) {
    return postings->reader ? STEMMA_OK : run_reader_new(postings->run, &postings->reader, err);
}

stemma_status postings_list(struct postings *postings, uint64_t key, const struct gone *gone,
                            uint64_t *values, size_t room, size_t *count, stemma_error *err) {
    TRY(have_reader(postings, err));
    TRY(run_reader_seek(postings->reader, key, err));
    while (*count < room) {
        const struct record *records;
        size_t got, i = 0;
        TRY(run_reader_next(postings->reader, &records, &got, err));
        for (; i < got && records[i].key == key && *count < room; i++)
            if (!is_gone(gone, records[i].value)) values[(*count)++] = records[i].value;
        if (i < got || got == 0) return STEMMA_OK;
    }
    return STEMMA_OK;
}

stemma_status postings_digest(struct postings *postings, const struct gone *gone, uint64_t *digest,
                              stemma_error *err) {
    TRY(have_reader(postings, err));
    TRY(run_reader_seek(postings->reader, 0, err));
    for (;;) {
        const struct record *records;
        size_t count;
        TRY(run_reader_next(postings->reader, &records, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++)
            if (!is_gone(gone, records[i].value)) *digest += mix64(records[i].key ^ mix64(records[i].value));
    }
}

void postings_close(struct postings *postings) {
    run_reader_free(postings->reader);
    run_close(postings->run);
}
