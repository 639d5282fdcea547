/*
 * The scalar half of the word kernels, shared by AVX2 and AVX-512: what a 64 x 64 bit multiplier does best.
 *
 * Words are hashed in blocks: vector code first lists where the spaces are, then one long loop without
 * unpredictable branches hashes the words between them.
 */
#ifndef KERNELS_WORDS_H
#define KERNELS_WORDS_H

#include "base/buf.h"
#include "kernels/generic.h"

#define WORD_BLOCK                                                                                           \
    2048 /* bytes of text whose spaces are listed at a time: fits 16-bit positions and the stack */
#define SHORT_WORD 16 /* longer words are left to token_hash */

/* What depends on the length of a short word only. */
struct short_words {
    uint64_t low[SHORT_WORD + 1],
        high[SHORT_WORD + 1];       /* which bits of the 16 bytes read belong to the word */
    uint64_t start[SHORT_WORD + 1]; /* the hash before the first byte */
};

static inline uint64_t low_bytes(size_t count) {
    return count >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * count) - 1;
}

static inline void short_words_init(struct short_words *table, const struct mix_keys *keys) {
    for (size_t size = 0; size <= SHORT_WORD; size++) {
        table->low[size] = low_bytes(size);
        table->high[size] = low_bytes(size < 8 ? 0 : size - 8);
        table->start[size] = keys->token[1] ^ size * keys->token[2];
    }
}

/* Hash the words that end at block[ends[0]], block[ends[1]], ...; the first begins at block[*begin] (perhaps
 * before the block), which moves behind the last space. Returns how many words there are. */
static size_t hash_spans(const uint8_t *block, ptrdiff_t *begin, const uint16_t *ends, size_t count,
                         const struct mix_keys *keys, const struct short_words *table, uint64_t *out) {
    const uint64_t key = keys->token[0];
    ptrdiff_t word = *begin;
    uint64_t *next = out;
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)(ends[i] - word);
        if (__builtin_expect(size - 1 < SHORT_WORD, 1)) {
            uint64_t low = (load_u64(block + word) & table->low[size]) ^ key;
            uint64_t high = (load_u64(block + word + 8) & table->high[size]) ^ table->start[size];
            unsigned __int128 product = (unsigned __int128)low * high;
            *next++ = (uint64_t)product ^ (uint64_t)(product >> 64);
        } else if (size > 0) { /* between two spaces there is no word */
            *next++ = token_hash(keys, block + word, size);
        }
        word = ends[i] + 1;
    }
    *begin = word;
    return (size_t)(next - out);
}

/* Windows are summed and mixed ROLL_BLOCK at a time: measured on Zen 3, blocks of 256 and more take half as
 * long again. A block is a multiple of ROLL_STEP: whole stripes, whole vectors. Few windows, and wide ones,
 * do not pay for starting stripes: the portable version takes them. */
#define ROLL_STRIPES 2
#define ROLL_STEP    8
#define ROLL_BLOCK   192
#define ROLL_LEAST   16
#define ROLL_WINDOW  64

/* Sums of ROLL_STRIPES times `stripe` windows. A sum waits for the multiplication of the one before, so that
 * stripes, each started from scratch, run side by side in the time of one. */
static inline void roll_stripes(const uint64_t *tokens, size_t stripe, size_t window,
                                const struct mix_keys *keys, uint64_t *out) {
    const uint64_t multiplier = keys->multiplier, leave = keys->leave;
    uint64_t sum[ROLL_STRIPES] = {0};
    for (size_t i = 0; i < window; i++)
        for (size_t s = 0; s < ROLL_STRIPES; s++) sum[s] = sum[s] * multiplier + tokens[s * stripe + i];
    for (size_t i = 0;; i++) {
        for (size_t s = 0; s < ROLL_STRIPES; s++) out[s * stripe + i] = sum[s];
        if (i + 1 == stripe) return;
        for (size_t s = 0; s < ROLL_STRIPES; s++) {
            const uint64_t *at = tokens + s * stripe + i;
            sum[s] = sum[s] * multiplier + (at[window] - at[0] * leave);
        }
    }
}

/* Fingerprints in blocks: sums, then finish(sums, count, keys->finish) applies mix64 to all of them. */
static inline void combine_blocks(const uint64_t *tokens, size_t count, size_t window,
                                  const struct mix_keys *keys, uint64_t *out,
                                  void (*finish)(uint64_t *, size_t, uint64_t)) {
    size_t windows = count - window + 1, done = 0;
    while (window <= ROLL_WINDOW && windows - done >= ROLL_LEAST) {
        size_t block = windows - done < ROLL_BLOCK ? windows - done : ROLL_BLOCK;
        block -= block % ROLL_STEP;
        roll_stripes(tokens + done, block / ROLL_STRIPES, window, keys, out + done);
        finish(out + done, block, keys->finish);
        done += block;
    }
    if (done < windows) generic_combine(tokens + done, count - done, window, keys, out + done);
}

#endif
