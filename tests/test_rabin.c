/* Rabin fingerprints: the polynomials, the tables, and how evenly they sample text. */
#include "effort.h"
#include "shingle/rabin.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rng.h"
#include "kernels/generic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- polynomials ---- */

/* Degree at most 20, with the leading term: the remainder by schoolbook division. */
static uint64_t remainder_of(uint64_t value, uint64_t divisor) {
    int divisor_degree = 63 - __builtin_clzll(divisor);
    for (int bit = 63; bit >= divisor_degree; bit--)
        if (value >> bit & 1) value ^= divisor << (bit - divisor_degree);
    return value;
}

static bool irreducible_by_trial(uint64_t polynomial, int degree) {
    for (uint64_t divisor = 2; divisor < UINT64_C(1) << (degree / 2 + 1); divisor++)
        if (remainder_of(polynomial, divisor) == 0) return false;
    return true;
}

static void test_irreducible_as_by_trial_division(void **state) {
    (void)state;
    for (int degree = 2; degree <= 11; degree++)
        for (uint64_t low = 0; low < UINT64_C(1) << degree; low++)
            assert_int_equal(rabin_irreducible(low, degree),
                             irreducible_by_trial(UINT64_C(1) << degree | low, degree));
}

static int moebius(int n) {
    int result = 1;
    for (int p = 2; p <= n; p++) {
        if (n % p != 0) continue;
        n /= p;
        if (n % p == 0) return 0;
        result = -result;
    }
    return result;
}

/* Gauss: (1/d) * sum over e | d of moebius(d/e) 2^e. */
static int64_t irreducible_count(int degree) {
    int64_t sum = 0;
    for (int e = 1; e <= degree; e++)
        if (degree % e == 0) sum += moebius(degree / e) * (INT64_C(1) << e);
    return sum / degree;
}

static void test_irreducible_counts(void **state) {
    (void)state;
    assert_int_equal(irreducible_count(8), 30);
    for (int degree = 2; degree <= 18; degree++) {
        int64_t found = 0;
        for (uint64_t low = 0; low < UINT64_C(1) << degree; low++) found += rabin_irreducible(low, degree);
        assert_int_equal(found, irreducible_count(degree));
    }
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t result = 0;
    for (int bit = 0; bit < 64; bit++)
        if (b >> bit & 1) result ^= a << bit;
    return result;
}

static void test_known_polynomials(void **state) {
    (void)state;
    assert_true(rabin_irreducible(0x1b, 8));         /* AES */
    assert_true(rabin_irreducible(0x1b, 64));        /* x^64 + x^4 + x^3 + x + 1 */
    assert_true(rabin_irreducible(0x04c11db7, 32));  /* CRC-32 */
    assert_false(rabin_irreducible(0x1edc6f41, 32)); /* CRC-32C has the factor x + 1 */
    assert_false(rabin_irreducible(1, 64));          /* (x + 1)^64 */
    assert_false(rabin_irreducible(0, 64));
    assert_false(rabin_irreducible(0x1a, 64));                         /* a multiple of x */
    uint64_t a = UINT64_C(1) << 31 | 0x9, b = UINT64_C(1) << 29 | 0x5; /* x^31+x^3+1, x^29+x^2+1 */
    assert_true(rabin_irreducible(0x9, 31));
    assert_true(rabin_irreducible(0x5, 29));
    assert_false(rabin_irreducible(product(a, b) ^ UINT64_C(1) << 60, 60));
    assert_false(rabin_irreducible(product(a, a) ^ UINT64_C(1) << 62, 62));
}

/* A product of two different irreducible polynomials of degree e divides x^(2^2e) - x:
 * only the gcd can tell. */
static void test_products_of_equal_degree(void **state) {
    (void)state;
    for (int degree = 16; degree <= 31; degree++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            uint64_t a = UINT64_C(1) << degree | rabin_find(degree, seed);
            uint64_t b = UINT64_C(1) << degree | rabin_find(degree, seed + 100);
            assert_false(rabin_irreducible(product(a, b) ^ UINT64_C(1) << 2 * degree, 2 * degree));
        }
}

static void test_find(void **state) {
    (void)state;
    for (int degree = 32; degree <= 64; degree++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            uint64_t low = rabin_find(degree, seed);
            int weight = __builtin_popcountll(low);
            assert_true(rabin_irreducible(low, degree));
            assert_int_equal(low & 1, 1);
            assert_true(degree == 64 || low >> degree == 0);
            assert_in_range(weight, (unsigned)(degree / 2 - degree / 8), (unsigned)(degree / 2 + degree / 8));
            assert_int_equal(low, rabin_find(degree, seed));
            assert_int_not_equal(low, rabin_find(degree, seed + 1000));
        }
}

/* ---- fingerprints ---- */

/* Long division a bit at a time: the bytes, then 64 zero bits, highest term first. */
static uint64_t divided(uint64_t low, int degree, const uint8_t *bytes, size_t size) {
    unsigned __int128 polynomial = (unsigned __int128)1 << degree | low, rest = 0;
    for (size_t bit = 0; bit < 8 * size + 64; bit++) {
        unsigned next = bit < 8 * size ? bytes[bit / 8] >> (7 - bit % 8) & 1u : 0;
        rest = rest << 1 | next;
        if (rest >> degree & 1) rest ^= polynomial;
    }
    return (uint64_t)rest;
}

