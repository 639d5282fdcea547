/*
 * A block of a run: up to BLOCK_RECORDS records in order as bytes, and back. (docs/format.md, section 8)
 *
 * The gap of each key to the one before, and each value above the least one of the block (above the one
 * before where the key is the same), in groups of 64 records with as many bits each as the group's largest
 * needs.
 */
#ifndef RUNS_BLOCK_H
#define RUNS_BLOCK_H

#include "runs/runs.h"

enum {
    BLOCK_RECORDS = 4096, /* 64 KiB of records; about 22 KiB as bytes. A merge holds one of each run */
    BLOCK_GROUP = 64,     /* so that the group of w-bit numbers is w words long */
    BLOCK_HEADER = 32,
    BLOCK_BYTES_MOST = BLOCK_HEADER + BLOCK_RECORDS / BLOCK_GROUP * (2 + 2 * 64 * 8),
    BLOCK_SLACK = 16 /* bytes behind a block that is decoded or encoded which may be read, and overwritten */
};

/* Checksum of whole 8-byte words against accidents: 64 bits; damage within one word is noticed with
 * certainty. */
uint64_t words_checksum(const uint8_t *bytes, size_t size, uint64_t seed);

/* 1 to BLOCK_RECORDS records to BLOCK_BYTES_MOST + BLOCK_SLACK bytes of room; returns the size, a multiple
 * of 8. `place` is where the block stands in its run: part of the checksum, so that a block in another's
 * place is noticed. */
size_t block_encode(const struct record *records, size_t count, uint64_t place, uint8_t *to);

/* `size` bytes (with BLOCK_SLACK behind them) to exactly `count` records in order, or what is wrong with
 * them. */
const char *block_decode(const uint8_t *bytes, size_t size, uint64_t place, size_t count,
                         struct record *records);

#endif
