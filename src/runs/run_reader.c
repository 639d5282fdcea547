#include "runs/run.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "runs/record_sort.h"
#include "runs/run_layout.h"

#include <errno.h>
#include <string.h>

struct run {
    struct run_place place;
    bool stored;
    bool plain;           /* blocks are those of block.h */
    size_t block_records; /* of all blocks but the last */
    uint64_t count, blocks;
    uint64_t first_key, last_key;
    uint64_t blocks_at, index_at; /* where the first block begins, and the last one ends */
    uint8_t *index;               /* temporary: in memory, with the trailer behind it */
    struct column column;         /* stored */
    uint64_t asked;               /* of the column */
    bool whole;                   /* it is in memory */
};

/* Where a block stands, and its first key. */
struct block_place {
    uint64_t first_key, start, end;
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
    if (cause == ENODATA && !place->unnamed) return damaged(place, offset, "it ends too early", err);
    return cause ? fail_errno(err, place->unnamed ? "read a temporary file in" : "read", place->name, cause)
                 : STEMMA_OK;
}

/* ---- opening ---- */

static stemma_status check_stored_header(struct run *run, uint64_t size, stemma_error *err) {
    uint8_t header[RUN_STORED_HEADER];
    if (size < RUN_STORED_HEADER + COLUMN_TRAILER + RUN_TRAILER)
        return damaged(&run->place, 0, "too short for a run", err);
    TRY(read_part(&run->place, header, sizeof header, 0, err));
    if (load_u64(header + RUN_HEADER) != words_checksum(header, RUN_HEADER, run->place.seed))
        return damaged(&run->place, 0, "checksum of the header differs", err);
    run->stored = true;
    run->blocks_at = RUN_STORED_HEADER;
    return STEMMA_OK;
}

/* Where versions can be told from damage, they are. */
static stemma_status check_version(struct run *run, uint32_t version, uint64_t size, stemma_error *err) {
    run->blocks_at = RUN_HEADER;
    run->plain = true;
    if (version == RUN_VERSION && run->place.seed == 0) return STEMMA_OK;
    if (run->place.seed) TRY(check_stored_header(run, size, err));
    if (version > RUN_STORED)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", run->place.name);
    run->plain = version != RUN_STORED;
    if (version != RUN_STORED && version != RUN_STORED_PLAIN)
        return damaged(&run->place, 8, "no such version", err);
    return run->stored ? STEMMA_OK : check_stored_header(run, size, err);
}

static stemma_status check_header(struct run *run, uint64_t size, stemma_error *err) {
    const struct run_place *place = &run->place;
    uint8_t header[RUN_HEADER];
    if (size < RUN_HEADER + RUN_TRAILER) return damaged(place, 0, "too short for a run", err);
    TRY(read_part(place, header, sizeof header, 0, err));
    if (memcmp(header, RUN_MAGIC, 8)) return damaged(place, 0, "not a run", err);
    TRY(check_version(run, load_u32(header + 8), size, err));
    uint32_t block = load_u32(header + 12);
    run->block_records = block ? block : BLOCK_RECORDS;
    if (block % BLOCK_GROUP || block > BLOCK_RECORDS) return damaged(place, 12, "no such blocks", err);
    return STEMMA_OK;
}

static stemma_status read_trailer(struct run *run, uint64_t at, uint8_t trailer[RUN_TRAILER],
                                  stemma_error *err) {
    TRY(read_part(&run->place, trailer, RUN_TRAILER, at, err));
    run->count = load_u64(trailer);
    run->blocks = load_u64(trailer + 8);
    run->first_key = load_u64(trailer + 16);
    run->last_key = load_u64(trailer + 24);
    if (memcmp(trailer + RUN_TRAILER - 8, RUN_MAGIC_END, 8))
        return damaged(&run->place, at, "no end of a run", err);
    if (run->blocks > at / RUN_INDEX_ENTRY) return damaged(&run->place, at, "too many blocks", err);
    if (run->count / run->block_records + (run->count % run->block_records != 0) != run->blocks)
        return damaged(&run->place, at, "blocks do not fit the count", err);
    return STEMMA_OK;
}

