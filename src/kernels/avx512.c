/* AVX-512 kernels (with GFNI, VBMI2, VPOPCNTDQ); what has no version here uses the portable one. */
#include "kernels/avx512.h"

#include "kernels/avx2.h"
#include "kernels/tables.h"

const struct kernels kernels_avx512 = {
    .name = "avx512",
    .fold_text = avx512_fold_text,
    .hash_words = avx512_hash_words,
    .map_spaces = avx512_map_spaces,
    .combine = avx512_combine,
    .sign_windows = avx512_sign_windows,
    .rabin_all = avx2_rabin_all,
    .rabin_mod = avx512_rabin_mod,
    .filter_mod = avx512_filter_mod,
    .filter_below = avx512_filter_below,
    .oph_update = avx512_oph_update,
    .bin_minima = avx512_bin_minima,
    .open_bins = avx2_open_bins,
    .fill_bins = avx2_fill_bins,
    .minhash_update = avx512_minhash_update,
    .simhash_update = avx512_simhash_update,
    .horner = avx512_horner,
    .hamming = avx512_hamming,
    .near_words = avx512_near_words,
    .equal_fields = avx512_equal_fields,
    .symbol_columns = avx2_symbol_columns,
    .filter_counters = avx2_filter_counters,
    .common_prefix = avx512_common_prefix,
    .common_suffix = avx512_common_suffix,
    .edit_wave = avx512_edit_wave,
    .edit_rows = avx512_edit_rows,
    .edit_words = 16,
    .edit_lanes = 8,
};
