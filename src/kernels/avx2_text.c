/*
 * Text with AVX2: canonical form, word hashes, where words are, fingerprints of word windows.
 *
 * English text has something to remove (", " or ". ") in every second block of 32 bytes, so bytes are moved
 * together without a branch, eight at a time, by shuffles looked up from the mask of what stays. The loops
 * are those of fold_template.h and text_template.h.
 */
#include "kernels/avx2_vector.h"
#include "kernels/set_bits.h"

static inline vec_map vec_tops(vec raw) {
    return (vec_map)_mm256_movemask_epi8(raw);
}

static inline vec_map vec_leads(vec raw) {
    return vec_tops(raw) & (vec_map)_mm256_movemask_epi8(_mm256_cmpgt_epi8(raw, vec_all8(0xBF)));
}

static inline vec fold_block(vec raw, vec_map *letters) {
    vec lower = _mm256_or_si256(raw, vec_all8(0x20)); /* leaves digits as they are */
    /* Moved to the top of the signed range, a range of bytes is one comparison. */
    vec letter = _mm256_cmpgt_epi8(_mm256_add_epi8(lower, vec_all8(127 - 'z')), vec_all8(127 - 26));
    vec digit = _mm256_cmpgt_epi8(_mm256_add_epi8(raw, vec_all8(127 - '9')), vec_all8(127 - 10));
    vec alnum = _mm256_or_si256(letter, digit);
    *letters = (vec_map)_mm256_movemask_epi8(alnum);
    return _mm256_blendv_epi8(vec_all8(' '), lower, alnum);
}

/* Bit 6 tells leading bytes from those that continue. */
static inline vec lower_latin(vec raw) {
    return _mm256_or_si256(raw, _mm256_srli_epi16(_mm256_andnot_si256(raw, vec_all8(0x40)), 1));
}

/* A byte of ones for each bit. */
static inline vec spread_bits(vec_map map) {
    const vec bit = _mm256_set1_epi64x((int64_t)0x8040201008040201),
              group = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    vec bits = vec_and(_mm256_shuffle_epi8(_mm256_set1_epi32((int)map), group), bit);
    return _mm256_cmpeq_epi8(bits, bit);
}

static inline vec mix_block(vec folded, vec raw, vec_map letters) {
    vec mixed = _mm256_blendv_epi8(folded, raw, raw); /* the top bit selects */
    return _mm256_blendv_epi8(vec_all8(' '), mixed, spread_bits(letters));
}

/* Store the bytes selected by keep, side by side; up to 32 bytes are written. */
static inline size_t store_kept(uint8_t *dst, __m256i bytes, uint32_t keep) {
    __m256i order = _mm256_set_epi64x((int64_t)set_bits[keep >> 24], (int64_t)set_bits[keep >> 16 & 255],
                                      (int64_t)set_bits[keep >> 8 & 255], (int64_t)set_bits[keep & 255]);
    const int64_t upper = 0x0808080808080808; /* every second group of eight is the upper half of a lane */
    __m256i packed =
        _mm256_shuffle_epi8(bytes, _mm256_or_si256(order, _mm256_set_epi64x(upper, 0, upper, 0)));
    __m128i first = _mm256_castsi256_si128(packed), second = _mm256_extracti128_si256(packed, 1);
    _mm_storel_epi64((__m128i *)dst, first);
    _mm_storeh_pi((__m64 *)(dst + _mm_popcnt_u32(keep & 0xff)), _mm_castsi128_ps(first));
    _mm_storel_epi64((__m128i *)(dst + _mm_popcnt_u32(keep & 0xffff)), second);
    _mm_storeh_pi((__m64 *)(dst + _mm_popcnt_u32(keep & 0xffffff)), _mm_castsi128_ps(second));
    return (size_t)_mm_popcnt_u32(keep);
}

/* As store_kept, with a space behind each byte selected by spaces. */
static inline size_t store_spaced(uint8_t *dst, __m256i bytes, uint32_t keep, uint32_t spaces) {
    const __m256i space = vec_all8(' ');
    __m256i kept = spread_bits(keep), spaced = spread_bits(spaces);
    __m256i low = _mm256_unpacklo_epi8(bytes, space), high = _mm256_unpackhi_epi8(bytes, space);
    __m256i low_kept = _mm256_unpacklo_epi8(kept, spaced), high_kept = _mm256_unpackhi_epi8(kept, spaced);
    size_t written =
        store_kept(dst, _mm256_permute2x128_si256(low, high, 0x20),
                   (uint32_t)_mm256_movemask_epi8(_mm256_permute2x128_si256(low_kept, high_kept, 0x20)));
    return written +
           store_kept(dst + written, _mm256_permute2x128_si256(low, high, 0x31),
                      (uint32_t)_mm256_movemask_epi8(_mm256_permute2x128_si256(low_kept, high_kept, 0x31)));
}

/* Append where the spaces of 64 bytes are, counted from the start of the block; returns how many. */
static inline size_t list_spaces(uint64_t spaces, size_t offset, uint16_t *ends) {
    const __m128i step = _mm_set1_epi16(8);
    __m128i base = _mm_set1_epi16((short)offset);
    size_t count = 0;
    for (size_t group = 0; group < 8; group++, spaces >>= 8) {
        __m128i at = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)&set_bits[spaces & 255]));
        _mm_storeu_si128((__m128i *)(ends + count), _mm_add_epi16(at, base));
        base = _mm_add_epi16(base, step);
        count += (size_t)_mm_popcnt_u64(spaces & 255);
    }
    return count;
}

static inline uint64_t find_spaces(const uint8_t *text) {
    const __m256i space = _mm256_set1_epi8(' ');
    __m256i low = _mm256_loadu_si256((const __m256i *)text),
            high = _mm256_loadu_si256((const __m256i *)(text + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, space)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, space)) << 32;
}

/* offset + 1 + the place of each bit; up to 8 more are written. Returns how many there are. */
static inline size_t list_behind(uint64_t spaces, size_t offset, uint32_t *out) {
    const __m256i step = _mm256_set1_epi32(8);
    __m256i base = _mm256_set1_epi32((int)(offset + 1));
    size_t count = 0;
    for (size_t group = 0; group < 8; group++, spaces >>= 8) {
        __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&set_bits[spaces & 255]));
        _mm256_storeu_si256((__m256i *)(out + count), _mm256_add_epi32(at, base));
        base = _mm256_add_epi32(base, step);
        count += (size_t)_mm_popcnt_u64(spaces & 255);
    }
    return count;
}

/* Sums that roll on are quicker: there is no instruction for products of 64 bits. */
static inline size_t combine_few(const uint64_t *tokens, size_t windows, size_t window,
                                 const struct mix_keys *keys, uint64_t *out) {
    (void)tokens, (void)windows, (void)window, (void)keys, (void)out;
    return 0;
}

#include "kernels/fold_template.h"
#include "kernels/text_template.h"
