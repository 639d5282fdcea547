/* The distance of strings of symbols by columns of bits (Myers 1999): always proportional to the product of
 * the lengths, over 64, whatever the symbols are. */
#ifndef ALIGN_SYMBOL_BLOCKS_H
#define ALIGN_SYMBOL_BLOCKS_H

#include "base/error.h"

/* Memory that is used again; a zeroed one is empty. */
struct symbol_blocks {
    uint64_t *rows;  /* by symbol: in which rows of a block it stands */
    int8_t *changes; /* by column: what the last row above a block does there */
    size_t room;
};

/* At most `bound` (>= the difference of the lengths) is looked for; more than it is bound + 1. */
stemma_status symbol_blocks_distance(struct symbol_blocks *blocks, const uint16_t *a, size_t a_count,
                                     const uint16_t *b, size_t b_count, size_t bound, size_t *out,
                                     stemma_error *err);
void symbol_blocks_release(struct symbol_blocks *blocks);

#endif
