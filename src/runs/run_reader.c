#include "runs/run.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "runs/record_sort.h"
#include "runs/run_layout.h"

#include <string.h>

struct run {
    struct run_place place;
    size_t block_records; /* of all blocks but the last */
    uint64_t count, blocks;
    uint64_t first_key, last_key;
    uint64_t index_at; /* where the last block ends */
    uint8_t *index;    /* with the trailer behind it */
};

static uint64_t first_key_of(const struct run *run, uint64_t block) {
    return load_u64(run->index + block * RUN_INDEX_ENTRY);
}

static uint64_t offset_of(const struct run *run, uint64_t block) {
    return block == run->blocks ? run->index_at : load_u64(run->index + block * RUN_INDEX_ENTRY + 8);
}

/* All blocks but the last are full. */
static size_t records_of(const struct run *run, uint64_t block) {
    return block + 1 < run->blocks ? run->block_records : (size_t)(run->count - block * run->block_records);
}

static stemma_status damaged(const struct run_place *place, uint64_t offset, const char *what,
                             stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "%s'%s' is damaged at byte %llu: %s",
                place->unnamed ? "a temporary file in " : "", place->name,
                (unsigned long long)(place->offset + offset), what);
}

static stemma_status read_part(const struct run_place *place, void *to, size_t size, uint64_t offset,
                               stemma_error *err) {
    int cause = read_at(place->fd, to, size, place->offset + offset);
    return cause ? fail_errno(err, place->unnamed ? "read a temporary file in" : "read", place->name, cause)
                 : STEMMA_OK;
}

/* ---- opening ---- */

