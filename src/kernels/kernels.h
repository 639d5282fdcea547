/*
 * The hot loops, one table per instruction set, picked once at run time.
 *
 * generic.c is the obvious twin of every other version: the tests hold them together on random input.
 * Kernels neither allocate nor fail. Inputs may be read up to KERNEL_SLACK bytes past their end (never
 * used for a result); outputs may be written up to KERNEL_SLACK elements past what is returned.
 */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_SLACK 64

/* How a Rabin fingerprint of a byte window is made: tables that follow from polynomial and window. */
struct rabin_tables {
    uint64_t low;        /* the polynomial without its leading term */
    int degree;          /* 32 to 64 */
    int window;          /* bytes */
    uint64_t enter[256]; /* the byte that comes, times x^64 mod P: 64 zero bits are appended to the window */
    uint64_t shift[256]; /* a fingerprint's top byte, times x^degree mod P: what a shift by 8 pushes out */
    uint64_t leave[256]; /* the byte that leaves, times x^(64 + 8 window) mod P */

    /* For SIMD, windows up to RABIN_SIMD_WINDOW (rabin.c says why): eight bits per window, of which the
     * lowest k are zero just when those of the fingerprint are. Bits shared by all eight shifts come from a
     * convolution of the text with the taps; the rest, by nibble, from the window's first and last byte. */
    uint64_t taps[4];
    uint8_t edge[2][2][16]; /* [first, last byte][low, high nibble] */

    /* One fingerprint from scratch by carry-less multiplication; everything times x^(64 - degree), so that
     * the modulus has degree 64. */
    uint64_t weight[4]; /* of the window's 64-bit words, first byte highest: x^(8 window - 64 index) mod P */
    uint64_t quotient;  /* x^128 divided by the modulus, without its leading term: Barrett's constant */

    /* The three tables by nibble of the index and byte of the result, left-aligned in whole bytes. */
    _Alignas(16) uint8_t sliced_enter[2][8][16], sliced_shift[2][8][16], sliced_leave[2][8][16];
};
#define RABIN_SIMD_WINDOW 32

/* How tokens are hashed and combined (hash=mix); all numbers follow from the seed or key. */
struct mix_keys {
    uint64_t token[3];   /* token hash */
    uint64_t multiplier; /* rolling combination, 5 mod 8 */
    uint64_t leave;      /* multiplier^window */
    uint64_t finish;     /* xored in before the finaliser */
};

/* How windows of characters are hashed for signatures; all numbers follow from the seed. */
struct window_keys {
    uint64_t multiplier; /* rolling combination, 5 mod 8 */
    uint64_t leave;      /* multiplier^n */
    uint64_t finish;     /* xored in before the finaliser */
};
#define SIGN_WINDOW_MOST 64 /* characters of a window */

/* 64 bytes of a text. */
struct space_block {
    uint64_t spaces; /* a bit for each */
    uint64_t before; /* spaces in all the blocks before */
};

/* What multiplies by r in GF(2^128), the polynomials modulo x^128 + x^7 + x^2 + x + 1: bit i of two words,
 * the low one first, is the coefficient of x^i. */
#define HORNER_POWERS 16
struct horner_key {
    uint64_t powers[HORNER_POWERS][2]; /* r^16, r^15, ..., r */
    uint64_t nibbles[16][2];           /* r times each polynomial of degree below 4 */
};

/* Two texts whose edit distance is wanted (align/). Backward, they are read from their ends, to which a and b
 * then point. Unlike other inputs they are never read outside. */
struct edit_texts {
    const uint8_t *a, *b;
    int32_t a_size, b_size; /* symbols */
    int log_width;          /* a symbol is 1 << log_width bytes: 0 or 2 */
    bool backward;
};

/* Rows of the matrix of edit distances, 64 to a word: which of them each symbol equals. */
struct edit_rows {
    int words;      /* 1 to EDIT_WORDS */
    int lanes;      /* 1, or what the kernel has, of which words is a multiple */
    uint64_t above; /* the first rows are none: this many, whose place before the first row is filled up */
    const uint64_t *equal;   /* [symbol][edit_place(word)]; one symbol equals the rows that are none: */
    uint32_t pad;            /* its place in `equal` */
    const uint32_t *columns; /* the place in `equal` of each column's symbol */
};
#define EDIT_WORDS 16

/* A word hands down to the next: words that follow each other are in the same lane of vectors that do, so
 * that only the last vector hands to another lane. */
static inline uint32_t edit_place(uint32_t word, int words, int lanes) {
    uint32_t vectors = (uint32_t)(words / lanes);
    return word % vectors * (uint32_t)lanes + word / vectors;
}

/* The difference between a cell and its left neighbour: one bit says that it is not more, one that it is
 * less. */
enum { EDIT_UP = 0, EDIT_SAME = 1, EDIT_DOWN = 3 };

/* A string of symbols as rows of bits, `words` words each: one row per distinct symbol, with a bit for each
 * of the `count` > 0 places where it stands, such that the last place is the highest bit. Row 0 is
 * all zero. */
struct symbol_rows {
    const uint64_t *rows;
    size_t words, count;
};

