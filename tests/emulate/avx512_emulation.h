/*
 * AVX-512 intrinsics in portable C, so that the AVX-512 kernels are tested on machines without AVX-512.
 *
 * SIMDe does most of it; what SIMDe 0.7.4 lacks stands below as obvious loops.
 *
 * To have a kernel tested here:
 *  1. In src/kernels/avx512_*.c include "kernels/avx512_vector.h" or avx512.h first (they bring the
 * intrinsics), never <immintrin.h>. The sources are found by name; nothing is to be added to a
 * CMakeLists.txt.
 *  2. A function declared in kernels/avx512.h gets a line in the renaming list below, because the real one
 *     is linked into the same test program.
 *  3. A test includes "emulate/emulated.h" and, under #if STEMMA_EMULATED, compares
 *     kernels_avx512_emulated.<kernel> with generic_<kernel>.
 *  4. "implicit declaration of _mm512_..." when the tests are built: SIMDe lacks that intrinsic. Add a loop
 *     emulated_<name> below, written from Intel's description, with its #undef and #define (a later SIMDe may
 *     bring its own).
 */
#ifndef EMULATE_AVX512_EMULATION_H
#define EMULATE_AVX512_EMULATION_H

#define SIMDE_NO_NATIVE
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/clmul.h>
#include <simde/x86/gfni.h>

#include <string.h>

#define __mmask8  simde__mmask8
#define __mmask16 simde__mmask16
#define __mmask32 simde__mmask32
#define __mmask64 simde__mmask64

/* ---- renaming: one line per function of kernels/avx512.h ---- */

#define kernels_avx512        kernels_avx512_emulated
#define avx512_fold_text      emulated_fold_text
#define avx512_hash_words     emulated_hash_words
#define avx512_map_spaces     emulated_map_spaces
#define avx512_combine        emulated_combine
#define avx512_sign_windows   emulated_sign_windows
#define avx512_rabin_all      emulated_rabin_all
#define avx512_rabin_mod      emulated_rabin_mod
#define avx512_horner         emulated_horner
#define avx512_filter_mod     emulated_filter_mod
#define avx512_filter_below   emulated_filter_below
#define avx512_oph_update     emulated_oph_update
#define avx512_bin_minima     emulated_bin_minima
#define avx512_minhash_update emulated_minhash_update
#define avx512_simhash_update emulated_simhash_update
#define avx512_hamming        emulated_hamming
#define avx512_near_words     emulated_near_words
#define avx512_equal_fields   emulated_equal_fields
#define avx512_common_prefix  emulated_common_prefix
#define avx512_common_suffix  emulated_common_suffix
#define avx512_edit_wave      emulated_edit_wave
#define avx512_edit_rows      emulated_edit_rows

#include "emulated.h"

/* ---- a register as an array ---- */

struct lanes8 {
    uint8_t at[64];
};
struct lanes64 {
    uint64_t at[8];
};

static inline struct lanes8 lanes8_of(__m512i a) {
    struct lanes8 lanes;
    memcpy(&lanes, &a, sizeof lanes);
    return lanes;
}

static inline struct lanes64 lanes64_of(__m512i a) {
    struct lanes64 lanes;
    memcpy(&lanes, &a, sizeof lanes);
    return lanes;
}

static inline __m512i lanes8_to(struct lanes8 lanes) {
    __m512i a;
    memcpy(&a, &lanes, sizeof a);
    return a;
}

static inline __m512i lanes64_to(struct lanes64 lanes) {
    __m512i a;
    memcpy(&a, &lanes, sizeof a);
    return a;
}

/* ---- masked loads and stores: what the mask leaves out is not touched in memory ---- */

static inline __m512i emulated_mm512_maskz_loadu_epi8(__mmask64 mask, const void *from) {
    struct lanes8 r = {{0}};
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1) r.at[i] = ((const uint8_t *)from)[i];
    return lanes8_to(r);
}
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8 emulated_mm512_maskz_loadu_epi8

static inline __m512i emulated_mm512_cvtepu8_epi32(__m128i a) {
    uint8_t bytes[16];
    uint32_t lanes[16];
    __m512i r;
    memcpy(bytes, &a, sizeof bytes);
    for (int i = 0; i < 16; i++) lanes[i] = bytes[i];
    memcpy(&r, lanes, sizeof r);
    return r;
}
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32 emulated_mm512_cvtepu8_epi32

