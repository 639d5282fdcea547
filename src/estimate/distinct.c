/*
 * Each fingerprint falls into one of many cells. One that is alone in its cell is like no other; the few that
 * are not are sorted. A cell is two bits, so that both passes are short loops without branches; a table would
 * take twice as long.
 */
#include "estimate/distinct.h"

#include "base/sort.h"

#include <string.h>

enum {
    CELLS = 16,
    CELLS_PER_WORD = 32
}; /* cells per fingerprint, at least: one in 16 or fewer meets another */

enum { ONE = 1, MORE = 2 };

static int cell_shift(uint64_t fp) {
    return (int)(fp % CELLS_PER_WORD * 2);
}

static void fill_cells(uint64_t *cells, size_t mask, const uint64_t *fp, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t *word = &cells[fp[i] / CELLS_PER_WORD & mask], taken = *word >> cell_shift(fp[i]) & ONE;
        *word |= (ONE | taken * MORE) << cell_shift(fp[i]);
    }
}

/* Returns how many there are. */
static size_t list_crowded(const uint64_t *cells, size_t mask, const uint64_t *fp, size_t count,
                           uint64_t *out) {
    size_t crowded = 0;
    for (size_t i = 0; i < count; i++) {
        out[crowded] = fp[i];
        crowded += (cells[fp[i] / CELLS_PER_WORD & mask] >> cell_shift(fp[i]) & MORE) != 0;
    }
    return crowded;
}

stemma_status distinct_count(struct distinct *scratch, const uint64_t *fp, size_t count, size_t *out,
                             stemma_error *err) {
    size_t words = 1;
    while (words * CELLS_PER_WORD < CELLS * count) words *= 2;
    scratch->cells.len = scratch->crowded.len = 0;
    if (!vec64_reserve(&scratch->cells, words) || !vec64_reserve(&scratch->crowded, count + 1))
        return fail_memory(err);
    uint64_t *cells = scratch->cells.data, *crowded = scratch->crowded.data;
    memset(cells, 0, words * sizeof *cells);
    fill_cells(cells, words - 1, fp, count);
    size_t crowd = list_crowded(cells, words - 1, fp, count, crowded);
    if (!sort_u64(crowded, crowd)) return fail_memory(err);
    *out = count - crowd + unique_u64(crowded, crowd);
    return STEMMA_OK;
}

void distinct_release(struct distinct *scratch) {
    vec64_release(&scratch->cells);
    vec64_release(&scratch->crowded);
}
