/*
 * Columns: rows of one width, or of any length, in blocks of about 4 KiB with a checksum each, which are read
 * one by one. Opening one reads its first bytes only. Place and checksum are those of runs.
 */
#ifndef STORE_COLUMN_H
#define STORE_COLUMN_H

#include "base/buf.h"
#include "runs/run.h"

enum {
    COLUMN_HEADER = 32, /* magic, version, width, rows, checksum */
    COLUMN_BLOCK = 4096,
    COLUMN_READ = 16, /* blocks read at once by who reads on */
    TEXT_ROWS = 16    /* of any length in a block */
};

/* ---- rows of one width ---- */

struct column_writer {
    struct run_place place;
    uint32_t width;
    size_t per_block, filled; /* rows */
    uint64_t rows, at;        /* written */
    uint8_t block[COLUMN_BLOCK];
};

void column_begin(struct column_writer *writer, const struct run_place *place, uint32_t width);
stemma_status column_add(struct column_writer *writer, const void *row, stemma_error *err);
stemma_status column_finish(struct column_writer *writer, uint64_t *size, stemma_error *err);

struct column {
    struct run_place place;
    uint32_t width;
    size_t per_block, block_size;
    uint64_t rows, size;
    uint64_t first, loaded; /* blocks that are in memory */
    uint8_t *bytes;
};

stemma_status column_open(struct column *column, const struct run_place *place, uint64_t size, uint32_t width,
                          stemma_error *err);
/* The row is the column's until its next call. It must be below column->rows. */
stemma_status column_row(struct column *column, uint64_t row, const uint8_t **bytes, stemma_error *err);
/* Rows from this one on to the end of its block, for who goes on with the next ones. */
stemma_status column_rows(struct column *column, uint64_t row, const uint8_t **bytes, size_t *count,
                          stemma_error *err);
void column_close(struct column *column);

/* ---- rows of any length: blocks of TEXT_ROWS rows, and a column of where each stands ---- */

struct text_writer {
    struct run_place place;
    uint64_t at; /* written */
    struct buf bytes;
    uint32_t ends[TEXT_ROWS];
    size_t filled;
    struct vec64 places;
};

void text_begin(struct text_writer *writer, const struct run_place *place);
stemma_status text_add(struct text_writer *writer, const void *bytes, size_t size, stemma_error *err);
/* The column of places is written behind the blocks; *size is that of both. */
stemma_status text_finish(struct text_writer *writer, uint64_t *size, uint64_t *places_size,
                          stemma_error *err);
void text_release(struct text_writer *writer);

struct text {
    struct run_place place;
    uint64_t end;          /* of the blocks */
    struct column places;  /* of the blocks in this part */
    uint64_t rows, loaded; /* block in memory, and 1 */
    struct buf block;
};

stemma_status text_open(struct text *text, const struct run_place *place, uint64_t size, uint64_t places_size,
                        uint64_t rows, stemma_error *err);
stemma_status text_row(struct text *text, uint64_t row, const uint8_t **bytes, size_t *size,
                       stemma_error *err);
void text_close(struct text *text);

#endif