static stemma_status check_header(struct run *run, uint64_t size, stemma_error *err) {
    const struct run_place *place = &run->place;
    uint8_t header[RUN_HEADER];
    if (size < RUN_HEADER + RUN_TRAILER) return damaged(place, 0, "too short for a run", err);
    TRY(read_part(place, header, sizeof header, 0, err));
    if (memcmp(header, RUN_MAGIC, 8)) return damaged(place, 0, "not a run", err);
    if (load_u32(header + 8) > RUN_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", place->name);
    if (load_u32(header + 8) != RUN_VERSION) return damaged(place, 8, "no such version", err);
    uint32_t block = load_u32(header + 12);
    run->block_records = block ? block : BLOCK_RECORDS;
    if (block % BLOCK_GROUP || block > BLOCK_RECORDS) return damaged(place, 12, "no such blocks", err);
    return STEMMA_OK;
}

/* Reads how many blocks there are, and the index with the trailer, which is as large as that says and the
 * file allows. */
static stemma_status load_index(struct run *run, uint64_t size, stemma_error *err) {
    uint8_t trailer[RUN_TRAILER];
    uint64_t at = size - RUN_TRAILER;
    TRY(read_part(&run->place, trailer, sizeof trailer, at, err));
    run->count = load_u64(trailer);
    run->blocks = load_u64(trailer + 8);
    run->first_key = load_u64(trailer + 16);
    run->last_key = load_u64(trailer + 24);
    if (memcmp(trailer + RUN_TRAILER - 8, RUN_MAGIC_END, 8))
        return damaged(&run->place, at, "no end of a run", err);
    if (run->blocks > (at - RUN_HEADER) / RUN_INDEX_ENTRY)
        return damaged(&run->place, at, "too many blocks", err);
    size_t index_size = (size_t)run->blocks * RUN_INDEX_ENTRY;
    run->index_at = at - index_size;
    run->index = mem_alloc(index_size + RUN_TRAILER);
    if (!run->index) return fail_memory(err);
    TRY(read_part(&run->place, run->index, index_size + RUN_TRAILER, run->index_at, err));
    uint64_t seed = run->place.seed + index_seed(run->index_at, run->block_records);
    uint64_t sum = words_checksum(run->index, index_size + RUN_SUMMED, seed);
    if (sum != load_u64(run->index + index_size + RUN_SUMMED))
        return damaged(&run->place, run->index_at, "checksum of the index differs", err);
    return STEMMA_OK;
}

/* Blocks stand one behind the other from the header to the index, as many as the records fill. */
static stemma_status check_index(const struct run *run, stemma_error *err) {
    uint64_t expected = RUN_HEADER;
    if (run->count / run->block_records + (run->count % run->block_records != 0) != run->blocks)
        return damaged(&run->place, run->index_at, "blocks do not fit the count", err);
    for (uint64_t i = 0; i < run->blocks; i++) {
        uint64_t start = offset_of(run, i), end = offset_of(run, i + 1);
        if (start != expected || end < start || end - start > BLOCK_BYTES_MOST || end - start < BLOCK_HEADER)
            return damaged(&run->place, run->index_at + i * RUN_INDEX_ENTRY, "wrong place of a block", err);
        if (i && first_key_of(run, i) < first_key_of(run, i - 1))
            return damaged(&run->place, run->index_at + i * RUN_INDEX_ENTRY, "keys out of order", err);
        expected = end;
    }
    return expected == run->index_at ? STEMMA_OK
                                     : damaged(&run->place, expected, "bytes that are no block", err);
}

static stemma_status open_run(struct run *run, uint64_t size, stemma_error *err) {
    TRY(check_header(run, size, err));
    TRY(load_index(run, size, err));
    return check_index(run, err);
}

stemma_status run_open(const struct run_place *place, uint64_t size, struct run **out, stemma_error *err) {
    struct run *run = mem_zero(1, sizeof *run);
    if (!run) return fail_memory(err);
    run->place = *place;
    stemma_status status = open_run(run, size, err);
    if (status == STEMMA_OK)
        *out = run;
    else
        run_close(run);
    return status;
}

uint64_t run_count(const struct run *run) {
    return run->count;
}

void run_close(struct run *run) {
    if (!run) return;
    mem_free(run->index);
    mem_free(run);
}

/* ---- reading ---- */

struct run_reader {
    const struct run *run;
    uint64_t next;      /* block to read */
    size_t at, filled;  /* in records, of the block read last */
    struct record last; /* of the block before; 0, 0 where nothing is known */
    struct record records[BLOCK_RECORDS];
    uint8_t bytes[BLOCK_BYTES_MOST + BLOCK_SLACK];
};

stemma_status run_reader_new(const struct run *run, struct run_reader **out, stemma_error *err) {
    struct run_reader *reader = mem_zero(1, sizeof *reader);
    if (!reader) return fail_memory(err);
    reader->run = run;
    *out = reader;
    return STEMMA_OK;
}

void run_reader_turn(struct run_reader *reader, const struct run *run) {
    reader->run = run;
    reader->next = reader->at = reader->filled = 0;
    reader->last = (struct record){0, 0};
}

void run_reader_free(struct run_reader *reader) {
    mem_free(reader);
}

/* Beyond its own bytes, a block has to agree with the index and with the block before. */
static const char *decode_next(struct run_reader *r, size_t size) {
    const struct run *run = r->run;
    size_t count = records_of(run, r->next);
    const char *wrong =
        block_decode(r->bytes, size, run->place.seed + offset_of(run, r->next), count, r->records);
    if (wrong) return wrong;
    if (r->records[0].key != first_key_of(run, r->next)) return "another key than the index says";
    if (record_number(r->records[0]) < record_number(r->last)) return "records out of order";
    r->last = r->records[count - 1];
    if (r->next + 1 == run->blocks &&
        (r->last.key != run->last_key || first_key_of(run, 0) != run->first_key))
        return "other keys than the trailer says";
    r->at = 0;
    r->filled = count;
    return NULL;
}

static stemma_status read_block(struct run_reader *r, stemma_error *err) {
    uint64_t start = offset_of(r->run, r->next);
    size_t size = (size_t)(offset_of(r->run, r->next + 1) - start);
    r->at = r->filled = 0;
    TRY(read_part(&r->run->place, r->bytes, size, start, err));
    const char *wrong = decode_next(r, size);
    if (wrong) return damaged(&r->run->place, start, wrong, err);
    r->next++;
    return STEMMA_OK;
}

stemma_status run_reader_next(struct run_reader *r, const struct record **records, size_t *count,
                              stemma_error *err) {
    if (r->at == r->filled && r->next < r->run->blocks) TRY(read_block(r, err));
    *records = r->records + r->at;
    *count = r->filled - r->at;
    r->at = r->filled;
    return STEMMA_OK;
}

/* The last block that begins with a smaller key: equal keys may begin in it. */
static uint64_t block_before(const struct run *run, uint64_t key) {
    uint64_t low = 0, high = run->blocks;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (first_key_of(run, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

static size_t first_not_below(const struct run_reader *r, uint64_t key) {
    size_t low = 0, high = r->filled;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->records[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

stemma_status run_reader_seek(struct run_reader *r, uint64_t key, stemma_error *err) {
    r->next = block_before(r->run, key);
    r->last = (struct record){0, 0};
    r->at = r->filled = 0;
    if (r->next == r->run->blocks) return STEMMA_OK;
    TRY(read_block(r, err));
    r->at = first_not_below(r, key);
    return STEMMA_OK;
}
