/*
 * A block of a stored run: records in order as bytes, and back. (docs/format.md, section 9)
 *
 * Keys are hashes mostly, so they are kept by the method of Elias and Fano: their lower bits as they are, the
 * rest as ones between zeros that count up. A key is then found without reading the others, and takes half a
 * bit more than it must. Values stand as in a block of block.h; what the index says of a block does not stand
 * in it again.
 */
#ifndef RUNS_STORED_BLOCK_H
#define RUNS_STORED_BLOCK_H

#include "runs/block.h"

enum {
    STORED_BLOCK_HEADER = 16, /* checksum; widths of lower bits and of rests, least value */
    /* Lower bits and rests have 64 each at most, and the ones and zeros are 3 a record. */
    STORED_BLOCK_BYTES_MOST = STORED_BLOCK_HEADER + BLOCK_RECORDS / 8 * (64 + 64 + 3) + 8
};

/* As block_encode, to STORED_BLOCK_BYTES_MOST + BLOCK_SLACK bytes. */
size_t stored_block_encode(const struct record *records, size_t count, uint64_t place, uint8_t *to);

/* One that is being read. */
struct stored_block {
    const uint8_t *bytes; /* behind the header */
    size_t size, count;
    unsigned lower, width; /* bits of a key, of a rest */
    uint64_t first_key, least;
    size_t begun, next; /* the first record that is read, and the next one */
    size_t at;          /* bit behind the one of the record before */
    struct record last; /* that was read; before the first one the least that may come */
};

/* `size` bytes, with BLOCK_SLACK zeros behind them, that stay where they are: it stands before its first
 * record. NULL, or what is wrong with them. The first key and the number of records are known elsewhere. */
const char *stored_block_open(struct stored_block *block, const uint8_t *bytes, size_t size, uint64_t place,
                              uint64_t first_key, size_t count);
/* Before the first record whose key is not smaller. */
void stored_block_seek(struct stored_block *block, uint64_t key);
/* The next `count` records, no more than there are left; NULL, or what is wrong. */
const char *stored_block_read(struct stored_block *block, size_t count, struct record *records);

#endif
