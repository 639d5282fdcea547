/* AVX2 and BMI2 kernels; what has no version here uses the portable one. */
#include "kernels/avx2.h"
#include "kernels/tables.h"

const struct kernels kernels_avx2 = {
    .name = "avx2",
    .fold_ascii = avx2_fold_ascii,
    .hash_words = avx2_hash_words,
    .combine = avx2_combine,
    .rabin_all = avx2_rabin_all,
    .rabin_mod = avx2_rabin_mod,
    .filter_mod = avx2_filter_mod,
    .filter_below = avx2_filter_below,
    .oph_update = avx2_oph_update,
    .minhash_update = avx2_minhash_update,
    .simhash_update = avx2_simhash_update,
    .hamming = avx2_hamming,
    .equal_fields = avx2_equal_fields,
};
