/*
 * Rows of any length: blocks of a few rows with a checksum each, then a column of where each block stands.
 * (docs/format.md, section 9)
 */
#ifndef INDEX_TEXT_COLUMN_H
#define INDEX_TEXT_COLUMN_H

#include "base/spool.h"
#include "runs/column.h"

enum {
    TEXT_ROWS = 16,          /* of a block, at most: where rows are some hundred bytes */
    TEXT_ROW_BYTES = 1 << 27 /* of a row, at most: a block stays below 4 GiB */
};

struct text_writer {
    struct run_place place;
    size_t per_block, filled; /* rows */
    uint64_t at;              /* written */
    struct buf bytes;
    uint32_t ends[TEXT_ROWS];
    struct spool places;
};

void text_begin(struct text_writer *writer, const struct run_place *place, size_t per_block);
stemma_status text_add(struct text_writer *writer, const void *bytes, size_t size, stemma_error *err);
stemma_status text_finish(struct text_writer *writer, uint64_t *size, stemma_error *err);
void text_release(struct text_writer *writer);

struct text {
    struct run_place place;
    size_t per_block;
    uint64_t end;         /* of the blocks */
    struct column places; /* of the blocks in this part */
    uint64_t rows;
    uint64_t loaded; /* block in memory, and 1 */
    struct buf block;
};

stemma_status text_open(struct text *text, const struct run_place *place, uint64_t size, uint64_t rows,
                        size_t per_block, stemma_error *err);
/* The bytes are the text's until its next call. */
stemma_status text_row(struct text *text, uint64_t row, const uint8_t **bytes, size_t *size,
                       stemma_error *err);
/* Blocks stand one behind the other, from the first byte to the last. */
stemma_status text_check_ends(struct text *text, stemma_error *err);
void text_rest(struct text *text);
void text_close(struct text *text);

#endif