/* Of a stored run: where its column stands. */
static stemma_status open_index(struct run *run, uint64_t size, stemma_error *err) {
    uint8_t trailer[RUN_TRAILER];
    uint64_t at = size - RUN_TRAILER;
    TRY(read_trailer(run, at, trailer, err));
    uint64_t seed = run->place.seed + index_seed(at, run->block_records);
    if (load_u64(trailer + RUN_SUMMED) != words_checksum(trailer, RUN_SUMMED, seed))
        return damaged(&run->place, at, "checksum of the trailer differs", err);
    uint64_t extent = column_size(run->blocks, RUN_INDEX_ENTRY);
    if (extent > at - run->blocks_at) return damaged(&run->place, at, "too many blocks", err);
    struct run_place place = run->place;
    run->index_at = at - extent;
    place.offset += run->index_at;
    place.seed += run->index_at;
    TRY(column_open(&run->column, &place, extent, RUN_INDEX_ENTRY, err));
    if (run->column.rows == run->blocks && (run->blocks || run->index_at == run->blocks_at)) return STEMMA_OK;
    return damaged(&run->place, at, "blocks do not fit the index", err);
}

/* Reads how many blocks there are, and the index with the trailer, which is as large as that says and the
 * file allows. */
static stemma_status load_index(struct run *run, uint64_t size, stemma_error *err) {
    uint8_t trailer[RUN_TRAILER];
    uint64_t at = size - RUN_TRAILER;
    TRY(read_trailer(run, at, trailer, err));
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

static bool block_can_be(const struct block_place *place) {
    return place->end >= place->start && place->end - place->start <= STORED_BLOCK_BYTES_MOST &&
           place->end - place->start >= STORED_BLOCK_HEADER;
}

/* Blocks stand one behind the other from the header to the index, as many as the records fill. */
static stemma_status check_index(const struct run *run, stemma_error *err) {
    uint64_t expected = RUN_HEADER;
    for (uint64_t i = 0; i < run->blocks; i++) {
        struct block_place place = {first_key_of(run, i), offset_of(run, i), offset_of(run, i + 1)};
        if (place.start != expected || !block_can_be(&place))
            return damaged(&run->place, run->index_at + i * RUN_INDEX_ENTRY, "wrong place of a block", err);
        if (i && place.first_key < first_key_of(run, i - 1))
            return damaged(&run->place, run->index_at + i * RUN_INDEX_ENTRY, "keys out of order", err);
        expected = place.end;
    }
    return expected == run->index_at ? STEMMA_OK
                                     : damaged(&run->place, expected, "bytes that are no block", err);
}

static stemma_status open_run(struct run *run, uint64_t size, stemma_error *err) {
    TRY(check_header(run, size, err));
    if (run->stored) return open_index(run, size, err);
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
    column_close(&run->column);
    mem_free(run->index);
    mem_free(run);
}

/* ---- the index ---- */

/* One that is asked often is worth having in memory, if it is not too large: 1 MB is the index of 8 million
 * records. */
static stemma_status index_row(struct run *run, uint64_t block, const uint8_t **row, stemma_error *err) {
    enum { PAGES_MOST = 256, OFTEN = 4 /* one in so many pages was read */ };
    uint64_t pages = run->column.rows / run->column.per_block + 1;
    if (!run->whole && pages <= PAGES_MOST && run->asked++ >= pages / OFTEN) {
        TRY(column_load(&run->column, err));
        run->whole = true;
    }
    return column_row(&run->column, block, row, err);
}

static stemma_status place_of(struct run *run, uint64_t block, struct block_place *place, stemma_error *err) {
    const uint8_t *row;
    if (!run->stored) {
        *place =
            (struct block_place){first_key_of(run, block), offset_of(run, block), offset_of(run, block + 1)};
        return STEMMA_OK;
    }
    TRY(index_row(run, block, &row, err));
    *place = (struct block_place){load_u64(row), load_u64(row + 8), run->index_at};
    if (block + 1 < run->blocks) {
        TRY(index_row(run, block + 1, &row, err));
        place->end = load_u64(row + 8);
    }
    bool first = place->start == run->blocks_at;
    if (first != (block == 0) || place->end > run->index_at || !block_can_be(place))
        return damaged(&run->place, run->index_at, "wrong place of a block", err);
    return STEMMA_OK;
}

/* How many of the entries [low, high) in memory begin with a smaller key, from low on. */
static uint64_t bisect(const uint8_t *entries, uint64_t count, uint64_t key) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (load_u64(entries + middle * RUN_INDEX_ENTRY) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Keys are hashes mostly, so where one stands follows from how large it is. */
static uint64_t likely_block(const struct run *run, uint64_t key) {
    double share = (double)(key - run->first_key) / ((double)(run->last_key - run->first_key) + 1);
    uint64_t block = (uint64_t)(share * (double)run->blocks);
    return block < run->blocks ? block : run->blocks - 1;
}

/* In a stored run: the number of blocks that begin with a smaller key. A page of the index is read at the
 * likely place, then beside it, then in the middle of what is left. */
static stemma_status blocks_below(struct run *run, uint64_t key, uint64_t *below, stemma_error *err) {
    uint64_t low = 0, high = run->blocks, per_page = run->column.per_block, guess = likely_block(run, key);
    for (int tries = 0; low < high; tries++) {
        const uint8_t *row;
        if (tries > 2 || guess < low || guess >= high) guess = low + (high - low) / 2;
        uint64_t first = guess / per_page * per_page;
        uint64_t count = run->blocks - first < per_page ? run->blocks - first : per_page;
        TRY(index_row(run, first, &row, err));
        uint64_t here = bisect(row, count, key);
        if (here > 0 && here < count) {
            *below = first + here;
            return STEMMA_OK;
        }
        if (here == 0) {
            high = first;
            guess = first - 1; /* of no use when first is 0: then nothing is left */
        } else {
            low = guess = first + count;
        }
    }
    *below = low;
    return STEMMA_OK;
}

/* The last block that begins with a smaller key: equal keys may begin in it. */
static stemma_status block_before(struct run *run, uint64_t key, uint64_t *block, stemma_error *err) {
    uint64_t below = 0;
    if (!run->stored)
        below = bisect(run->index, run->blocks, key);
    else if (key > run->last_key)
        below = run->blocks;
    else if (key > run->first_key)
        TRY(blocks_below(run, key, &below, err));
    *block = below ? below - 1 : 0;
    return STEMMA_OK;
}

/* ---- reading ---- */

/* Records that are read where a key is looked for, since few documents have it mostly; then more of them. */
enum { SOUGHT = 4, SOUGHT_MORE = 64 };

struct run_reader {
    struct run *run;
    uint64_t next;      /* block to read */
    size_t at, filled;  /* in records, of the block read last, or some of it */
    struct record last; /* of the block before; 0, 0 where nothing is known */
    struct block_place place;
    struct stored_block block; /* of which records may be left */
    struct record records[BLOCK_RECORDS];
    uint8_t bytes[STORED_BLOCK_BYTES_MOST + BLOCK_SLACK];
};

stemma_status run_reader_new(struct run *run, struct run_reader **out, stemma_error *err) {
    struct run_reader *reader = mem_alloc(sizeof *reader);
    if (!reader) return fail_memory(err);
    run_reader_turn(reader, run);
    *out = reader;
    return STEMMA_OK;
}

void run_reader_turn(struct run_reader *reader, struct run *run) {
    reader->run = run;
    reader->next = reader->at = reader->filled = 0;
    reader->last = (struct record){0, 0};
    reader->block.next = reader->block.count = 0;
}

void run_reader_free(struct run_reader *reader) {
    mem_free(reader);
}

/* Beyond their own bytes, records have to agree with the index, and with the block before. */
static const char *check_first(const struct run_reader *r) {
    if (r->records[0].key != r->place.first_key) return "another key than the index says";
    if (r->next == 0 && r->place.first_key != r->run->first_key) return "other keys than the trailer says";
    return record_number(r->records[0]) < record_number(r->last) ? "records out of order" : NULL;
}

static const char *check_last(struct run_reader *r) {
    r->last = r->records[r->filled - 1];
    const bool end = r->next + 1 == r->run->blocks;
    return end && r->last.key != r->run->last_key ? "other keys than the trailer says" : NULL;
}

/* The next records of a stored block. */
static const char *decode_some(struct run_reader *r, size_t most) {
    const size_t left = r->block.count - r->block.next, count = left < most ? left : most;
    const bool first = r->block.next == 0;
    const char *wrong = count ? stored_block_read(&r->block, count, r->records) : NULL;
    if (wrong) return wrong;
    r->at = 0;
    r->filled = count;
    if (first && count) wrong = check_first(r);
    return !wrong && count && count == left ? check_last(r) : wrong;
}

static const char *decode_all(struct run_reader *r, size_t size) {
    const size_t count = records_of(r->run, r->next);
    const char *wrong = block_decode(r->bytes, size, r->run->place.seed + r->place.start, count, r->records);
    if (wrong) return wrong;
    r->at = 0;
    r->filled = count;
    wrong = check_first(r);
    return wrong ? wrong : check_last(r);
}

/* A block of which `most` records are wanted, from the first one on that is not below the key. */
static const char *decode_block(struct run_reader *r, size_t size, uint64_t key, size_t most) {
    const struct run *run = r->run;
    if (run->plain) return decode_all(r, size);
    const char *wrong = stored_block_open(&r->block, r->bytes, size, run->place.seed + r->place.start,
                                          r->place.first_key, records_of(run, r->next));
    if (wrong) return wrong;
    stored_block_seek(&r->block, key);
    return decode_some(r, most);
}

static stemma_status read_block(struct run_reader *r, uint64_t key, size_t most, stemma_error *err) {
    r->at = r->filled = 0;
    r->block.next = r->block.count = 0;
    TRY(place_of(r->run, r->next, &r->place, err));
    const size_t size = (size_t)(r->place.end - r->place.start);
    TRY(read_part(&r->run->place, r->bytes, size, r->place.start, err));
    memset(r->bytes + size, 0, BLOCK_SLACK);
    const char *wrong = decode_block(r, size, key, most);
    if (!wrong) {
        r->next++;
        return STEMMA_OK;
    }
    r->at = r->filled = 0;
    r->block.next = r->block.count = 0;
    return damaged(&r->run->place, r->place.start, wrong, err);
}

/* Of what a search has left of a block. */
static stemma_status read_more(struct run_reader *r, stemma_error *err) {
    r->next--; /* the block that is read */
    const char *wrong = decode_some(r, SOUGHT_MORE);
    r->next++;
    if (!wrong) return STEMMA_OK;
    r->at = r->filled = 0;
    r->block.next = r->block.count = 0;
    return damaged(&r->run->place, r->place.start, wrong, err);
}

stemma_status run_reader_next(struct run_reader *r, const struct record **records, size_t *count,
                              stemma_error *err) {
    if (r->at == r->filled && r->block.next < r->block.count) TRY(read_more(r, err));
    if (r->at == r->filled && r->next < r->run->blocks) TRY(read_block(r, 0, SIZE_MAX, err));
    *records = r->records + r->at;
    *count = r->filled - r->at;
    r->at = r->filled;
    return STEMMA_OK;
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
    run_reader_turn(r, r->run);
    if (r->run->blocks == 0) return STEMMA_OK;
    TRY(block_before(r->run, key, &r->next, err));
    TRY(read_block(r, key, SOUGHT, err));
    if (r->run->plain) r->at = first_not_below(r, key);
    return STEMMA_OK;
}

stemma_status run_each(struct run *run, take_records *take, void *context, stemma_error *err) {
    struct run_reader *reader;
    size_t count = 1;
    TRY(run_reader_new(run, &reader, err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && count) {
        const struct record *records;
        status = run_reader_next(reader, &records, &count, err);
        if (status == STEMMA_OK && count) status = take(context, records, count, err);
    }
    run_reader_free(reader);
    return status;
}
