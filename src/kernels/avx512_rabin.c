/*
 * Rabin fingerprints of the sampled windows: the sampling bits of 64 windows at a time come from a
 * convolution (rabin_template.h), here four carry-less products per instruction.
 */
#include "kernels/avx512_vector.h"

#include "kernels/avx2.h"

#define WORDS_PRODUCT(a, b, halves) _mm512_clmulepi64_epi128((a), (b), (halves))

static inline vec vec_unpack_low(vec a, vec b) {
    return _mm512_unpacklo_epi64(a, b);
}

static inline vec vec_unpack_high(vec a, vec b) {
    return _mm512_unpackhi_epi64(a, b);
}

static inline vec words_from_2(vec a, vec b) {
    return _mm512_alignr_epi64(b, a, 2);
}

#define WORDS_FROM_4(a, b) _mm512_alignr_epi64((b), (a), 4)

#include "kernels/rabin_words.h"

#include "kernels/rabin_template.h"

size_t avx512_rabin_mod(const struct rabin_tables *t, const uint8_t *bytes, size_t count, uint64_t n,
                        uint64_t *out) {
    if (samples_by_low_byte(t, n))
        return mod_by_low_byte(t, bytes, count, n, out, find_candidates, avx2_rabin_exact);
    return avx2_rabin_mod(t, bytes, count, n, out);
}
