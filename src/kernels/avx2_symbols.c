/* Strings of symbols: columns of bits for four strings at once, and sums of differences of counters, which
 * have an instruction of their own. */
#include "kernels/avx2_vector.h"
#include "kernels/generic.h"

/* ---- columns: generic.c says what happens, here a lane is a string ---- */

/* The state has ~up instead of up, which saves the complements:
 * ((equal & up) + up) ^ up is (level - (equal & ~level)) ^ level for level = ~up. */
#define COLUMN 8 /* numbers of state in a word of four lanes: level, then down */

struct change {
    __m256i right, left; /* lowest bit: +1 and -1 */
};

static inline __m256i four_rows(const uint64_t *rows, const uint32_t *offsets) {
    return _mm256_setr_epi64x((long long)rows[offsets[0]], (long long)rows[offsets[1]],
                              (long long)rows[offsets[2]], (long long)rows[offsets[3]]);
}

static inline void column_words(__m256i equal, __m256i *level, __m256i *down, struct change *change) {
    __m256i any = _mm256_or_si256(equal, *down);
    equal = _mm256_or_si256(equal, change->left);
    __m256i diagonal = _mm256_sub_epi64(*level, _mm256_andnot_si256(*level, equal));
    diagonal = _mm256_or_si256(vec_xor(diagonal, *level), equal);
    __m256i right = _mm256_or_si256(*down, _mm256_andnot_si256(diagonal, *level));
    __m256i left = _mm256_andnot_si256(*level, diagonal);
    __m256i next_right = _mm256_or_si256(_mm256_add_epi64(right, right), change->right);
    __m256i next_left = _mm256_or_si256(_mm256_add_epi64(left, left), change->left);
    *level = _mm256_andnot_si256(next_left, _mm256_or_si256(any, next_right));
    *down = vec_and(next_right, any);
    *change = (struct change){_mm256_srli_epi64(right, 63), _mm256_srli_epi64(left, 63)};
}

/* Two words of four rows: half as many loads, and no moving of single words. */
static inline void four_rows_twice(const uint64_t *rows, const uint32_t *offsets, __m256i *first,
                                   __m256i *second) {
    __m128i row0 = _mm_loadu_si128((const __m128i *)(rows + offsets[0]));
    __m128i row1 = _mm_loadu_si128((const __m128i *)(rows + offsets[1]));
    __m128i row2 = _mm_loadu_si128((const __m128i *)(rows + offsets[2]));
    __m128i row3 = _mm_loadu_si128((const __m128i *)(rows + offsets[3]));
    __m256i even = _mm256_inserti128_si256(_mm256_castsi128_si256(row0), row2, 1);
    __m256i odd = _mm256_inserti128_si256(_mm256_castsi128_si256(row1), row3, 1);
    *first = _mm256_unpacklo_epi64(even, odd);
    *second = _mm256_unpackhi_epi64(even, odd);
}

static inline void two_words(const uint64_t *rows, const uint32_t *offsets, uint64_t *state,
                             struct change changes[SYMBOL_STEP]) {
    __m256i level = vec_load(state), down = vec_load(state + SYMBOL_LANES);
    __m256i next_level = vec_load(state + COLUMN), next_down = vec_load(state + COLUMN + SYMBOL_LANES);
    for (size_t c = 0; c < SYMBOL_STEP; c++) {
        __m256i equal, next_equal;
        four_rows_twice(rows, offsets + c * SYMBOL_LANES, &equal, &next_equal);
        column_words(equal, &level, &down, &changes[c]);
        column_words(next_equal, &next_level, &next_down, &changes[c]);
    }
    vec_store(state, level);
    vec_store(state + SYMBOL_LANES, down);
    vec_store(state + COLUMN, next_level);
    vec_store(state + COLUMN + SYMBOL_LANES, next_down);
}

static inline void one_word(const uint64_t *rows, const uint32_t *offsets, uint64_t *state,
                            struct change changes[SYMBOL_STEP]) {
    __m256i level = vec_load(state), down = vec_load(state + SYMBOL_LANES);
    for (size_t c = 0; c < SYMBOL_STEP; c++)
        column_words(four_rows(rows, offsets + c * SYMBOL_LANES), &level, &down, &changes[c]);
    vec_store(state, level);
    vec_store(state + SYMBOL_LANES, down);
}

/* Several columns together: the words of each are a chain, and one chain alone would
 * not keep the CPU busy. */
static inline void step_columns(const uint64_t *rows, const uint32_t *offsets, size_t begin, size_t end,
                                uint64_t *state, struct change changes[SYMBOL_STEP]) {
    struct change now[SYMBOL_STEP];
    size_t w = begin;
    for (size_t c = 0; c < SYMBOL_STEP; c++) now[c] = (struct change){vec_all64(1), vec_zero()};
    for (; w + 2 <= end; w += 2) two_words(rows + w, offsets, state + w * COLUMN, now);
    if (w < end) one_word(rows + w, offsets, state + w * COLUMN, now);
    for (size_t c = 0; c < SYMBOL_STEP; c++) changes[c] = now[c];
}

static inline __m256i add_change(__m256i cost, struct change change) {
    return _mm256_add_epi64(cost, _mm256_sub_epi64(change.right, change.left));
}

