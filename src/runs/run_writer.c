#include "runs/run.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/spool.h"
#include "runs/run_layout.h"

#include <string.h>

struct run_writer {
    struct run_place place;
    size_t block_records;
    bool stored;
    uint64_t size; /* written so far */
    uint64_t count, first_key, last_key;
    uint64_t blocks;
    struct spool index;
    size_t pending_count;
    struct record pending[BLOCK_RECORDS]; /* of the block that is not full yet */
    uint8_t block[STORED_BLOCK_BYTES_MOST + BLOCK_SLACK];
};

static stemma_status append(struct run_writer *w, const void *bytes, size_t size, stemma_error *err) {
    uint64_t at = w->size;
    w->size += size;
    if (w->place.sink) return sink_add(w->place.sink, bytes, size, err);
    int cause = write_at(w->place.fd, bytes, size, w->place.offset + at);
    return cause ? fail_errno(err, w->place.unnamed ? "write a temporary file in" : "write", w->place.name,
                              cause)
                 : STEMMA_OK;
}

static stemma_status write_header(struct run_writer *w, stemma_error *err) {
    uint8_t header[RUN_STORED_HEADER] = {[8] = w->stored ? RUN_STORED : RUN_VERSION};
    memcpy(header, RUN_MAGIC, 8);
    if (w->block_records < BLOCK_RECORDS) store_u32(header + 12, (uint32_t)w->block_records);
    store_u64(header + RUN_HEADER, words_checksum(header, RUN_HEADER, w->place.seed));
    return append(w, header, w->stored ? RUN_STORED_HEADER : RUN_HEADER, err);
}

stemma_status run_writer_new(const struct run_place *place, size_t block, struct run_writer **out,
                             stemma_error *err) {
    struct run_writer *w = mem_alloc(sizeof *w);
    if (!w) return fail_memory(err);
    memset(w, 0, offsetof(struct run_writer, pending));
    w->place = *place;
    w->block_records = block;
    w->index.directory = place->directory;
    w->stored = place->sink != NULL;
    stemma_status status = write_header(w, err);
    if (status == STEMMA_OK)
        *out = w;
    else
        mem_free(w);
    return status;
}

static stemma_status write_block(struct run_writer *w, const struct record *records, size_t count,
                                 stemma_error *err) {
    uint8_t entry[RUN_INDEX_ENTRY];
    store_u64(entry, records[0].key);
    store_u64(entry + 8, w->size);
    TRY(spool_add(&w->index, entry, sizeof entry, err));
    if (w->blocks++ == 0) w->first_key = records[0].key;
    w->last_key = records[count - 1].key;
    w->count += count;
    const uint64_t place = w->place.seed + w->size;
    return append(w, w->block,
                  w->stored ? stored_block_encode(records, count, place, w->block)
                            : block_encode(records, count, place, w->block),
                  err);
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

static void put_facts(const struct run_writer *w, uint8_t trailer[RUN_TRAILER]) {
    const uint64_t facts[] = {w->count, w->blocks, w->first_key, w->last_key};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) store_u64(trailer + 8 * i, facts[i]);
    memcpy(trailer + RUN_TRAILER - 8, RUN_MAGIC_END, 8);
}

/* ---- the index of a temporary run: all of it with one checksum ---- */

static stemma_status take_all(void *context, const uint8_t *bytes, size_t size, stemma_error *err) {
    return buf_add(context, bytes, size) ? STEMMA_OK : fail_memory(err);
}

static stemma_status write_temporary_index(struct run_writer *w, stemma_error *err) {
    struct buf index = {0};
    uint8_t trailer[RUN_TRAILER];
    uint64_t seed = w->place.seed + index_seed(w->size, w->block_records);
    put_facts(w, trailer);
    stemma_status status = spool_read(&w->index, take_all, &index, err);
    if (status == STEMMA_OK && !buf_add(&index, trailer, RUN_TRAILER)) status = fail_memory(err);
    if (status == STEMMA_OK) {
        size_t summed = index.len - RUN_TRAILER + RUN_SUMMED;
        store_u64(index.data + summed, words_checksum(index.data, summed, seed));
        status = append(w, index.data, index.len, err);
    }
    buf_release(&index);
    return status;
}

/* ---- the index of a stored one: a column ---- */

static stemma_status take_rows(void *context, const uint8_t *bytes, size_t size, stemma_error *err) {
    for (size_t at = 0; at < size; at += RUN_INDEX_ENTRY) TRY(column_add(context, bytes + at, err));
    return STEMMA_OK;
}

static stemma_status write_stored_index(struct run_writer *w, stemma_error *err) {
    struct run_place place = w->place;
    struct column_writer column;
    uint8_t trailer[RUN_TRAILER];
    uint64_t size;
    place.seed += w->size;
    column_begin(&column, &place, RUN_INDEX_ENTRY);
    TRY(spool_read(&w->index, take_rows, &column, err));
    TRY(column_finish(&column, &size, err));
    w->size += size;
    put_facts(w, trailer);
    store_u64(trailer + RUN_SUMMED,
              words_checksum(trailer, RUN_SUMMED, w->place.seed + index_seed(w->size, w->block_records)));
    return append(w, trailer, RUN_TRAILER, err);
}

stemma_status run_writer_finish(struct run_writer *w, uint64_t *size, stemma_error *err) {
    if (w->pending_count) TRY(write_block(w, w->pending, w->pending_count, err));
    w->pending_count = 0;
    TRY(w->stored ? write_stored_index(w, err) : write_temporary_index(w, err));
    *size = w->size;
    return STEMMA_OK;
}

void run_writer_free(struct run_writer *w) {
    if (!w) return;
    spool_release(&w->index);
    mem_free(w);
}
