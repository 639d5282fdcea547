/* The tables of AVX2 and BMI2 kernels, which differ in how they multiply without carries. */
#include "kernels/avx2.h"
#include "kernels/tables.h"

#define TABLE(products)                                                                                      \
    {                                                                                                        \
        .name = "avx2",                                                                                      \
        .fold_text = avx2_fold_text,                                                                         \
        .hash_words = avx2_hash_words,                                                                       \
        .map_spaces = avx2_map_spaces,                                                                       \
        .combine = avx2_combine,                                                                             \
        .sign_windows = avx2_sign_windows,                                                                   \
        .rabin_all = avx2_rabin_all,                                                                         \
        .rabin_mod = products##_rabin_mod,                                                                   \
        .horner = products##_horner,                                                                         \
        .filter_mod = avx2_filter_mod,                                                                       \
        .filter_below = avx2_filter_below,                                                                   \
        .oph_update = avx2_oph_update,                                                                       \
        .bin_minima = avx2_bin_minima,                                                                       \
        .open_bins = avx2_open_bins,                                                                         \
        .fill_bins = avx2_fill_bins,                                                                         \
        .minhash_update = avx2_minhash_update,                                                               \
        .simhash_update = avx2_simhash_update,                                                               \
        .hamming = avx2_hamming,                                                                             \
        .near_words = avx2_near_words,                                                                       \
        .equal_fields = avx2_equal_fields,                                                                   \
        .symbol_columns = avx2_symbol_columns,                                                               \
        .filter_counters = avx2_filter_counters,                                                             \
        .common_prefix = avx2_common_prefix,                                                                 \
        .common_suffix = avx2_common_suffix,                                                                 \
        .edit_wave = avx2_edit_wave,                                                                         \
        .edit_rows = avx2_edit_rows,                                                                         \
        .edit_words = 12,                                                                                    \
        .edit_lanes = 4,                                                                                     \
    }

const struct kernels kernels_avx2 = TABLE(avx2);
const struct kernels kernels_avx2_clmul = TABLE(avx2_clmul);