static void take_ended(const struct symbol_lanes *lanes, size_t length, __m256i cost,
                       uint64_t out[SYMBOL_LANES]) {
    uint64_t costs[SYMBOL_LANES];
    vec_store(costs, cost);
    for (size_t lane = 0; lane < SYMBOL_LANES; lane++)
        if (lanes->lengths[lane] == length) out[lane] = costs[lane];
}

/* Ends of lanes are rare: told beforehand, they cost nothing where there are none. */
static size_t next_end(const struct symbol_lanes *lanes, size_t after) {
    size_t next = SIZE_MAX;
    for (size_t lane = 0; lane < SYMBOL_LANES; lane++)
        if (lanes->lengths[lane] > after && lanes->lengths[lane] < next) next = lanes->lengths[lane];
    return next;
}

static void run_lanes(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                      struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]) {
    size_t end = 0, nothing = rows->words * 64 - rows->count, stop = next_end(lanes, 0);
    __m256i cost = vec_zero(); /* of the lowest row in use */
    for (size_t lane = 0; lane < SYMBOL_LANES; lane++) out[lane] = rows->count;
    for (size_t j = 0; stop != SIZE_MAX; j += SYMBOL_STEP) {
        for (; end < rows->words && end * 64 < nothing + j + SYMBOL_STEP + band.below; end++) {
            vec_store(state + end * COLUMN, vec_all64(end == 0 ? (UINT64_C(1) << nothing) - 1 : 0));
            vec_store(state + end * COLUMN + SYMBOL_LANES, vec_zero());
            cost = _mm256_add_epi64(cost, vec_all64(end == 0 ? 64 - nothing : 64));
        }
        size_t begin = nothing + j > band.above ? (nothing + j - band.above) / 64 : 0;
        struct change changes[SYMBOL_STEP];
        step_columns(rows->rows, lanes->offsets + j * SYMBOL_LANES, begin, end, state, changes);
        for (size_t c = 0; c < SYMBOL_STEP; c++) {
            cost = add_change(cost, changes[c]);
            if (stop != j + c + 1) continue;
            take_ended(lanes, stop, cost, out);
            stop = next_end(lanes, stop);
        }
    }
}

void avx2_symbol_columns(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                         struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]) {
    if (lanes->used == 1)
        generic_symbol_columns(rows, lanes, band, state, out);
    else
        run_lanes(rows, lanes, band, state, out);
}

/* ---- counters ---- */

static inline __m256i sum_of_differences(const uint8_t *counters, __m256i low, __m256i high) {
    return _mm256_add_epi64(_mm256_sad_epu8(vec_load(counters), low),
                            _mm256_sad_epu8(vec_load(counters + 32), high));
}

/* Sums of four vectors of counters, 32 bits each: they are far below 2^32,
 * so that two share a 64-bit lane. */
static inline __m128i four_sums(const uint8_t *counters, __m256i low, __m256i high) {
    __m256i s0 = sum_of_differences(counters, low, high);
    __m256i s1 = sum_of_differences(counters + SYMBOL_COUNTERS, low, high);
    __m256i s2 = sum_of_differences(counters + 2 * SYMBOL_COUNTERS, low, high);
    __m256i s3 = sum_of_differences(counters + 3 * SYMBOL_COUNTERS, low, high);
    __m256i first = _mm256_or_si256(s0, _mm256_slli_epi64(s1, 32));
    __m256i second = _mm256_or_si256(s2, _mm256_slli_epi64(s3, 32));
    __m256i sum =
        _mm256_add_epi32(_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
    return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

static inline __m128i four_differences(const uint32_t *sizes, __m128i size) {
    __m128i other = _mm_loadu_si128((const __m128i *)sizes);
    return _mm_sub_epi32(_mm_max_epu32(other, size), _mm_min_epu32(other, size));
}

/* What is above 2^31 is not summed but compared with what the counters leave: sums stay below 2^15. */
size_t avx2_filter_counters(const uint8_t *counters, const uint32_t *sizes, size_t count,
                            const uint8_t *query, uint32_t query_size, uint64_t most, uint32_t *out) {
    const __m256i low = vec_load(query), high = vec_load(query + 32);
    const __m128i size = _mm_set1_epi32((int)query_size);
    const __m128i limit = _mm_set1_epi32((int)(most < INT32_MAX ? most : INT32_MAX));
    size_t kept = 0, i = 0;
    for (; most < INT32_MAX && i + 4 <= count; i += 4) {
        __m128i room = _mm_sub_epi32(limit, four_sums(counters + i * SYMBOL_COUNTERS, low, high));
        __m128i gap = four_differences(sizes + i, size);
        __m128i fits = _mm_cmpeq_epi32(_mm_max_epu32(room, gap), room); /* room >= gap */
        fits = _mm_andnot_si128(_mm_srai_epi32(room, 31), fits);
        unsigned lanes = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(fits));
        for (; lanes; lanes &= lanes - 1) out[kept++] = (uint32_t)i + (uint32_t)__builtin_ctz(lanes);
    }
    size_t rest = generic_filter_counters(counters + i * SYMBOL_COUNTERS, sizes + i, count - i, query,
                                          query_size, most, out + kept);
    for (size_t k = 0; k < rest; k++) out[kept + k] += (uint32_t)i;
    return kept + rest;
}
