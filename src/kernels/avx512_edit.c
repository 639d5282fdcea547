/* Edit distances, 64 bytes at a time: edit_template.h. */
#include "kernels/avx512_vector.h"

#include "kernels/generic.h"

/* ---- what the template expects ---- */

#define EDIT_VECTORS 2
#define VEC_ROWS     16
typedef __m512i vec_rows;

static inline vec vec_or(vec a, vec b) {
    return _mm512_or_si512(a, b);
}

static inline vec vec_and_not(vec a, vec b) {
    return _mm512_andnot_si512(a, b);
}

static inline vec vec_add64(vec a, vec b) {
    return _mm512_add_epi64(a, b);
}

static inline vec vec_top(vec a) {
    return _mm512_srli_epi64(a, 63);
}

/* Shifted by one, with the top bit of another below. */
static inline vec vec_shift_in(vec a, vec below) {
    return _mm512_or_si512(_mm512_add_epi64(a, a), _mm512_srli_epi64(below, 63));
}

static inline vec vec_enter_lane(unsigned bit, vec a) {
    return _mm512_alignr_epi64(a, vec_all64((uint64_t)bit << 63), 7);
}

static inline uint8_t vec_top_bits(vec first, vec second) {
    return (uint8_t)(_mm512_movepi64_mask(first) >> 7 | _mm512_movepi64_mask(second) >> 7 << 1);
}

static inline vec_map vec_equal_bytes(vec a, vec b) {
    return _mm512_cmpeq_epi8_mask(a, b);
}

/* Lane i from the column i times `skew` places before. */
static inline vec vec_skewed(const uint64_t *equal, const uint32_t *columns, int skew) {
    vec lanes = vec_load(equal + columns[0]);
    for (int i = 1; i < VEC_LANES; i++)
        lanes = _mm512_mask_blend_epi64((__mmask8)(1 << i), lanes, vec_load(equal + columns[-i * skew]));
    return lanes;
}

static inline vec_rows rows_load(const int32_t *rows) {
    return _mm512_loadu_si512(rows);
}

static inline void rows_store(int32_t *rows, vec_rows a) {
    _mm512_storeu_si512(rows, a);
}

static inline vec_rows rows_all(int32_t row) {
    return _mm512_set1_epi32(row);
}

static inline vec_rows rows_add(vec_rows a, vec_rows b) {
    return _mm512_add_epi32(a, b);
}

static inline vec_rows rows_max(vec_rows a, vec_rows b) {
    return _mm512_max_epi32(a, b);
}

static inline vec_rows rows_min(vec_rows a, vec_rows b) {
    return _mm512_min_epi32(a, b);
}

/* row, row - 1, row - 2 ... */
static inline vec_rows rows_down(int32_t row) {
    const vec_rows places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_sub_epi32(rows_all(row), places);
}

#include "kernels/edit_template.h"
