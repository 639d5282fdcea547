/* Fingerprint and sketch kernels of every table that can run here, held against the portable ones on random
 * input that ends right before an unreadable page. */
#include "base/buf.h"
#include "base/rng.h"
#include "effort.h"
#include "emulate/emulated.h"
#include "kernels/generic.h"
#include "scan/identity.h"
#include "shingle/rabin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define MOST          20000 /* values or bytes in the longest test */

static const uint64_t divisors[] = {
    1,  2,  3,   4,   7,   8,    10,   16,      25,         48,
    64, 97, 100, 128, 256, 1000, 1024, 1 << 20, 4294967291, 18446744073709551557u};
static const uint64_t extremes[] = {0,         1, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63,
                                    UINT64_MAX};

/* ---- tables ---- */

static const struct kernels *tables_here[5];
static size_t table_count;

static void add_table(const struct kernels *table) {
    if (!table) return;
    tables_here[table_count++] = table;
    print_message("testing table %zu: %s\n", table_count, table->name);
}

static int list_tables(void **state) {
    (void)state;
    add_table(kernels_named("portable"));
    add_table(kernels_named("avx2-plain"));
    add_table(kernels_named("avx2"));
    add_table(kernels_named("avx512"));
#if STEMMA_EMULATED
    if (kernels_named("avx2")) add_table(&kernels_avx512_emulated); /* it uses AVX2 kernels, too */
#endif
    return 0;
}

/* ---- memory between two unreadable pages ---- */

struct fenced {
    uint8_t *map, *begin, *end;
    size_t mapped;
};

static struct fenced fence(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size + page - 1) / page * page;
    struct fenced f = {.mapped = inner + 2 * page};
    f.map = mmap(NULL, f.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.map != MAP_FAILED);
    f.begin = f.map + page;
    f.end = f.begin + inner;
    assert_int_equal(mprotect(f.begin, inner, PROT_READ | PROT_WRITE), 0);
    return f;
}

static void unfence(struct fenced *f) {
    assert_int_equal(munmap(f->map, f->mapped), 0);
}

/* A copy that begins behind one fence, or whose slack ends before the other. */
static void *at_fence(struct fenced *f, const void *from, size_t size, bool at_end) {
    uint8_t *to = at_end ? f->end - KERNEL_SLACK - size : f->begin;
    memcpy(to, from, size);
    return to;
}

static struct fenced text_fence, other_fence, out_fence;
static uint64_t expected[MOST + KERNEL_SLACK];

static int set_up(void **state) {
    text_fence = fence(MOST * 8 + KERNEL_SLACK);
    other_fence = fence(MOST * 8 + KERNEL_SLACK);
    out_fence = fence((MOST + KERNEL_SLACK) * 8);
    uint64_t random = 99;
    for (uint8_t *at = text_fence.begin; at < text_fence.end; at++) *at = (uint8_t)rng_next(&random);
    return list_tables(state);
}

static int tear_down(void **state) {
    (void)state;
    unfence(&text_fence);
    unfence(&other_fence);
    unfence(&out_fence);
    return 0;
}

/* Room for count values and the slack, right before the fence. */
static uint64_t *room_for(size_t count) {
    return (uint64_t *)out_fence.end - KERNEL_SLACK - count;
}

/* ---- Rabin ---- */

/* Random bytes with runs of zeros, whose fingerprints are multiples of everything. */
static void fill_text(uint8_t *text, size_t size, uint64_t *random) {
    for (size_t i = 0; i < size;) {
        size_t run = 1 + rng_below(random, 80);
        bool zero = rng_below(random, 3) == 0;
        for (; run > 0 && i < size; run--) text[i++] = zero ? 0 : (uint8_t)rng_next(random);
    }
}

static void check_rabin(const struct rabin_tables *tables, const uint8_t *source, size_t count, uint64_t n) {
    size_t windows = count - (size_t)tables->window + 1;
    for (size_t k = 0; k < table_count; k++) {
        const uint8_t *text = at_fence(&text_fence, source, count, (count + n) % 4 != 0);
        uint64_t *out = room_for(windows);
        tables_here[k]->rabin_all(tables, text, count, out);
        generic_rabin_all(tables, text, count, expected);
        assert_memory_equal(out, expected, windows * sizeof *out);
        size_t kept = tables_here[k]->rabin_mod(tables, text, count, n, out);
        assert_int_equal(kept, generic_rabin_mod(tables, text, count, n, expected));
        assert_memory_equal(out, expected, kept * sizeof *out);
    }
}