static inline __m512i emulated_mm512_mask_loadu_epi64(__m512i otherwise, __mmask8 mask, const void *from) {
    struct lanes64 r = lanes64_of(otherwise);
    for (int i = 0; i < 8; i++)
        if (mask >> i & 1) memcpy(&r.at[i], (const uint8_t *)from + 8 * i, 8);
    return lanes64_to(r);
}
#undef _mm512_mask_loadu_epi64
#define _mm512_mask_loadu_epi64 emulated_mm512_mask_loadu_epi64
#undef _mm512_maskz_loadu_epi64
#define _mm512_maskz_loadu_epi64(mask, from)                                                                 \
    emulated_mm512_mask_loadu_epi64(_mm512_setzero_si512(), (mask), (from))

static inline void emulated_mm512_mask_storeu_epi64(void *to, __mmask8 mask, __m512i a) {
    struct lanes64 lanes = lanes64_of(a);
    for (int i = 0; i < 8; i++)
        if (mask >> i & 1) memcpy((uint8_t *)to + 8 * i, &lanes.at[i], 8);
}
#undef _mm512_mask_storeu_epi64
#define _mm512_mask_storeu_epi64 emulated_mm512_mask_storeu_epi64

/* ---- gather and scatter ---- */

static inline __m512i emulated_mm512_i64gather_epi64(__m512i index, const void *base, int scale) {
    struct lanes64 at = lanes64_of(index), r;
    for (int i = 0; i < 8; i++) memcpy(&r.at[i], (const uint8_t *)base + (int64_t)at.at[i] * scale, 8);
    return lanes64_to(r);
}
#undef _mm512_i64gather_epi64
#define _mm512_i64gather_epi64 emulated_mm512_i64gather_epi64

static inline void emulated_mm512_mask_i64scatter_epi64(void *base, __mmask8 mask, __m512i index, __m512i a,
                                                        int scale) {
    struct lanes64 at = lanes64_of(index), lanes = lanes64_of(a);
    for (int i = 0; i < 8; i++)
        if (mask >> i & 1) memcpy((uint8_t *)base + (int64_t)at.at[i] * scale, &lanes.at[i], 8);
}
#undef _mm512_mask_i64scatter_epi64
#define _mm512_mask_i64scatter_epi64 emulated_mm512_mask_i64scatter_epi64
#undef _mm512_i64scatter_epi64
#define _mm512_i64scatter_epi64(base, index, a, scale)                                                       \
    emulated_mm512_mask_i64scatter_epi64((base), 0xff, (index), (a), (scale))

/* ---- compress and expand bytes (VBMI2) ---- */

static inline __m512i emulated_mm512_maskz_compress_epi8(__mmask64 mask, __m512i a) {
    struct lanes8 lanes = lanes8_of(a), r = {{0}};
    for (int i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) r.at[n++] = lanes.at[i];
    return lanes8_to(r);
}
#undef _mm512_maskz_compress_epi8
#define _mm512_maskz_compress_epi8 emulated_mm512_maskz_compress_epi8

static inline void emulated_mm512_mask_compressstoreu_epi8(void *to, __mmask64 mask, __m512i a) {
    struct lanes8 lanes = lanes8_of(a);
    uint8_t *out = to;
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1) *out++ = lanes.at[i];
}
#undef _mm512_mask_compressstoreu_epi8
#define _mm512_mask_compressstoreu_epi8 emulated_mm512_mask_compressstoreu_epi8

static inline __m512i emulated_mm512_maskz_expand_epi8(__mmask64 mask, __m512i a) {
    struct lanes8 lanes = lanes8_of(a), r = {{0}};
    for (int i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) r.at[i] = lanes.at[n++];
    return lanes8_to(r);
}
#undef _mm512_maskz_expand_epi8
#define _mm512_maskz_expand_epi8 emulated_mm512_maskz_expand_epi8

/* ---- comparisons to masks ---- */

#define EMULATED_COMPARE(name, lanes, count, operation)                                                      \
    static inline uint64_t emulated_##name(__m512i a, __m512i b) {                                           \
        struct lanes x = lanes##_of(a), y = lanes##_of(b);                                                   \
        uint64_t mask = 0;                                                                                   \
        for (int i = 0; i < count; i++)                                                                      \
            if (x.at[i] operation y.at[i]) mask |= UINT64_C(1) << i;                                         \
        return mask;                                                                                         \
    }

