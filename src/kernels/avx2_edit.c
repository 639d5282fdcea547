/* Edit distances, 32 bytes at a time: edit_template.h. */
#include "kernels/avx2_vector.h"

#include "kernels/generic.h"

/* ---- what the template expects ---- */

#define EDIT_VECTORS 3 /* four do not fit the registers */
#define VEC_ROWS     8
typedef __m256i vec_rows;

static inline vec vec_or(vec a, vec b) {
    return _mm256_or_si256(a, b);
}

static inline vec vec_and_not(vec a, vec b) {
    return _mm256_andnot_si256(a, b);
}

static inline vec vec_add64(vec a, vec b) {
    return _mm256_add_epi64(a, b);
}

static inline vec vec_top(vec a) {
    return _mm256_srli_epi64(a, 63);
}

/* Shifted by one, with the top bit of another below: comparing and subtracting, because few ports shift. */
static inline vec vec_shift_in(vec a, vec below) {
    return _mm256_sub_epi64(_mm256_add_epi64(a, a), _mm256_cmpgt_epi64(vec_zero(), below));
}

static inline vec vec_enter_lane(unsigned bit, vec a) {
    static const _Alignas(16) uint64_t before[2][2] = {{0, 0}, {0, UINT64_C(1) << 63}};
    __m128i entering = _mm_load_si128((const __m128i *)before[bit]);
    return _mm256_alignr_epi8(
        a, _mm256_inserti128_si256(_mm256_castsi128_si256(entering), _mm256_castsi256_si128(a), 1), 8);
}

static inline uint8_t vec_top_bits(vec first, vec second) {
    vec last = _mm256_unpackhi_epi64(first, second);
    return (uint8_t)(_mm256_movemask_pd(_mm256_castsi256_pd(last)) >> 2);
}

static inline vec_map vec_equal_bytes(vec a, vec b) {
    return (vec_map)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b));
}

/* Lane i from the column i times `skew` places before. */
static inline vec vec_skewed(const uint64_t *equal, const uint32_t *columns, int skew) {
    vec lanes = vec_load(equal + columns[0]);
    lanes = _mm256_blend_epi32(lanes, vec_load(equal + columns[-skew]), 0x0c);
    lanes = _mm256_blend_epi32(lanes, vec_load(equal + columns[-2 * skew]), 0x30);
    return _mm256_blend_epi32(lanes, vec_load(equal + columns[-3 * skew]), 0xc0);
}

static inline vec_rows rows_load(const int32_t *rows) {
    return _mm256_loadu_si256((const __m256i *)rows);
}

static inline void rows_store(int32_t *rows, vec_rows a) {
    _mm256_storeu_si256((__m256i *)rows, a);
}

static inline vec_rows rows_all(int32_t row) {
    return _mm256_set1_epi32(row);
}

static inline vec_rows rows_add(vec_rows a, vec_rows b) {
    return _mm256_add_epi32(a, b);
}

static inline vec_rows rows_max(vec_rows a, vec_rows b) {
    return _mm256_max_epi32(a, b);
}

static inline vec_rows rows_min(vec_rows a, vec_rows b) {
    return _mm256_min_epi32(a, b);
}

/* row, row - 1, row - 2 ... */
static inline vec_rows rows_down(int32_t row) {
    return _mm256_sub_epi32(rows_all(row), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#include "kernels/edit_template.h"