static int stream_bit(const uint8_t *bytes, int index) {
    return bytes[index / 8] >> (7 - index % 8) & 1;
}

/* The sampling bits of a window, straight from their description. */
static uint8_t sampling_bits(const struct rabin_tables *tables, const uint8_t *bytes) {
    uint8_t y = tables->edge[0][0][bytes[0] & 15] ^ tables->edge[0][1][bytes[0] >> 4];
    uint8_t last = bytes[tables->window - 1];
    y ^= tables->edge[1][0][last & 15] ^ tables->edge[1][1][last >> 4];
    for (int m = 0; m < 8; m++)
        for (int q = 0; q <= 8 * tables->window - 8; q++) {
            int tap = tables->taps[q / 64] >> q % 64 & 1;
            y ^= (uint8_t)((stream_bit(bytes, 7 - m + q) & tap) << m);
        }
    return y;
}

/* Bit k of the fingerprint is the sum of low_(k-m) y_m: the low byte of a product. */
static uint8_t low_byte(const struct rabin_tables *tables, const uint8_t *bytes) {
    return (uint8_t)product(tables->low & 255, sampling_bits(tables, bytes));
}

static void check_window(int degree, int window) {
    struct rabin_tables tables;
    rabin_init(&tables, degree, (uint64_t)degree * 100 + (uint64_t)window, window);
    uint8_t bytes[100];
    uint64_t state = (uint64_t)degree, slid[100];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rng_next(&state);
    generic_rabin_all(&tables, bytes, sizeof bytes, slid);
    for (size_t i = 0; i + (size_t)window <= sizeof bytes; i++) {
        assert_int_equal(slid[i], divided(tables.low, degree, bytes + i, (size_t)window));
        assert_int_equal(slid[i], rabin_of(&tables, bytes + i, (size_t)window));
        if (window <= RABIN_SIMD_WINDOW) assert_int_equal(low_byte(&tables, bytes + i), slid[i] & 255);
    }
}

static void test_slide_scratch_and_division_agree(void **state) {
    (void)state;
    for (int degree = 32; degree <= 64; degree++)
        for (int window = 1; window <= 64; window += (int)effort_step()) check_window(degree, window);
}

static void test_sizes_from_scratch(void **state) {
    (void)state;
    struct rabin_tables tables;
    rabin_init(&tables, 64, 1, 20);
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    for (size_t size = 0; size <= sizeof bytes; size++)
        assert_int_equal(rabin_of(&tables, bytes, size), divided(tables.low, 64, bytes, size));
}

/* Recipes depend on these for ever; checked once by a program that shares no code with this one. */
static void test_pinned(void **state) {
    (void)state;
    static const struct {
        int degree;
        uint64_t seed, low, print;
    } pinned[] = {
        {32, 0, 0x000000002c829abf, 0x000000009f2f7a65}, {32, 1, 0x000000000c43407d, 0x0000000090165f46},
        {48, 0, 0x000053cb9f0c747f, 0x00002b3fac91177b}, {48, 1, 0x0000e9a6100461ed, 0x000011314d89a14a},
        {61, 0, 0x10c43407fc177b6f, 0x0141776587fb1fb6}, {61, 1, 0x03f0820c67de60d5, 0x09411a02f111641d},
        {64, 0, 0xe255b237b8bb18fb, 0xba922dc195bbea4a}, {64, 1, 0xfd845ef300ce2d0b, 0x05306230ec1a362e},
    };
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        struct rabin_tables tables;
        rabin_init(&tables, pinned[i].degree, pinned[i].seed, 20);
        assert_int_equal(tables.low, pinned[i].low);
        assert_int_equal(rabin_of(&tables, (const uint8_t *)"the quick brown fox jumps", 25),
                         pinned[i].print);
    }
}

/* ---- dispersion: sampled windows of text are as many, and as unevenly spread, as chance would have it ----
 */

#define WINDOW    20
#define TEXT_SIZE ((size_t)1 << 20)

struct sample_text {
    struct buf text;
    size_t windows;
    size_t block; /* windows per block: several hundred blocks keep the measured variance itself steady */
    bool *fresh;  /* per window: the first of its kind, because sets count each once */
    uint64_t *prints;
};

/* A word of letters as frequent as in English, the same for the same rank. */
static void add_word(struct buf *text, uint64_t rank) {
    static const char letters[] = "etaoinshrdlcumwfgypbvkjxqz";
    uint64_t state = rank;
    size_t length = 1 + rng_below(&state, 4) + (rank > 100 ? rng_below(&state, 7) : 0);
    for (size_t i = 0; i < length; i++) {
        double u = rng_unit(&state);
        assert_true(buf_add_byte(text, (uint8_t)letters[(size_t)(26 * u * u)]));
    }
}