EMULATED_COMPARE(cmpneq_epi8, lanes8, 64, !=)
EMULATED_COMPARE(cmplt_epu64, lanes64, 8, <)
EMULATED_COMPARE(cmple_epu64, lanes64, 8, <=)
EMULATED_COMPARE(cmpgt_epu64, lanes64, 8, >)
EMULATED_COMPARE(cmpge_epu64, lanes64, 8, >=)
EMULATED_COMPARE(cmpneq_epi64, lanes64, 8, !=)
#undef _mm512_cmpneq_epi8_mask
#undef _mm512_cmpneq_epu8_mask
#undef _mm512_cmplt_epu64_mask
#undef _mm512_cmple_epu64_mask
#undef _mm512_cmpgt_epu64_mask
#undef _mm512_cmpge_epu64_mask
#undef _mm512_cmpneq_epi64_mask
#undef _mm512_cmpneq_epu64_mask
#define _mm512_cmpneq_epi8_mask(a, b)  ((__mmask64)emulated_cmpneq_epi8((a), (b)))
#define _mm512_cmpneq_epu8_mask(a, b)  ((__mmask64)emulated_cmpneq_epi8((a), (b)))
#define _mm512_cmplt_epu64_mask(a, b)  ((__mmask8)emulated_cmplt_epu64((a), (b)))
#define _mm512_cmple_epu64_mask(a, b)  ((__mmask8)emulated_cmple_epu64((a), (b)))
#define _mm512_cmpgt_epu64_mask(a, b)  ((__mmask8)emulated_cmpgt_epu64((a), (b)))
#define _mm512_cmpge_epu64_mask(a, b)  ((__mmask8)emulated_cmpge_epu64((a), (b)))
#define _mm512_cmpneq_epi64_mask(a, b) ((__mmask8)emulated_cmpneq_epi64((a), (b)))
#define _mm512_cmpneq_epu64_mask(a, b) ((__mmask8)emulated_cmpneq_epi64((a), (b)))
#undef _mm512_testn_epi8_mask
#define _mm512_testn_epi8_mask(a, b) ((__mmask64)~_mm512_test_epi8_mask((a), (b)))
#undef _mm512_cmpeq_epu64_mask
#define _mm512_cmpeq_epu64_mask _mm512_cmpeq_epi64_mask

static inline __mmask32 emulated_mm512_cmpeq_epi16_mask(__m512i a, __m512i b) {
    struct lanes8 x = lanes8_of(a), y = lanes8_of(b);
    __mmask32 mask = 0;
    for (int i = 0; i < 32; i++)
        if (!memcmp(&x.at[2 * i], &y.at[2 * i], 2)) mask |= UINT32_C(1) << i;
    return mask;
}
#undef _mm512_cmpeq_epi16_mask
#define _mm512_cmpeq_epi16_mask emulated_mm512_cmpeq_epi16_mask

/* ---- across lanes ---- */

static inline int64_t emulated_mm512_reduce_add_epi64(__m512i a) {
    struct lanes64 lanes = lanes64_of(a);
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum += lanes.at[i];
    return (int64_t)sum;
}
#undef _mm512_reduce_add_epi64
#define _mm512_reduce_add_epi64 emulated_mm512_reduce_add_epi64

static inline uint64_t emulated_mm512_reduce_min_epu64(__m512i a) {
    struct lanes64 lanes = lanes64_of(a);
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 8; i++)
        if (lanes.at[i] < least) least = lanes.at[i];
    return least;
}
#undef _mm512_reduce_min_epu64
#define _mm512_reduce_min_epu64 emulated_mm512_reduce_min_epu64

/* The eight lanes from `shift` on, of the sixteen that low and, behind it, high have. */
static inline __m512i emulated_mm512_alignr_epi64(__m512i high, __m512i low, int shift) {
    struct lanes64 h = lanes64_of(high), l = lanes64_of(low), r;
    for (int i = 0; i < 8; i++) {
        int from = i + (shift & 7);
        r.at[i] = from < 8 ? l.at[from] : h.at[from - 8];
    }
    return lanes64_to(r);
}
#undef _mm512_alignr_epi64
#define _mm512_alignr_epi64 emulated_mm512_alignr_epi64

/* The same within each 16 bytes. */
static inline __m512i emulated_mm512_alignr_epi8(__m512i high, __m512i low, int shift) {
    struct lanes8 h = lanes8_of(high), l = lanes8_of(low), r = {{0}};
    for (int i = 0; i < 64; i++) {
        int from = i % 16 + shift, base = i / 16 * 16;
        if (from < 16)
            r.at[i] = l.at[base + from];
        else if (from < 32)
            r.at[i] = h.at[base + from - 16];
    }
    return lanes8_to(r);
}
#undef _mm512_alignr_epi8
#define _mm512_alignr_epi8 emulated_mm512_alignr_epi8

static inline __m512i emulated_mm512_permutex_epi64(__m512i a, int order) {
    struct lanes64 lanes = lanes64_of(a), r;
    for (int i = 0; i < 8; i++) r.at[i] = lanes.at[i / 4 * 4 + (order >> i % 4 * 2 & 3)];
    return lanes64_to(r);
}
#undef _mm512_permutex_epi64
#define _mm512_permutex_epi64 emulated_mm512_permutex_epi64