/* Strings to compare it with: for each place the row of its symbol, as offset into rows, of all strings in
 * turn. What is behind the end of a string is 0, up to a multiple of SYMBOL_STEP. */
#define SYMBOL_LANES 4
#define SYMBOL_STEP  2
struct symbol_lanes {
    const uint32_t *offsets; /* [place * SYMBOL_LANES + lane] */
    size_t lengths[SYMBOL_LANES];
    size_t used; /* lanes */
};

/* The part of the table that is looked at: the cell of the i-th and the j-th symbol when j - i <= above and
 * i - j <= below. It holds the last cell of every string. */
struct symbol_band {
    size_t above, below;
};

#define SYMBOL_COUNTERS 64 /* a cache line */

/* What becomes of a character of running text (fold_text). */
enum run_kind {
    RUN_ENDS,    /* it may join its neighbours, vanish or change its size: no business of the kernel */
    RUN_BREAK,   /* it, and what is not UTF-8, ends a word and leaves nothing */
    RUN_LETTER,  /* part of a word */
    RUN_LETTERS, /* becomes several of them, of as many bytes */
    RUN_MARK,    /* part of what stands before it */
    RUN_SINGLE   /* a word of its own */
};

/* By code point: its effect is effects[stage2[stage1[cp >> 8] << 8 | (cp & 255)]], the kind above 24 bits
 * that are xored to the bytes of the character when it is written. What is commonest, and does not change,
 * can be told faster. */
struct run_chars {
    const uint8_t *stage1, *stage2;
    const uint32_t *effects;
    const uint64_t *letters; /* [cp >> 6], up to three bytes: bit cp & 63 of RUN_LETTER that is not ASCII */
    const uint8_t *rows;     /* [cp >> 6], two bytes: bit k when all those with (cp & 63) >> 3 == k are */
    unsigned ends; /* a bit for each kind that is not done; that of RUN_SINGLE: is not part of a word */
};

/* Where a letter stands in a run of text, and in its canonical text: from here on both advance byte by byte,
 * up to the end of the last word before the next break. */
struct fold_break {
    uint32_t source, folded;
};
struct fold_breaks {
    struct fold_break *list; /* room for FOLD_BREAKS_MOST(size) */
    size_t count;
};
#define FOLD_BREAKS_MOST(size) ((size) / 2 + 1)

#define OPEN_BINS_MOST 128
#define FILL_BINS      512

struct kernels {
    const char *name; /* "portable", "avx2", "avx512" */

    /* Canonical text of running text (case folded, anything but letters and digits one space), up to the
     * first character that is not done, or that the end cuts off. *gap tells whether a space is owed before
     * the next letter; *any whether a letter has been written before (no space is written at the very
     * beginning). Returns the bytes read; *written the bytes written (at most twice those read, and 1).
     * Unless NULL, breaks gets the first letter, and each where source and canonical text have advanced
     * differently since the last break; size is then below 4 GB. */
    size_t (*fold_text)(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                        size_t *written, bool *gap, bool *any, struct fold_breaks *breaks);

    /* Hashes of the complete words in canonical text (separated by single spaces): a word is complete when
     * a space follows it. Returns how many; *used is the offset behind the last space seen. */
    size_t (*hash_words)(const uint8_t *text, size_t size, const struct mix_keys *keys, uint64_t *out,
                         size_t *used);

    /* Spaces of a piece of text that begins `offset` bytes into the text, behind `before` others: its blocks,
     * and where in the text the byte behind each is. Returns how many. */
    size_t (*map_spaces)(const uint8_t *piece, size_t size, size_t offset, size_t before,
                         struct space_block *blocks, uint32_t *behind);

    /* Fingerprints of all windows of w token hashes: count - w + 1 of them (count >= w). */
    void (*combine)(const uint64_t *tokens, size_t count, size_t window, const struct mix_keys *keys,
                    uint64_t *out);

    /* Rabin fingerprints of all windows of `count` bytes (count >= window): count - window + 1 of them. */
    void (*rabin_all)(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t *out);

    /* Only those that are 0 mod n, in order of position. Returns how many (out has room for all). */
    size_t (*rabin_mod)(const struct rabin_tables *tables, const uint8_t *bytes, size_t count, uint64_t n,
                        uint64_t *out);

    /* Of the windows of n characters, from 1 to SIGN_WINDOW_MOST, that begin at the first `windows` of chars,
     * those whose hash is 0 under the mask: their places, ascending, and hashes. The hash is a polynomial in
     * the characters and half of mix64. Returns how many (there is room for all). */
    size_t (*sign_windows)(const struct window_keys *keys, const uint32_t *chars, size_t windows, size_t n,
                           uint64_t mask, uint32_t *places, uint64_t *hashes);

    /* Copy the values that are 0 mod n. */
    size_t (*filter_mod)(const uint64_t *values, size_t count, uint64_t n, uint64_t *out);

    /* Copy the values that are at most `limit`. */
    size_t (*filter_below)(const uint64_t *values, size_t count, uint64_t limit, uint64_t *out);

