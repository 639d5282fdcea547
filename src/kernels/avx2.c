/* AVX2 and BMI2 kernels; what has no version here uses the portable one. */
#include "kernels/avx2.h"
#include "kernels/generic.h"
#include "kernels/tables.h"

const struct kernels kernels_avx2 = {
    .name = "avx2",
    .fold_ascii = avx2_fold_ascii,
    .hash_words = avx2_hash_words,
    .combine = avx2_combine,
    .rabin_all = generic_rabin_all,
    .rabin_mod = generic_rabin_mod,
    .filter_mod = generic_filter_mod,
    .filter_below = generic_filter_below,
    .oph_update = generic_oph_update,
    .minhash_update = generic_minhash_update,
    .simhash_update = generic_simhash_update,
    .hamming = generic_hamming,
    .equal_fields = generic_equal_fields,
};
