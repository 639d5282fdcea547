/* Where things stand in a run: header, blocks, index (first key and place of each block), trailer. */
#ifndef RUNS_RUN_LAYOUT_H
#define RUNS_RUN_LAYOUT_H

#include "runs/column.h"
#include "runs/stored_block.h"

#define RUN_MAGIC     "\x8bSTR\r\n\x1a\n"
#define RUN_MAGIC_END "\x8bSTE\r\n\x1a\n"

enum {
    RUN_VERSION = 1,        /* temporary: the index is read at once, and stays in memory */
    RUN_STORED_PLAIN = 2,   /* in a store: the index is a column, read where it is asked; blocks of block.h */
    RUN_STORED = 3,         /* the same with blocks of stored_block.h */
    RUN_HEADER = 16,        /* magic, version, records of a block (0: BLOCK_RECORDS) */
    RUN_STORED_HEADER = 24, /* the same, and their checksum */
    RUN_INDEX_ENTRY = 16,   /* first key, offset of the block in the run */
    RUN_TRAILER = 48,       /* records, blocks, first key, last key, checksum of index and these, magic */
    RUN_SUMMED = 32         /* bytes of the trailer before its checksum */
};

/* Of the index and the trailer: its place, as for blocks, and what the header says about them. */
static inline uint64_t index_seed(uint64_t index_at, size_t block_records) {
    return block_records < BLOCK_RECORDS ? index_at ^ (uint64_t)block_records << 48 : index_at;
}

#endif