static void test_rabin_every_length(void **state) {
    (void)state;
    uint64_t random = 1;
    uint8_t text[300];
    for (int window = 1; window <= 64; window += window == 40 ? 24 : 1) {
        struct rabin_tables tables;
        rabin_init(&tables, 32 + (int)rng_below(&random, 33), (uint64_t)window, window);
        for (size_t count = (size_t)window; count <= sizeof text; count++) {
            fill_text(text, count, &random);
            check_rabin(&tables, text, count, divisors[rng_below(&random, LENGTH(divisors))]);
        }
    }
}

static void test_rabin_every_degree_and_divisor(void **state) {
    (void)state;
    uint64_t random = 2;
    uint8_t text[1200];
    for (int window = 1; window <= 64; window += window == 40 ? 24 : 3)
        for (int degree = 32; degree <= 64; degree++) {
            struct rabin_tables tables;
            rabin_init(&tables, degree, rng_next(&random), window);
            for (size_t i = 0; i < LENGTH(divisors); i++) {
                size_t count = (size_t)window + rng_below(&random, sizeof text - (size_t)window + 1);
                fill_text(text, count, &random);
                check_rabin(&tables, text, count, divisors[i]);
            }
        }
}

static void test_rabin_long_texts(void **state) {
    (void)state;
    static const int windows[] = {1, 8, 9, 16, 17, 20, 24, 25, 32, 33, 64, 256, 257, 1500};
    static uint8_t text[MOST];
    uint64_t random = 3;
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (int degree = 40; degree <= 64; degree += 8) {
            struct rabin_tables tables;
            rabin_init(&tables, degree, w, windows[w]);
            for (size_t i = 0; i < LENGTH(divisors); i += 3) {
                size_t count = 1500 + rng_below(&random, MOST - 1500);
                fill_text(text, count, &random);
                check_rabin(&tables, text, count, divisors[i]);
            }
        }
}

/* Multiples that are not 0, of numbers up to some above what residues are taken of. */
static void test_rabin_many_divisors(void **state) {
    (void)state;
    static uint8_t text[4000];
    uint64_t random = 11;
    for (size_t round = 0; round < effort(300); round++) {
        struct rabin_tables tables;
        rabin_init(&tables, 32 + (int)rng_below(&random, 33), rng_next(&random),
                   1 + (int)rng_below(&random, 60));
        uint64_t most = UINT64_C(1) << (4 + round % 12);
        uint64_t n = (1 + rng_below(&random, most)) << rng_below(&random, 5);
        for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)rng_next(&random);
        check_rabin(&tables, text, sizeof text - rng_below(&random, 300), n);
    }
}

/* ---- filters ---- */

/* Random values, multiples of n, and extremes. */
static void fill_values(uint64_t *values, size_t count, uint64_t n, uint64_t *random) {
    for (size_t i = 0; i < count; i++) {
        uint64_t any = rng_next(random);
        uint64_t kind = rng_below(random, 4);
        values[i] = kind == 0 ? extremes[any % LENGTH(extremes)] : kind == 1 ? any - any % n : any;
    }
}

static void check_filters(const uint64_t *source, size_t count, uint64_t n, uint64_t limit) {
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, n % 3 != 0);
        uint64_t *out = room_for(count);
        size_t kept = tables_here[k]->filter_mod(values, count, n, out);
        assert_int_equal(kept, generic_filter_mod(values, count, n, expected));
        assert_memory_equal(out, expected, kept * 8);
        kept = tables_here[k]->filter_below(values, count, limit, out);
        assert_int_equal(kept, generic_filter_below(values, count, limit, expected));
        assert_memory_equal(out, expected, kept * 8);
    }
}

static void test_filters(void **state) {
    (void)state;
    uint64_t random = 4, values[300];
    for (size_t count = 0; count <= LENGTH(values); count++)
        for (size_t i = 0; i < LENGTH(divisors); i++) {
            fill_values(values, count, divisors[i], &random);
            uint64_t limit = i < LENGTH(extremes) ? extremes[i] : rng_next(&random);
            check_filters(values, count, divisors[i], limit);
        }
}

/* ---- windows of characters ---- */

