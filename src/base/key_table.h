/*
 * Keys with a number each, of which there may be more than memory should hold: a table of buckets, in memory
 * while they are few (2 MB), then in a file without a name, of which one bucket is held at a time.
 */
#ifndef BASE_KEY_TABLE_H
#define BASE_KEY_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct key_table {
    const char *directory;   /* of the temporary file; NULL: $TMPDIR, or /tmp */
    struct key_bucket *held; /* all buckets, or one of those in the file */
    bool filed;
    int fd;        /* of the file, which may be 0 */
    unsigned bits; /* there are 2^bits buckets */
    uint64_t at;   /* the one that is held, of a file */
    uint64_t keys;
};

/* The number of a key of two words, 0 for a new one: to be changed, and valid until the next call. The first
 * word is never 0. A zeroed table is empty. Errors: NO_MEMORY, NO_SPACE, IO. */
stemma_status key_table_at(struct key_table *table, uint64_t first, uint64_t second, uint64_t **number,
                           stemma_error *err);
void key_table_release(struct key_table *table);

#endif
