#include "runs/run.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "runs/run_layout.h"

#include <string.h>

struct run_writer {
    struct run_place place;
    size_t block_records;
    uint64_t size; /* written so far */
    uint64_t count, first_key, last_key;
    uint64_t blocks;
    struct buf index;
    size_t pending_count;
    struct record pending[BLOCK_RECORDS]; /* of the block that is not full yet */
    uint8_t block[BLOCK_BYTES_MOST + BLOCK_SLACK];
};

static stemma_status append(struct run_writer *w, const void *bytes, size_t size, stemma_error *err) {
    if (w->place.sink) {
        w->size += size;
        return sink_add(w->place.sink, bytes, size, err);
    }
    int cause = write_at(w->place.fd, bytes, size, w->place.offset + w->size);
    if (cause)
        return fail_errno(err, w->place.unnamed ? "write a temporary file in" : "write", w->place.name,
                          cause);
    w->size += size;
    return STEMMA_OK;
}

static stemma_status write_header(struct run_writer *w, stemma_error *err) {
    uint8_t header[RUN_HEADER] = {[8] = RUN_VERSION};
    memcpy(header, RUN_MAGIC, 8);
    if (w->block_records < BLOCK_RECORDS) store_u32(header + 12, (uint32_t)w->block_records);
    return append(w, header, sizeof header, err);
}

stemma_status run_writer_new(const struct run_place *place, size_t block, struct run_writer **out,
                             stemma_error *err) {
    struct run_writer *w = mem_zero(1, sizeof *w);
    if (!w) return fail_memory(err);
    w->place = *place;
    w->block_records = block;
    stemma_status status = write_header(w, err);
    if (status == STEMMA_OK)
        *out = w;
    else
        mem_free(w);
    return status;
}

static stemma_status write_block(struct run_writer *w, const struct record *records, size_t count,
                                 stemma_error *err) {
    if (!buf_add_u64(&w->index, records[0].key) || !buf_add_u64(&w->index, w->size)) return fail_memory(err);
    if (w->blocks++ == 0) w->first_key = records[0].key;
    w->last_key = records[count - 1].key;
    w->count += count;
    return append(w, w->block, block_encode(records, count, w->place.seed + w->size, w->block), err);
}

stemma_status run_writer_add(struct run_writer *w, const struct record *records, size_t count,
                             stemma_error *err) {
    while (count) {
        size_t room = w->block_records - w->pending_count, part = count < room ? count : room;
        if (part == w->block_records) {
            TRY(write_block(w, records, part, err));
        } else {
            memcpy(w->pending + w->pending_count, records, part * sizeof *records);
            w->pending_count += part;
            if (w->pending_count == w->block_records) {
                w->pending_count = 0;
                TRY(write_block(w, w->pending, w->block_records, err));
            }
        }
        records += part;
        count -= part;
    }
    return STEMMA_OK;
}

static stemma_status write_index(struct run_writer *w, stemma_error *err) {
    const uint64_t facts[] = {w->count, w->blocks, w->first_key, w->last_key};
    uint64_t seed = w->place.seed + index_seed(w->size, w->block_records);
    bool kept = true;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) kept = kept && buf_add_u64(&w->index, facts[i]);
    kept = kept && buf_add_u64(&w->index, words_checksum(w->index.data, w->index.len, seed));
    kept = kept && buf_add(&w->index, RUN_MAGIC_END, 8);
    return kept ? append(w, w->index.data, w->index.len, err) : fail_memory(err);
}

stemma_status run_writer_finish(struct run_writer *w, uint64_t *size, stemma_error *err) {
    if (w->pending_count) TRY(write_block(w, w->pending, w->pending_count, err));
    w->pending_count = 0;
    TRY(write_index(w, err));
    *size = w->size;
    return STEMMA_OK;
}

void run_writer_free(struct run_writer *w) {
    if (!w) return;
    buf_release(&w->index);
    mem_free(w);
}