static void check_windows(const uint32_t *source, size_t windows, size_t n, uint64_t mask,
                          const struct window_keys *keys) {
    static uint32_t places[MOST + KERNEL_SLACK], made_places[MOST + KERNEL_SLACK];
    const size_t chars = windows ? windows + n - 1 : 0;
    const size_t count = generic_sign_windows(keys, source, windows, n, mask, places, expected);
    for (size_t t = 0; t < table_count; t++)
        for (int at_end = 0; at_end < 2; at_end++) {
            const uint32_t *in = at_fence(&text_fence, source, chars * sizeof *source, at_end);
            uint64_t *out = room_for(windows);
            assert_int_equal(tables_here[t]->sign_windows(keys, in, windows, n, mask, made_places, out),
                             count);
            if (count) assert_memory_equal(out, expected, count * sizeof *out);
            if (count) assert_memory_equal(made_places, places, count * sizeof *places);
        }
}

static void test_windows(void **state) {
    static uint32_t chars[MOST];
    uint64_t random = 21;
    (void)state;
    for (size_t round = 0; round < effort(2000); round++) {
        const size_t n = 1 + (round < 64 ? round : rng_below(&random, 64)),
                     windows = rng_below(&random, round % 50 ? 300 : MOST - 64);
        const struct window_keys keys = {rng_next(&random) | 1, rng_next(&random), rng_next(&random)};
        const uint32_t most = round % 3 ? 0x80 : 0x110100;
        for (size_t i = 0; i < windows + n; i++) chars[i] = (uint32_t)rng_below(&random, most);
        struct window_keys all = keys;
        all.leave = 1;
        for (size_t i = 0; i < n; i++) all.leave *= keys.multiplier;
        check_windows(chars, windows, n, (UINT64_C(1) << rng_below(&random, 9)) - 1, &all);
    }
}

/* ---- sketches ---- */

static void check_oph(const uint64_t *source, size_t count, size_t bins, uint64_t seed) {
    uint64_t wanted[1000];
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        uint64_t *minima = (uint64_t *)out_fence.end - bins;
        memset(wanted, 0xff, sizeof wanted);
        memset(minima, 0xff, bins * 8);
        for (int round = 0; round < 2; round++) { /* the second into minima that are there already */
            tables_here[k]->oph_update(minima, bins, seed + (uint64_t)round, values, count);
            generic_oph_update(wanted, bins, seed + (uint64_t)round, values, count);
            assert_memory_equal(minima, wanted, bins * 8);
        }
    }
}

static void test_oph(void **state) {
    (void)state;
    static const size_t bins[] = {1, 2, 3, 64, 100, 128, 1000};
    uint64_t random = 5, values[300];
    for (size_t count = 0; count <= LENGTH(values); count++)
        for (size_t i = 0; i < LENGTH(bins); i++) {
            fill_values(values, count, 1, &random);
            check_oph(values, count, bins[i], rng_next(&random));
        }
}

static void check_bins(const uint64_t *source, size_t count, size_t bins, uint64_t seed) {
    uint32_t wanted[1000];
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        uint32_t *minima = (uint32_t *)out_fence.end - bins;
        memset(wanted, 0xff, sizeof wanted);
        memset(minima, 0xff, bins * 4);
        for (int round = 0; round < 2; round++) { /* the second into minima that are there already */
            tables_here[k]->bin_minima(minima, bins, seed + (uint64_t)round, values, count);
            generic_bin_minima(wanted, bins, seed + (uint64_t)round, values, count);
            assert_memory_equal(minima, wanted, bins * 4);
        }
    }
}

/* Long ones, too, since minima limit what is looked at then. */
static void test_bins(void **state) {
    (void)state;
    static const size_t bins[] = {1, 2, 3, 64, 100, 128, 1000};
    uint64_t random = 6;
    static uint64_t values[9000];
    for (size_t count = 0; count <= LENGTH(values); count += count < 300 ? 1 : 613)
        for (size_t i = 0; i < LENGTH(bins); i++) {
            fill_values(values, count, 1, &random);
            check_bins(values, count, bins[i], rng_next(&random));
        }
}

