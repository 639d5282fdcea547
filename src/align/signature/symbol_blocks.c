/*
 * Myers' algorithm, one block of 64 rows after the other: a block needs to know of the one above only how its
 * last row changes from column to column (+1, 0, -1), and which of its own 64 symbols equal that of a column.
 * So memory is proportional to the second string and the alphabet, whatever the length of the first.
 *
 * Only columns within `bound` of the diagonal are looked at (Ukkonen): what is outside is taken to grow by
 * one with each step, which is never less than the truth and cannot be part of a way that costs `bound`.
 */
#include "align/signature/symbol_blocks.h"

#include "base/alloc.h"

#include <string.h>

#define ALPHABET 65536
#define ROWS     64

static uint64_t set_rows(struct symbol_blocks *blocks, const uint16_t *symbols, size_t height) {
    for (size_t i = 0; i < height; i++) blocks->rows[symbols[i]] |= UINT64_C(1) << i;
    return UINT64_C(1) << (height - 1);
}

static void clear_rows(struct symbol_blocks *blocks, const uint16_t *symbols, size_t height) {
    for (size_t i = 0; i < height; i++) blocks->rows[symbols[i]] = 0;
}

/* Columns of the block whose rows are set: changes from those of the row above to those of the row `last`. */
static void run_block(const uint64_t *rows, const uint16_t *b, size_t count, uint64_t last, int8_t *changes) {
    uint64_t up = ~UINT64_C(0), down = 0; /* vertical differences of +1 and -1 */
    for (size_t j = 0; j < count; j++) {
        int above = changes[j];
        uint64_t equal = rows[b[j]], any = equal | down;
        equal |= above < 0;
        uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
        uint64_t right = down | ~(diagonal | up), left = up & diagonal; /* horizontal +1 and -1 */
        changes[j] = (int8_t)(!!(right & last) - !!(left & last));
        right = right << 1 | (above > 0);
        left = left << 1 | (above < 0);
        up = left | ~(any | right);
        down = right & any;
    }
}

static size_t sum(const int8_t *changes, size_t begin, size_t end) {
    ptrdiff_t total = 0;
    for (size_t j = begin; j < end; j++) total += changes[j];
    return (size_t)total;
}

/* `cost` is that of the cell above a block, in column `seen`. Columns right of the band were never touched:
 * +1. */
static size_t distance(struct symbol_blocks *blocks, const uint16_t *a, size_t a_count, const uint16_t *b,
                       size_t b_count, size_t bound) {
    size_t seen = 0, cost = 0;
    memset(blocks->changes, 1, b_count);
    for (size_t top = 0; top < a_count; top += ROWS) {
        size_t height = a_count - top < ROWS ? a_count - top : ROWS;
        size_t begin = top > bound ? top - bound : 0, end = top + height + bound;
        if (end > b_count) end = b_count;
        cost += sum(blocks->changes, seen, begin) + height;
        seen = begin;
        uint64_t last = set_rows(blocks, a + top, height);
        run_block(blocks->rows, b + begin, end - begin, last, blocks->changes + begin);
        clear_rows(blocks, a + top, height);
    }
    return cost + sum(blocks->changes, seen, b_count);
}

stemma_status symbol_blocks_distance(struct symbol_blocks *blocks, const uint16_t *a, size_t a_count,
                                     const uint16_t *b, size_t b_count, size_t bound, size_t *out,
                                     stemma_error *err) {
    if (!blocks->rows) blocks->rows = mem_zero(ALPHABET, sizeof *blocks->rows);
    if (!blocks->rows || !mem_grow((void **)&blocks->changes, &blocks->room, b_count, 1))
        return fail_memory(err);
    size_t found = distance(blocks, a, a_count, b, b_count, bound);
    *out = found <= bound ? found : bound + 1;
    return STEMMA_OK;
}

void symbol_blocks_release(struct symbol_blocks *blocks) {
    mem_free(blocks->rows);
    mem_free(blocks->changes);
    *blocks = (struct symbol_blocks){0};
}
