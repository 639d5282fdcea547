/* The portable kernels of strings of symbols: their distances (Myers 1999), and counters that bound them. */
#include "kernels/generic.h"

/* One word of 64 rows in one column: *right and *left tell how the row above changes from the column before
 * (+1, -1), and then how the last row of the word does. */
static inline void column_word(uint64_t equal, uint64_t *up, uint64_t *down, uint64_t *right,
                               uint64_t *left) {
    uint64_t any = equal | *down;
    equal |= *left;
    uint64_t diagonal = (((equal & *up) + *up) ^ *up) | equal;
    uint64_t r = *down | ~(diagonal | *up), l = *up & diagonal;
    uint64_t r1 = r << 1 | *right, l1 = l << 1 | *left;
    *up = l1 | ~(any | r1);
    *down = r1 & any;
    *right = r >> 63;
    *left = l >> 63;
}

/* Above the band rows are taken to grow by one from column to column, below it columns by one from row to row
 * (Ukkonen). The first word may begin with rows that stand for nothing: their columns are level, so that they
 * change nothing. */
static uint64_t columns_of_lane(const struct symbol_rows *rows, const uint32_t *offsets, size_t length,
                                struct symbol_band band, uint64_t *state) {
    size_t end = 0, nothing = rows->words * 64 - rows->count;
    uint64_t cost = 0; /* of the lowest row in use */
    for (size_t j = 0; j < length; j++) {
        const uint64_t *equal = rows->rows + offsets[j * SYMBOL_LANES];
        uint64_t right = 1, left = 0;
        for (; end < rows->words && end * 64 <= nothing + j + band.below; end++) {
            state[2 * end] = ~UINT64_C(0) << (end == 0 ? nothing : 0);
            state[2 * end + 1] = 0;
            cost += end == 0 ? 64 - nothing : 64;
        }
        for (size_t w = nothing + j > band.above ? (nothing + j - band.above) / 64 : 0; w < end; w++)
            column_word(equal[w], &state[2 * w], &state[2 * w + 1], &right, &left);
        cost += right - left;
    }
    return length ? cost : rows->count;
}

void generic_symbol_columns(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                            struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]) {
    for (size_t lane = 0; lane < lanes->used; lane++)
        out[lane] = columns_of_lane(rows, lanes->offsets + lane, lanes->lengths[lane], band, state);
}

static uint32_t difference(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

size_t generic_filter_counters(const uint8_t *counters, const uint32_t *sizes, size_t count,
                               const uint8_t *query, uint32_t query_size, uint64_t most, uint32_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = difference(sizes[i], query_size);
        for (size_t k = 0; k < SYMBOL_COUNTERS; k++)
            sum += difference(counters[i * SYMBOL_COUNTERS + k], query[k]);
        if (sum <= most) out[kept++] = (uint32_t)i;
    }
    return kept;
}