/* Rounds until no bin is open, some of them from the beginning on. */
static void check_fill(const uint64_t *source, size_t count, uint64_t seed, uint64_t *random) {
    uint32_t wanted[FILL_BINS];
    uint64_t wanted_open[FILL_BINS / 64], first_open[FILL_BINS / 64];
    for (size_t w = 0; w < LENGTH(first_open); w++) first_open[w] = rng_next(random) | rng_next(random);
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        uint32_t *minima = (uint32_t *)out_fence.end - FILL_BINS;
        uint64_t *open = (uint64_t *)(other_fence.end - sizeof first_open);
        memset(wanted, 0xff, sizeof wanted);
        memset(minima, 0xff, sizeof wanted);
        memcpy(wanted_open, first_open, sizeof first_open);
        memcpy(open, first_open, sizeof first_open);
        for (uint64_t round = 0; round < 12; round++) {
            tables_here[k]->fill_bins(minima, open, seed + round, values, count);
            generic_fill_bins(wanted, wanted_open, seed + round, values, count);
            assert_memory_equal(minima, wanted, sizeof wanted);
            assert_memory_equal(open, wanted_open, sizeof wanted_open);
        }
    }
}

static void test_fill_bins(void **state) {
    (void)state;
    uint64_t random = 8;
    static uint64_t values[1200];
    for (size_t count = 0; count <= LENGTH(values); count += count < 70 ? 1 : 61) {
        fill_values(values, count, 1, &random);
        check_fill(values, count, rng_next(&random), &random);
    }
}

/* When all bins are open, a round is one of bin_minima. */
static void test_fill_all(void **state) {
    (void)state;
    uint64_t random = 9, values[300], open[FILL_BINS / 64];
    uint32_t filled[FILL_BINS], wanted[FILL_BINS];
    fill_values(values, LENGTH(values), 1, &random);
    memset(open, 0xff, sizeof open);
    memset(filled, 0xff, sizeof filled);
    memset(wanted, 0xff, sizeof wanted);
    generic_fill_bins(filled, open, 3, values, LENGTH(values));
    generic_bin_minima(wanted, FILL_BINS, 3, values, LENGTH(values));
    assert_memory_equal(filled, wanted, sizeof wanted);
    for (size_t i = 0; i < FILL_BINS; i++)
        assert_int_equal(open[i / 64] >> i % 64 & 1, wanted[i] == UINT32_MAX);
}

static void check_open(const uint64_t *source, size_t count, size_t bins, const uint64_t *filled,
                       uint64_t seed) {
    uint64_t wanted[300], out[300 + KERNEL_SLACK];
    size_t kept = generic_open_bins(source, count, seed, bins, filled, wanted);
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        assert_int_equal(tables_here[k]->open_bins(values, count, seed, bins, filled, out), kept);
        assert_memory_equal(out, wanted, kept * 8);
    }
}

/* mix64 backwards. */
static uint64_t unmix64(uint64_t x) {
    uint64_t inverse = MIX64_MULTIPLIER; /* right in its lowest 3 bits, then 6, 12, ... */
    for (int i = 0; i < 5; i++) inverse *= 2 - MIX64_MULTIPLIER * inverse;
    for (int i = 0; i < 2; i++) x = (x ^ x >> 32) * inverse;
    return x ^ x >> 32;
}

/* The last of each bin and the first of the next: only the low half of the product tells them apart. */
static void test_open_bins_edges(void **state) {
    (void)state;
    const uint64_t seed = 9, every = 0x5555555555555555, every_other[OPEN_BINS_MOST / 64] = {every, every};
    uint64_t values[2 * OPEN_BINS_MOST];
    for (uint64_t bins = 2; bins <= OPEN_BINS_MOST; bins++) {
        for (uint64_t bin = 1; bin < bins; bin++) {
            uint64_t first = (uint64_t)((((unsigned __int128)bin << 64) + bins - 1) / bins);
            values[2 * bin - 2] = unmix64(first - 1) ^ seed;
            values[2 * bin - 1] = unmix64(first) ^ seed;
        }
        assert_int_equal(mix64(unmix64(bins)), bins);
        check_open(values, 2 * bins - 2, bins, every_other, seed);
    }
}

static void test_open_bins(void **state) {
    (void)state;
    static const size_t bins[] = {1, 2, 3, 16, 64, 72, 104, 127, 128};
    uint64_t random = 7, values[300];
    for (size_t count = 0; count <= LENGTH(values); count++)
        for (size_t i = 0; i < LENGTH(bins); i++) {
            uint64_t filled[OPEN_BINS_MOST / 64];
            for (size_t k = 0; k < LENGTH(filled); k++)
                filled[k] = k % 2 ? rng_next(&random) : rng_next(&random) | rng_next(&random);
            fill_values(values, count, 1, &random);
            check_open(values, count, bins[i], filled, rng_next(&random));
        }
}

