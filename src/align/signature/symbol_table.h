/*
 * The symbols, or runs of symbols, that two signatures have in common, with their places in the second: what
 * chains are made of. A table with open addressing that is as large as the second signature, not as the
 * alphabet: most signatures have a few hundred symbols out of 65,536.
 */
#ifndef ALIGN_SYMBOL_TABLE_H
#define ALIGN_SYMBOL_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOWHERE UINT32_MAX

struct symbol_entry {
    uint64_t token;
    uint32_t last;       /* its last place in b; NOWHERE: the slot is free */
    uint32_t in_a, in_b; /* how often it occurs */
};

struct symbol_table {
    struct symbol_entry *entries;
    uint32_t *before; /* for each place in b, the one before it with the same token */
    size_t mask;
    double pairs; /* sum of in_a * in_b: places that could be matched */
};

/* Tokens are runs of `run` symbols. */
stemma_status symbol_table_new(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count,
                               size_t run, struct symbol_table *out, stemma_error *err);
const struct symbol_entry *symbol_table_find(const struct symbol_table *common,
                                             uint64_t token); /* NULL: not in b */
uint64_t token_at(const uint16_t *symbols, size_t run);
void symbol_table_release(struct symbol_table *common);

#endif
