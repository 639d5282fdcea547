/*
 * Records in memory at 8 bytes each, for keys that are known to be short: cut into parts by the upper bits of
 * the key while they are added. A part is its upper bits, so its records need not repeat them, and it is
 * sorted by itself, in a cache and by any thread.
 */
#ifndef RUNS_NARROW_H
#define RUNS_NARROW_H

#include "runs/runs.h"

enum {
    NARROW_CHUNK = 256 /* records: half a page, so that 256 parts with one record each are half a megabyte */
};

struct narrow_part {
    size_t count;
    uint32_t first, last; /* chunk */
};

struct narrow {
    int part_shift, value_bits;
    uint64_t *words; /* [chunk][NARROW_CHUNK]: the rest of the key, then the value */
    uint32_t *next;  /* chunk of the same part */
    size_t words_room, next_room, chunks;
    size_t touched; /* chunks */
    struct narrow_part parts[SORTER_PARTS];
};

/* Keys below 2^key_bits (9 to 64), values below 2^(72 - key_bits). */
void narrow_init(struct narrow *narrow, int key_bits);
void narrow_release(struct narrow *narrow);
void narrow_clear(struct narrow *narrow);

/* False when memory is refused. */
bool narrow_add(struct narrow *narrow, const struct record *records, size_t count);
/* The same; takes at most twice as much memory again, with evenly spread keys 1 in 128 for each thread. */
bool narrow_sort(struct narrow *narrow, unsigned threads);
size_t narrow_resident(const struct narrow *narrow);

/* Goes through some of the parts, in the order in which the records stand. */
struct narrow_cursor {
    const struct narrow *narrow;
    size_t part, end;
    size_t at; /* in the part */
    uint32_t chunk;
};

struct narrow_cursor narrow_read(const struct narrow *narrow, size_t first_part, size_t end_part);
size_t narrow_next(struct narrow_cursor *cursor, struct record *records, size_t room); /* 0 at the end */

#endif