static void check_minhash(const uint64_t *source, size_t count, size_t n, const uint64_t *coefficients) {
    uint64_t wanted[200];
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        const uint64_t *fenced = at_fence(&other_fence, coefficients, 3 * n * 8, true);
        uint64_t *minima = (uint64_t *)out_fence.end - n;
        memset(wanted, 0xff, sizeof wanted);
        memset(minima, 0xff, n * 8);
        for (size_t half = 0; half < 2; half++) {
            size_t begin = half * (count / 2), size = half ? count - begin : count / 2;
            tables_here[k]->minhash_update(minima, n, fenced, values + begin, size);
            generic_minhash_update(wanted, n, fenced, values + begin, size);
        }
        assert_memory_equal(minima, wanted, n * 8);
    }
}

static void test_minhash(void **state) {
    (void)state;
    uint64_t random = 6, coefficients[600];
    static uint64_t values[2000];
    for (size_t n = 0; n <= 200; n += n < 40 ? 1 : 32) {
        for (size_t i = 0; i < 3 * n; i++) {
            coefficients[i] = i < 2 * n ? rng_next(&random) >> 32 : rng_next(&random);
            if (rng_below(&random, 10) == 0) coefficients[i] = i < 2 * n ? UINT32_MAX : UINT64_MAX;
        }
        for (size_t count = 0; count <= LENGTH(values); count += count < 20 ? 1 : 330) {
            fill_values(values, count, 1, &random);
            check_minhash(values, count, n, coefficients);
        }
    }
}

static void check_simhash(const uint64_t *source, size_t count, uint64_t seed) {
    int64_t wanted[64], sums[64];
    for (size_t k = 0; k < table_count; k++) {
        const uint64_t *values = at_fence(&text_fence, source, count * 8, true);
        for (int bit = 0; bit < 64; bit++) wanted[bit] = sums[bit] = bit - 1000;
        tables_here[k]->simhash_update(sums, seed, values, count);
        generic_simhash_update(wanted, seed, values, count);
        assert_memory_equal(sums, wanted, sizeof sums);
    }
}

static void test_simhash(void **state) {
    (void)state;
    static uint64_t values[MOST];
    uint64_t random = 7;
    for (size_t count = 0; count <= LENGTH(values); count += count < 300 ? 1 : 1231) {
        fill_values(values, count, 1, &random);
        check_simhash(values, count, rng_next(&random));
    }
    for (size_t i = 0; i < MOST; i++) values[i] = 0; /* every counter is at its highest or zero */
    check_simhash(values, MOST, 0);
    check_simhash(values, MOST, 12345);
}

/* More values than the vertical counters of one part hold; the values of one seed differ in all bits. */
static void test_simhash_of_very_many(void **state) {
    (void)state;
    const size_t count = effort_is_full() ? 600001 : 70001;
    struct fenced many = fence(count * 8 + KERNEL_SLACK);
    uint64_t *values = (uint64_t *)(many.end - KERNEL_SLACK) - count, random = 8;
    for (size_t i = 0; i < count; i++) values[i] = rng_below(&random, 2);
    int64_t wanted[64] = {0};
    generic_simhash_update(wanted, 9, values, count);
    for (size_t k = 0; k < table_count; k++) {
        int64_t sums[64] = {0};
        tables_here[k]->simhash_update(sums, 9, values, count);
        assert_memory_equal(sums, wanted, sizeof sums);
    }
    unfence(&many);
}

/* ---- polynomials over GF(2^128) ---- */

static void check_horner(const struct horner_key *r, const uint8_t *source, size_t count) {
    for (size_t k = 0; k < table_count; k++) {
        uint8_t *blocks = text_fence.end - 16 * count; /* no slack */
        memcpy(blocks, source, 16 * count);
        uint64_t wanted[2] = {k, count}, sum[2] = {k, count};
        tables_here[k]->horner(r, blocks, count, sum);
        generic_horner(r, blocks, count, wanted);
        assert_memory_equal(sum, wanted, sizeof sum);
    }
}

static void test_horner(void **state) {
    (void)state;
    static uint8_t text[MOST];
    uint64_t random = 12;
    for (size_t count = 0; count <= MOST / 16; count += count < 100 ? 1 : 37) {
        uint64_t point[2] = {rng_next(&random), rng_next(&random)};
        struct identity_key key;
        identity_key_set(&key, (const uint8_t *)point);
        fill_text(text, 16 * count, &random);
        check_horner(&key.point, text, count);
        memset(text, 0xff, 16 * count);
        check_horner(&key.point, text, count);
    }
}