    /* One-permutation hashing: each value is mixed with seed, multiplied by `bins` (128 bits); the high half
     * names the bin, the low half is the candidate for its minimum. */
    void (*oph_update)(uint64_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);

    /* The same at less cost, for minima that are not stored: value ^ seed, its halves xored together, times
     * an odd constant; the product of the upper 32 bits and `bins` is a bin in the upper and a candidate in
     * the lower half. */
    void (*bin_minima)(uint32_t *minima, size_t bins, uint64_t seed, const uint64_t *values, size_t count);

    /* Values are mixed with seed (mix64) and thrown into bins as for oph_update. Copy, mixed, those that fall
     * into a bin whose bit in `filled` is not set; bins is at most OPEN_BINS_MOST. */
    size_t (*open_bins)(const uint64_t *values, size_t count, uint64_t seed, size_t bins,
                        const uint64_t filled[OPEN_BINS_MOST / 64], uint64_t *out);

    /* bin_minima of FILL_BINS bins, but only into those whose bit in `open` is set; then the bits of those
     * that were hit are cleared. */
    void (*fill_bins)(uint32_t minima[FILL_BINS], uint64_t open[FILL_BINS / 64], uint64_t seed,
                      const uint64_t *values, size_t count);

    /* Sketch_n: minima[i] = min over values of a[i]*lo32 + b[i]*hi32 + c[i] mod 2^64 (a, b 32-bit), its
     * halves swapped: neither product wraps, so the top bits alone would only project the values on a line,
     * and the n minima would be far from independent (6 to 25 times the variance).
     * `coefficients` is n triples of arrays: a[0..n), b[0..n), c[0..n). */
    void (*minhash_update)(uint64_t *minima, size_t n, const uint64_t *coefficients, const uint64_t *values,
                           size_t count);

    /* simhash: for each of 64 bits, add +1 or -1 per value after mixing with seed. */
    void (*simhash_update)(int64_t sums[64], uint64_t seed, const uint64_t *values, size_t count);

    /* Horner's rule over GF(2^128): sum = (sum + block) r for each of `count` blocks of 16 bytes, which are
     * little-endian. Nothing behind them is read. */
    void (*horner)(const struct horner_key *r, const uint8_t *blocks, size_t count, uint64_t sum[2]);

    /* Differing bits of two bit strings of `size` bytes. */
    uint64_t (*hamming)(const uint8_t *a, const uint8_t *b, size_t size);

    /* Bit strings by columns: word w of row i is the little-endian 64-bit word i of columns[w]. Indices
     * (ascending) of the rows that differ from the query in at most `most` bits. Returns how many. Nothing
     * behind the words is read. */
    size_t (*near_words)(const uint8_t *const *columns, size_t words, size_t count, const uint64_t *query,
                         uint32_t most, uint32_t *out);

    /* Of `count` b-bit fields packed into bytes (b = 1, 2, 4, 8, 16), how many agree. */
    uint64_t (*equal_fields)(const uint8_t *a, const uint8_t *b, size_t count, int bits);

    /* How many bytes agree from the beginning, or before the end. */
    size_t (*common_prefix)(const uint8_t *a, const uint8_t *b, size_t size);
    size_t (*common_suffix)(const uint8_t *a_end, const uint8_t *b_end, size_t size);

    /* With one edit more, the furthest row that each diagonal (column - row) from first to last reaches, from
     * those that it and its neighbours had reached. Returns the largest. */
    int32_t (*edit_wave)(const struct edit_texts *texts, const int32_t *from, int32_t *to, int32_t first,
                         int32_t last);

    /* Edit distances of some rows against `count` columns, as differences: edge[] has those along the row
     * above the first, and gets those along the last. On the left, each row is one more than
     * the one above. */
    void (*edit_rows)(const struct edit_rows *rows, uint8_t *edge, size_t count);
    int edit_words; /* words of rows that can be done at a time, best in multiples of */
    int edit_lanes; /* this */

    /* Levenshtein distances of one string to up to SYMBOL_LANES others, by Myers' columns of bits: the costs
     * of the cheapest ways inside the band, or less, but never less than the distance. `state` has room for
     * 2 * SYMBOL_LANES numbers per word of a row. */
    void (*symbol_columns)(const struct symbol_rows *rows, const struct symbol_lanes *lanes,
                           struct symbol_band band, uint64_t *state, uint64_t out[SYMBOL_LANES]);

    /* Of `count` vectors of SYMBOL_COUNTERS bytes, each with a size, the indices (ascending) of those for
     * which sum |counter - query's| + |size - query's| <= most. Returns how many. */
    size_t (*filter_counters)(const uint8_t *counters, const uint32_t *sizes, size_t count,
                              const uint8_t *query, uint32_t query_size, uint64_t most, uint32_t *out);
};

/* The best table this CPU can run (or what STEMMA_CPU asks for, if the CPU can run it). */
const struct kernels *kernels_get(void);

/* A table by name, NULL when this CPU or this build cannot run it: for tests and benchmarks. "avx2" is the
 * better of two on CPUs with VPCLMULQDQ; "avx2-plain" is the other, which calls itself "avx2", too. */
const struct kernels *kernels_named(const char *name);

#endif