/* Zipf's law over 30,000 words; each word makes one of a few followers more likely. */
static void add_generated_text(struct buf *text, size_t size) {
    uint64_t state = 42, previous = 0;
    while (text->len < size) {
        uint64_t rank = (uint64_t)__builtin_exp(rng_unit(&state) * 10.3);
        if (rng_below(&state, 3) == 0) rank = (previous * 31 + rng_below(&state, 4)) % 30000;
        add_word(text, rank);
        assert_true(buf_add_string(text, rng_below(&state, 12) ? " " : rng_below(&state, 3) ? ", " : ".\n"));
        previous = rank;
    }
}

static void add_file(struct buf *text, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return;
    uint8_t chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) assert_true(buf_add(text, chunk, got));
    fclose(file);
}

static void mark_fresh(struct sample_text *sample) {
    size_t slots = (size_t)1 << 22;
    uint64_t *seen = mem_zero(slots, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < sample->windows; i++) {
        const uint8_t *at = sample->text.data + i;
        uint64_t hash = mix64(mix64(mix64(load_u64(at)) + load_u64(at + 8)) + load_u32(at + 16)) | 1;
        size_t slot = hash >> 42;
        while (seen[slot] && seen[slot] != hash) slot = (slot + 1) % slots;
        sample->fresh[i] = !seen[slot];
        seen[slot] = hash;
    }
    mem_free(seen);
}

static void prepare_sample(struct sample_text *sample) {
    sample->windows = sample->text.len - WINDOW + 1;
    sample->fresh = mem_zero(sample->windows, sizeof *sample->fresh);
    sample->prints = mem_zero(sample->windows, sizeof *sample->prints);
    assert_non_null(sample->fresh);
    assert_non_null(sample->prints);
    mark_fresh(sample);
}

static void release_sample(struct sample_text *sample) {
    buf_release(&sample->text);
    mem_free(sample->fresh);
    mem_free(sample->prints);
}

/* Mean squared deviation of the blocks' counts from the expected, over the binomial variance. */
static double dispersion(const struct sample_text *sample, uint64_t n) {
    double deviation = 0, binomial = 0, rate = 1 / (double)n;
    for (size_t begin = 0; begin < sample->windows; begin += sample->block) {
        size_t end = begin + sample->block < sample->windows ? begin + sample->block : sample->windows;
        uint64_t size = 0, sampled = 0;
        for (size_t i = begin; i < end; i++) {
            size += sample->fresh[i];
            sampled += sample->fresh[i] && sample->prints[i] % n == 0;
        }
        double difference = (double)sampled - (double)size * rate;
        deviation += difference * difference;
        binomial += (double)size * rate * (1 - rate);
    }
    return deviation / binomial;
}

static const uint64_t tried_n[] = {16, 32, 64, 128, 256, 10, 25, 97, 100};

static void check_dispersion(struct sample_text *sample, int degree, uint64_t seeds) {
    double worst_power = 0, worst_other = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct rabin_tables tables;
        rabin_init(&tables, degree, seed, WINDOW);
        generic_rabin_all(&tables, sample->text.data, sample->text.len, sample->prints);
        for (size_t i = 0; i < sizeof tried_n / sizeof *tried_n; i++) {
            bool is_power = (tried_n[i] & (tried_n[i] - 1)) == 0;
            double *worst = is_power ? &worst_power : &worst_other;
            double found = dispersion(sample, tried_n[i]);
            if (found > *worst) *worst = found;
        }
    }
    print_message("degree %d, %zu windows: at most %.2f (powers of two), %.2f (others) times binomial\n",
                  degree, sample->windows, worst_power, worst_other);
    assert_true(worst_power <= 1.3);
    assert_true(worst_other <= 2);
}

static void test_dispersion_on_generated_text(void **state) {
    (void)state;
    struct sample_text sample = {.block = 2048};
    add_generated_text(&sample.text, TEXT_SIZE);
    prepare_sample(&sample);
    check_dispersion(&sample, 64, effort(40));
    check_dispersion(&sample, 48, effort(10));
    check_dispersion(&sample, 32, effort(10));
    release_sample(&sample);
}

static void test_dispersion_on_licences(void **state) {
    (void)state;
    static const char *const names[] = {"Apache-2.0", "Artistic", "CC0-1.0", "GFDL-1.2",
                                        "GFDL-1.3",   "GPL-1",    "GPL-2",   "GPL-3",
                                        "LGPL-2.1",   "LGPL-3",   "MPL-1.1", "MPL-2.0"};
    struct sample_text sample = {.block = 256};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        snprintf(path, sizeof path, "/usr/share/common-licenses/%s", names[i]);
        add_file(&sample.text, path);
    }
    if (sample.text.len < 100000) {
        buf_release(&sample.text);
        skip();
    }
    prepare_sample(&sample);
    check_dispersion(&sample, 64, effort(40));
    release_sample(&sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_irreducible_as_by_trial_division),
        cmocka_unit_test(test_irreducible_counts),
        cmocka_unit_test(test_known_polynomials),
        cmocka_unit_test(test_products_of_equal_degree),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_slide_scratch_and_division_agree),
        cmocka_unit_test(test_sizes_from_scratch),
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_dispersion_on_generated_text),
        cmocka_unit_test(test_dispersion_on_licences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