/* The 32-bit numbers of each 16 bytes. */
static inline __m512i emulated_mm512_shuffle_epi32(__m512i a, int order) {
    struct lanes8 lanes = lanes8_of(a), r;
    for (int i = 0; i < 16; i++)
        memcpy(&r.at[4 * i], &lanes.at[i / 4 * 16 + (order >> i % 4 * 2 & 3) * 4], 4);
    return lanes8_to(r);
}
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32 emulated_mm512_shuffle_epi32

/* Two 128-bit lanes of a, then two of b. */
static inline __m512i emulated_mm512_shuffle_i64x2(__m512i a, __m512i b, int order) {
    struct lanes64 x = lanes64_of(a), y = lanes64_of(b), r;
    for (int i = 0; i < 4; i++) memcpy(&r.at[2 * i], &(i < 2 ? x : y).at[(order >> 2 * i & 3) * 2], 16);
    return lanes64_to(r);
}
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2 emulated_mm512_shuffle_i64x2

static inline __m512i emulated_mm512_lzcnt_epi64(__m512i a) {
    struct lanes64 r = lanes64_of(a);
    for (int i = 0; i < 8; i++) r.at[i] = r.at[i] ? (uint64_t)__builtin_clzll(r.at[i]) : 64;
    return lanes64_to(r);
}
#undef _mm512_lzcnt_epi64
#define _mm512_lzcnt_epi64 emulated_mm512_lzcnt_epi64

/* ---- widening ---- */

static inline __m512i emulated_mm512_zextsi128_si512(__m128i a) {
    struct lanes64 r = {{0}};
    memcpy(r.at, &a, sizeof a);
    return lanes64_to(r);
}
#undef _mm512_zextsi128_si512
#define _mm512_zextsi128_si512 emulated_mm512_zextsi128_si512

static inline __m512i emulated_mm512_cvtepu32_epi64(__m256i a) {
    uint32_t narrow[8];
    struct lanes64 r;
    memcpy(narrow, &a, sizeof narrow);
    for (int i = 0; i < 8; i++) r.at[i] = narrow[i];
    return lanes64_to(r);
}
#undef _mm512_cvtepu32_epi64
#define _mm512_cvtepu32_epi64 emulated_mm512_cvtepu32_epi64

static inline __m512i emulated_mm512_cvtepu8_epi16(__m256i a) {
    uint8_t narrow[32];
    struct lanes8 r = {{0}};
    memcpy(narrow, &a, sizeof narrow);
    for (int i = 0; i < 32; i++) r.at[2 * i] = narrow[i];
    return lanes8_to(r);
}
#undef _mm512_cvtepu8_epi16
#define _mm512_cvtepu8_epi16 emulated_mm512_cvtepu8_epi16

static inline __m512i emulated_mm512_cvtepu8_epi64(__m128i a) {
    uint8_t narrow[16];
    struct lanes64 r;
    memcpy(narrow, &a, sizeof narrow);
    for (int i = 0; i < 8; i++) r.at[i] = narrow[i];
    return lanes64_to(r);
}
#undef _mm512_cvtepu8_epi64
#define _mm512_cvtepu8_epi64 emulated_mm512_cvtepu8_epi64

/* ---- scalar bit manipulation (BMI2, LZCNT, POPCNT) ---- */

static inline uint64_t emulated_pext_u64(uint64_t a, uint64_t mask) {
    uint64_t r = 0;
    for (int i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) r |= (a >> i & 1) << n++;
    return r;
}

static inline uint64_t emulated_pdep_u64(uint64_t a, uint64_t mask) {
    uint64_t r = 0;
    for (int i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) r |= (a >> n++ & 1) << i;
    return r;
}

static inline uint64_t emulated_bzhi_u64(uint64_t a, unsigned bits) {
    return (bits & 0xff) < 64 ? a & ((UINT64_C(1) << (bits & 0xff)) - 1) : a;
}

static inline uint64_t emulated_tzcnt_u64(uint64_t a) {
    return a ? (uint64_t)__builtin_ctzll(a) : 64;
}

static inline uint64_t emulated_lzcnt_u64(uint64_t a) {
    return a ? (uint64_t)__builtin_clzll(a) : 64;
}

#define _pext_u64         emulated_pext_u64
#define _pdep_u64         emulated_pdep_u64
#define _bzhi_u64         emulated_bzhi_u64
#define _tzcnt_u64        emulated_tzcnt_u64
#define _lzcnt_u64        emulated_lzcnt_u64
#define _blsr_u64(a)      ((a) & ((a) - 1))
#define _mm_popcnt_u64    __builtin_popcountll
#define _cvtmask64_u64(a) ((uint64_t)(a))
#define _cvtu64_mask64(a) ((__mmask64)(a))

#endif