/* ---- bit strings ---- */

/* Two strings that agree in about half of their bytes. */
static void fill_pair(uint8_t *a, uint8_t *b, size_t size, uint64_t *random) {
    for (size_t i = 0; i < size; i++) {
        a[i] = (uint8_t)rng_next(random);
        uint64_t kind = rng_below(random, 4);
        b[i] = kind < 2 ? a[i] : kind == 2 ? (uint8_t)(a[i] ^ 1 << rng_below(random, 8)) : (uint8_t)~a[i];
    }
}

static void check_pair(const uint8_t *a, const uint8_t *b, size_t size, bool at_end) {
    for (size_t k = 0; k < table_count; k++) {
        const uint8_t *x = at_fence(&text_fence, a, size, at_end),
                      *y = at_fence(&other_fence, b, size, at_end);
        assert_int_equal(tables_here[k]->hamming(x, y, size), generic_hamming(x, y, size));
        for (int bits = 1; bits <= 16; bits *= 2) {
            size_t most = size * 8 / (size_t)bits;
            for (size_t count = most; count + 8 > most && count <= most; count--)
                assert_int_equal(tables_here[k]->equal_fields(x, y, count, bits),
                                 generic_equal_fields(x, y, count, bits));
        }
    }
}

static void test_bit_strings(void **state) {
    (void)state;
    static uint8_t a[MOST], b[MOST];
    uint64_t random = 10;
    for (size_t size = 0; size <= MOST; size += size < 300 ? 1 : 2777)
        for (int round = 0; round < 4; round++) {
            fill_pair(a, b, size, &random);
            check_pair(a, b, size, round % 2);
        }
    memset(a, 0, MOST);
    memset(b, 0xff, MOST);
    check_pair(a, b, MOST, true);
}

/* ---- rows of words ---- */

enum { NEAR_WORDS_MOST = 40, NEAR_ROWS_MOST = 100 };

/* Rows at all distances from the query, of up to NEAR_WORDS_MOST words, each column in a place of its own. */
static void check_near_words(size_t words, size_t rows, uint64_t *random) {
    static uint8_t columns[NEAR_WORDS_MOST][8 * NEAR_ROWS_MOST + KERNEL_SLACK];
    const uint8_t *places[NEAR_WORDS_MOST];
    uint64_t query[NEAR_WORDS_MOST];
    uint32_t wanted[NEAR_ROWS_MOST + KERNEL_SLACK], got[NEAR_ROWS_MOST + KERNEL_SLACK];
    for (size_t w = 0; w < words; w++) {
        places[w] = columns[w];
        query[w] = rng_next(random);
        for (size_t row = 0; row < rows; row++) {
            uint64_t flips = rng_next(random);
            for (size_t i = row % 8; i; i--) flips &= rng_next(random);
            store_u64(columns[w] + 8 * row, row % 9 == 8 ? ~query[w] : query[w] ^ flips);
        }
    }
    for (uint32_t most = 0; most <= 64 * words; most += most < 40 ? 1 : 37) {
        size_t near = generic_near_words(places, words, rows, query, most, wanted);
        for (size_t k = 0; k < table_count; k++) {
            assert_int_equal(tables_here[k]->near_words(places, words, rows, query, most, got), near);
            assert_memory_equal(got, wanted, near * sizeof *got);
        }
    }
}

static void test_near_words(void **state) {
    (void)state;
    uint64_t random = 13;
    for (size_t words = 1; words <= NEAR_WORDS_MOST; words += words < 8 ? 1 : 5)
        for (size_t rows = 0; rows <= NEAR_ROWS_MOST; rows += rows < 40 ? 1 : 13)
            check_near_words(words, rows, &random);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rabin_every_length),
        cmocka_unit_test(test_rabin_every_degree_and_divisor),
        cmocka_unit_test(test_rabin_long_texts),
        cmocka_unit_test(test_rabin_many_divisors),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_oph),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_open_bins),
        cmocka_unit_test(test_open_bins_edges),
        cmocka_unit_test(test_fill_bins),
        cmocka_unit_test(test_fill_all),
        cmocka_unit_test(test_minhash),
        cmocka_unit_test(test_simhash),
        cmocka_unit_test(test_simhash_of_very_many),
        cmocka_unit_test(test_horner),
        cmocka_unit_test(test_bit_strings),
        cmocka_unit_test(test_near_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
