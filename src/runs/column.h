/*
 * A column: rows of one width in blocks of about 4 KiB with a checksum each. (docs/format.md, section 9)
 *
 * A row's block follows from its number, so opening one reads its last 32 bytes and nothing else. Place and
 * checksum are those of runs (run.h); nothing about the bytes is trusted.
 */
#ifndef RUNS_COLUMN_H
#define RUNS_COLUMN_H

#include "runs/run.h"

enum {
    COLUMN_TRAILER = 32, /* magic, version, width, rows, checksum */
    COLUMN_BLOCK = 4096,
    COLUMN_WIDTH_MOST = COLUMN_BLOCK - 8,
    COLUMN_READ = 16 /* blocks read at once by who reads on */
};

/* ---- writing: what comes next in place->sink ---- */

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
uint64_t column_size(uint64_t rows, uint32_t width); /* in bytes, of all of it */

/* ---- reading ---- */

struct column {
    struct run_place place;
    uint32_t width;
    size_t per_block, block_size;
    uint64_t rows, size;
    uint64_t first, loaded; /* blocks that are in memory */
    size_t room;            /* for as many */
    uint8_t *bytes;
};

/* `size` bytes at its place, of rows of this width. Errors: CORRUPT, LATER_VERSION, IO. */
stemma_status column_open(struct column *column, const struct run_place *place, uint64_t size, uint32_t width,
                          stemma_error *err);
/* The row is the column's until its next call. It must be below column->rows. */
stemma_status column_row(struct column *column, uint64_t row, const uint8_t **bytes, stemma_error *err);
/* Rows from this one on to the end of its block, for who goes on with the next ones. */
stemma_status column_rows(struct column *column, uint64_t row, const uint8_t **bytes, size_t *count,
                          stemma_error *err);
/* All of it into memory, where it stays until column_rest. */
stemma_status column_load(struct column *column, stemma_error *err);
void column_rest(struct column *column); /* gives its memory back until it is asked again */
void column_close(struct column *column);

/* ---- for parts that are made like one ---- */

static inline size_t whole_words(size_t size) {
    return (size + 7) / 8 * 8;
}
/* CORRUPT, with file and byte. */
stemma_status place_damaged(const struct run_place *place, uint64_t at, const char *what, stemma_error *err);
stemma_status place_read(const struct run_place *place, void *bytes, size_t size, uint64_t at,
                         stemma_error *err);
/* Block of whole words, with room for its checksum in the first. */
uint64_t place_checksum(const struct run_place *place, const uint8_t *block, size_t size, uint64_t at);

#endif
