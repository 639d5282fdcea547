/* Edit distances, the portable kernels: furthest-reaching diagonals (Ukkonen 1985, Myers 1986), and the
 * matrix in differences, 64 rows to a word (Myers 1999, in Hyyrö's form). */
#include "kernels/generic.h"

size_t generic_common_prefix(const uint8_t *a, const uint8_t *b, size_t size) {
    size_t same = 0;
    while (same < size && a[same] == b[same]) same++;
    return same;
}

size_t generic_common_suffix(const uint8_t *a_end, const uint8_t *b_end, size_t size) {
    size_t same = 0;
    while (same < size && a_end[-1 - (ptrdiff_t)same] == b_end[-1 - (ptrdiff_t)same]) same++;
    return same;
}

/* Symbols that agree along a diagonal from row i on. */
static int32_t matching(const struct edit_texts *t, int32_t i, int32_t diagonal) {
    ptrdiff_t j = (ptrdiff_t)i + diagonal, rows = t->a_size - i, columns = t->b_size - j;
    size_t size = (size_t)(rows < columns ? rows : columns) << t->log_width;
    ptrdiff_t a = (ptrdiff_t)i << t->log_width, b = j << t->log_width;
    size_t same = t->backward ? generic_common_suffix(t->a - a, t->b - b, size)
                              : generic_common_prefix(t->a + a, t->b + b, size);
    return (int32_t)(same >> t->log_width);
}

static int32_t larger(int32_t x, int32_t y) {
    return x > y ? x : y;
}

/* An insertion comes from the diagonal before, a deletion from the one behind. What would leave the matrix
 * stops at its edge: that cell is no further away. */
int32_t generic_edit_wave(const struct edit_texts *t, const int32_t *from, int32_t *to, int32_t first,
                          int32_t last) {
    int32_t furthest = 0;
    for (int32_t k = first; k <= last; k++) {
        int32_t row = larger(from[k - 1], larger(from[k], from[k + 1]) + 1);
        if (row > t->a_size) row = t->a_size;
        if (row > t->b_size - k) row = t->b_size - k;
        to[k] = row + matching(t, row, k);
        furthest = larger(furthest, to[k]);
    }
    return furthest;
}

struct vertical {
    uint64_t up, down; /* rows that are one more, or one less, than the one above */
};

/* One column of 64 rows: the horizontal difference above comes in, the one below goes out. */
static inline unsigned edit_column(struct vertical *v, uint64_t equal, unsigned edge) {
    uint64_t falls = edge >> 1, rises = ~edge & 1;
    uint64_t either = equal | v->down, start = equal | falls;
    uint64_t across = (((start & v->up) + v->up) ^ v->up) | start;
    uint64_t up = v->down | ~(across | v->up), down = v->up & across;
    unsigned out = (unsigned)(~up >> 63) | (unsigned)(down >> 63) << 1;
    up = up << 1 | rises;
    down = down << 1 | falls;
    v->up = down | ~(either | up);
    v->down = up & either;
    return out;
}

void generic_edit_rows(const struct edit_rows *rows, uint8_t *edge, size_t count) {
    for (int w = 0; w < rows->words; w++) {
        const uint64_t *equal = rows->equal + edit_place((uint32_t)w, rows->words, rows->lanes);
        struct vertical v = {.up = edit_first_up(rows, w)};
        for (size_t j = 0; j < count; j++)
            edge[j] = (uint8_t)edit_column(&v, equal[rows->columns[j]], edge[j]);
    }
}
