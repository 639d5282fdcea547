/*
 * Template: edit distances with vectors.
 *
 * Expects a *_vector.h, and: vec_or, vec_and_not(a, b) = ~a & b, vec_add64, vec_top (the top bit as lowest),
 * vec_shift_in, vec_last_lane, vec_next_lanes (of a vector and the one before it: every lane moves to the
 * next), vec_top_lane (its sign), vec_skewed, vec_equal_bytes; EDIT_VECTORS, how many are run side by side;
 * and for 32-bit lanes (VEC_ROWS of them) rows_load, rows_store, rows_all, rows_add, rows_max, rows_min,
 * rows_down. Gives common_prefix, common_suffix, edit_wave and edit_rows.
 *
 * edit_rows is a wavefront: lane i of a strip of rows is i columns behind lane 0, so that what lane i - 1
 * hands down was made one step before. Columns before the first and behind the last are a symbol that changes
 * nothing (before) or what nobody asks for (behind).
 */
#include <string.h>

/* ---- what two texts have in common ---- */

static inline uint64_t word_at(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline size_t prefix_from(const uint8_t *a, const uint8_t *b, size_t same, size_t size) {
    for (; size - same >= VEC_BYTES; same += VEC_BYTES) {
        vec_map differing = ~vec_equal_bytes(vec_load(a + same), vec_load(b + same));
        if (differing) return same + (size_t)__builtin_ctzll(differing);
    }
    for (; size - same >= 8; same += 8) {
        uint64_t differing = word_at(a + same) ^ word_at(b + same);
        if (differing) return same + (size_t)__builtin_ctzll(differing) / 8;
    }
    while (same < size && a[same] == b[same]) same++;
    return same;
}

static inline size_t suffix_from(const uint8_t *a, const uint8_t *b, size_t same, size_t size) {
    for (; size - same >= VEC_BYTES; same += VEC_BYTES) {
        vec_map differing = ~vec_equal_bytes(vec_load(a - same - VEC_BYTES), vec_load(b - same - VEC_BYTES));
        if (differing) return same + (size_t)__builtin_clzll((uint64_t)differing << (64 - VEC_BYTES));
    }
    for (; size - same >= 8; same += 8) {
        uint64_t differing = word_at(a - same - 8) ^ word_at(b - same - 8);
        if (differing) return same + (size_t)__builtin_clzll(differing) / 8;
    }
    while (same < size && a[-1 - (ptrdiff_t)same] == b[-1 - (ptrdiff_t)same]) same++;
    return same;
}

size_t KERNEL(common_prefix)(const uint8_t *a, const uint8_t *b, size_t size) {
    return prefix_from(a, b, 0, size);
}

size_t KERNEL(common_suffix)(const uint8_t *a_end, const uint8_t *b_end, size_t size) {
    return suffix_from(a_end, b_end, 0, size);
}

/* ---- diagonals ---- */

/* Most diagonals end within eight bytes: no loop for those. */
static inline size_t bytes_in_common(const uint8_t *a, const uint8_t *b, size_t size, bool backward) {
    if (__builtin_expect(size < 8, 0))
        return backward ? suffix_from(a, b, 0, size) : prefix_from(a, b, 0, size);
    uint64_t differing = backward ? word_at(a - 8) ^ word_at(b - 8) : word_at(a) ^ word_at(b);
    if (__builtin_expect(differing != 0, 1))
        return (size_t)(backward ? __builtin_clzll(differing) : __builtin_ctzll(differing)) / 8;
    return backward ? suffix_from(a, b, 8, size) : prefix_from(a, b, 8, size);
}

static inline int32_t extended(const struct edit_texts *t, int32_t row, int32_t diagonal, int log_width,
                               bool backward) {
    ptrdiff_t column = (ptrdiff_t)row + diagonal, rows = t->a_size - row, columns = t->b_size - column;
    size_t size = (size_t)(rows < columns ? rows : columns) << log_width;
    ptrdiff_t i = (ptrdiff_t)row << log_width, j = column << log_width;
    size_t same = backward ? bytes_in_common(t->a - i, t->b - j, size, true)
                           : bytes_in_common(t->a + i, t->b + j, size, false);
    return row + (int32_t)(same >> log_width);
}

static inline int32_t larger(int32_t x, int32_t y) {
    return x > y ? x : y;
}

static inline int32_t smaller(int32_t x, int32_t y) {
    return x < y ? x : y;
}

/* The rows before they are extended. */
static inline void advance(const struct edit_texts *t, const int32_t *from, int32_t *to, int32_t first,
                           int32_t last) {
    const vec_rows one = rows_all(1), most = rows_all(t->a_size);
    int32_t k = first;
    for (; k + VEC_ROWS - 1 <= last; k += VEC_ROWS) {
        vec_rows row = rows_add(rows_max(rows_load(from + k), rows_load(from + k + 1)), one);
        row = rows_max(row, rows_load(from + k - 1));
        rows_store(to + k, rows_min(rows_min(row, most), rows_down(t->b_size - k)));
    }
    for (; k <= last; k++) {
        int32_t row = larger(from[k - 1], larger(from[k], from[k + 1]) + 1);
        to[k] = smaller(smaller(row, t->a_size), t->b_size - k);
    }
}

static inline int32_t extend_all(const struct edit_texts *t, int32_t *to, int32_t first, int32_t last,
                                 int log_width, bool backward) {
    int32_t furthest = 0;
    for (int32_t k = first; k <= last; k++) {
        to[k] = extended(t, to[k], k, log_width, backward);
        furthest = larger(furthest, to[k]);
    }
    return furthest;
}

int32_t KERNEL(edit_wave)(const struct edit_texts *t, const int32_t *from, int32_t *to, int32_t first,
                          int32_t last) {
    advance(t, from, to, first, last);
    if (t->log_width == 0)
        return t->backward ? extend_all(t, to, first, last, 0, true)
                           : extend_all(t, to, first, last, 0, false);
    return extend_all(t, to, first, last, t->log_width, t->backward);
}

/* ---- the matrix ---- */

/* What one vector of rows knows. `flat` and `down` are of the step before: not up, and down, by column. */
struct strip {
    vec up, down_rows, flat, down;
};

/* As edit_column of generic_edit.c, but that `flat` is the complement of `up` there:
 * AVX2 has and-not only. */
static inline void strip_step(struct strip *s, vec equal, vec flat_above, vec down_above) {
    vec falls = vec_top(down_above);
    vec either = vec_or(equal, s->down_rows), start = vec_or(equal, falls);
    vec across = vec_or(vec_xor(vec_add64(vec_and(start, s->up), s->up), s->up), start);
    vec flat = vec_and_not(s->down_rows, vec_or(across, s->up)), down = vec_and(s->up, across);
    vec flat_in = vec_shift_in(flat, flat_above);
    s->up = vec_or(vec_or(vec_add64(down, down), falls), vec_and_not(either, flat_in));
    s->down_rows = vec_and_not(flat_in, either);
    s->flat = flat;
    s->down = down;
}

/* `steps` steps; columns[-w] is the column of word w in the first of them. */
static inline void strip_run(struct strip *s, const uint64_t *equal, const uint32_t *columns,
                             const uint8_t *in, uint8_t *out, size_t steps, int vectors) {
    const int last = vectors - 1;
    for (size_t t = 0; t < steps; t++) {
        vec flat = vec_enter_lane(in[t] & 1, s[last].flat), down = vec_enter_lane(in[t] >> 1, s[last].down);
        for (int v = last; v > 0; v--) /* the one above still has its last step */
            strip_step(&s[v], vec_skewed(equal + v * VEC_LANES, columns + t - v, vectors), s[v - 1].flat,
                       s[v - 1].down);
        strip_step(&s[0], vec_skewed(equal, columns + t, vectors), flat, down);
        out[t] = vec_top_bits(s[last].flat, s[last].down);
    }
}

static inline void strip_start(struct strip *s, const struct edit_rows *rows, int vectors) {
    uint64_t up[EDIT_WORDS];
    for (int w = 0; w < vectors * VEC_LANES; w++)
        up[edit_place((uint32_t)w, vectors * VEC_LANES, VEC_LANES)] = edit_first_up(rows, w);
    for (int v = 0; v < vectors; v++)
        s[v] = (struct strip){vec_load(up + v * VEC_LANES), vec_zero(), vec_all64(UINT64_MAX), vec_zero()};
}

/* The first and the last steps, in which some words are outside, see copies with padding. */
static inline void edit_strip(const struct edit_rows *rows, uint8_t *edge, size_t count, int vectors) {
    enum { MOST = 3 * EDIT_WORDS };
    const size_t lag = (size_t)(vectors * VEC_LANES) - 1, head = count < lag ? count : lag;
    struct strip s[EDIT_WORDS / VEC_LANES];
    uint32_t first[MOST], last[MOST];
    uint8_t in[MOST] = {0}, unused[MOST];
    strip_start(s, rows, vectors);
    for (size_t i = 0; i < MOST; i++) first[i] = last[i] = rows->pad;
    memcpy(first + lag, rows->columns, head * sizeof *first);
    memcpy(last + lag - head, rows->columns + count - head, head * sizeof *last);
    memcpy(in, edge, head);
    strip_run(s, rows->equal, first + lag, in, unused, head, vectors);
    if (count > lag) strip_run(s, rows->equal, rows->columns + lag, edge + lag, edge, count - lag, vectors);
    uint8_t out[MOST];
    strip_run(s, rows->equal, last + lag, in, out, lag, vectors);
    memcpy(edge + count - head, out + lag - head, head);
}

void KERNEL(edit_rows)(const struct edit_rows *rows, uint8_t *edge, size_t count) {
    switch (rows->lanes == VEC_LANES ? rows->words / VEC_LANES : 0) {
    case 1:
        edit_strip(rows, edge, count, 1);
        break;
    case 2:
        edit_strip(rows, edge, count, 2);
        break;
#if EDIT_VECTORS > 2
    case 3:
        edit_strip(rows, edge, count, 3);
        break;
#endif
    default:
        generic_edit_rows(rows, edge, count);
    }
}
