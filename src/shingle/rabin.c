/*
 * Finding irreducible polynomials over GF(2), and the tables that make fingerprints a few lookups a byte.
 *
 * A polynomial of degree below d is the bits of a number; P = x^d + low, with the leading term left out
 * because it does not fit for d = 64. Irreducibility is Rabin's test: P divides x^(2^d) - x, and has no
 * factor in common with x^(2^(d/p)) - x for any prime p that divides d. Squaring is linear over GF(2), so
 * the squares of the d powers of x are all it needs.
 */
#include "shingle/rabin.h"

#include "base/rng.h"

#include <string.h>

typedef unsigned __int128 wide; /* room for P with its leading term */

static uint64_t times_x(uint64_t value, uint64_t low, int degree) {
    uint64_t overflow = value >> (degree - 1) & 1;
    uint64_t mask = UINT64_MAX >> (64 - degree);
    return (value << 1 & mask) ^ (low & -overflow);
}

static uint64_t times_x_power(uint64_t value, size_t power, uint64_t low, int degree) {
    while (power--) value = times_x(value, low, degree);
    return value;
}

/* The square of a sum is the sum of the squares. */
static uint64_t square(uint64_t value, const uint64_t squares[64]) {
    uint64_t result = 0;
    for (; value; value &= value - 1) result ^= squares[__builtin_ctzll(value)];
    return result;
}

static int wide_degree(wide value) {
    uint64_t high = (uint64_t)(value >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

static bool coprime(wide a, wide b) {
    while (b) {
        for (int excess; a && (excess = wide_degree(a) - wide_degree(b)) >= 0;) a ^= b << excess;
        wide remainder = a;
        a = b;
        b = remainder;
    }
    return a == 1;
}

/* Whether step = degree / p for a prime p. */
static bool is_maximal_divisor(int step, int degree) {
    if (degree % step != 0 || step == degree) return false;
    int cofactor = degree / step;
    for (int p = 2; p * p <= cofactor; p++)
        if (cofactor % p == 0) return false;
    return true;
}

bool rabin_irreducible(uint64_t low, int degree) {
    uint64_t squares[64] = {1};
    for (int i = 1; i < degree; i++) squares[i] = times_x_power(squares[i - 1], 2, low, degree);

    const wide polynomial = (wide)1 << degree | low;
    const uint64_t x = 2;
    uint64_t power = x; /* x^(2^step) */
    for (int step = 1; step <= degree; step++) {
        power = square(power, squares);
        if (is_maximal_divisor(step, degree) && !coprime(polynomial, power ^ x)) return false;
    }
    return power == x;
}

/* Multiples of x and of x + 1 and the sparse are left out before the costly test. */
static bool is_promising(uint64_t low, int degree) {
    int weight = __builtin_popcountll(low);
    int excess = weight - degree / 2;
    return (low & 1) && weight % 2 == 0 && excess >= -degree / 8 && excess <= degree / 8;
}

uint64_t rabin_find(int degree, uint64_t seed) {
    uint64_t state = seed;
    for (;;) {
        uint64_t low = rng_next(&state) >> (64 - degree) | 1;
        if (is_promising(low, degree) && rabin_irreducible(low, degree)) return low;
    }
}

/* The multiples of `unit` by all polynomials of degree below `bits`. */
static void fill_multiples(uint64_t *table, int bits, uint64_t unit, uint64_t low, int degree) {
    table[0] = 0;
    for (unsigned bit = 0; bit < (unsigned)bits; bit++) {
        for (unsigned rest = 0; rest < 1u << bit; rest++) table[1u << bit | rest] = unit ^ table[rest];
        unit = times_x(unit, low, degree);
    }
}

/*
 * The sampling bits. Let t(j) be the top coefficient of x^j mod P. Multiplying by x shifts, and adds P's bits
 * when the top one falls out, so the coefficient of x^k in x^j mod P is the sum over m <= k of
 * low_(k-m) t(j-1-m). Hence with y_m = the sum of t(e-1-m) over the exponents e of a string, the lowest k
 * bits of its fingerprint are zero just when y_0 .. y_(k-1) are (low_0 = 1). The y of all windows are
 * correlations of one stream of bits with one sequence, which carry-less multiplication computes 64 at a
 * time.
 */
#define T_SIZE (64 + 8 * RABIN_SIMD_WINDOW)

static void fill_t(uint8_t t[T_SIZE], uint64_t low, int degree) {
    uint64_t power = 1;
    for (int j = 0; j < T_SIZE; j++) {
        t[j] = power >> (degree - 1) & 1;
        power = times_x(power, low, degree);
    }
}

/* Bit p of the byte k before the last has exponent 64 + 8k + p. The convolution reaches the bits that the
 * eight shifts share: in the first byte p <= m, in the last p >= m. */
static void fill_edge(uint8_t table[2][16], const uint8_t *t, bool first) {
    for (int value = 0; value < 256; value++) {
        uint8_t y = 0;
        for (int m = 0; m < 8; m++)
            for (int p = 0; p < 8; p++)
                if (first ? p > m : p < m) y ^= (uint8_t)((value >> p & t[p - m]) << m);
        if (value < 16) table[0][value] = y;
        if (value % 16 == 0) table[1][value / 16] = y;
    }
}

static void fill_sampling(struct rabin_tables *tables) {
    uint8_t t[T_SIZE];
    fill_t(t, tables->low, tables->degree);
    int top = 8 * tables->window + 55;
    for (int q = 0; q <= 8 * tables->window - 8; q++) tables->taps[q / 64] |= (uint64_t)t[top - q] << q % 64;
    fill_edge(tables->edge[0], t + top, true);
    fill_edge(tables->edge[1], t + 63, false);
}

static uint64_t barrett_quotient(uint64_t scaled_low) {
    uint64_t quotient = 0, rest = scaled_low;
    for (int bit = 0; bit < 64; bit++) {
        quotient = quotient << 1 | rest >> 63;
        rest = times_x(rest, scaled_low, 64);
    }
    return quotient;
}

static void fill_scratch(struct rabin_tables *tables) {
    int scale = 64 - tables->degree;
    for (int word = 0; 8 * word < tables->window; word++) {
        size_t power = (size_t)(8 * tables->window - 64 * word);
        tables->weight[word] = times_x_power(1, power, tables->low, tables->degree) << scale;
    }
    tables->quotient = barrett_quotient(tables->low << scale);
}

/* [low, high nibble of the index][byte of the result][nibble] */
static void fill_sliced(uint8_t sliced[2][8][16], const uint64_t table[256], int degree) {
    int scale = -degree & 7;
    for (int half = 0; half < 2; half++)
        for (int nibble = 0; nibble < 16; nibble++)
            for (int byte = 0; byte < 8; byte++)
                sliced[half][byte][nibble] = (uint8_t)(table[nibble << 4 * half] << scale >> 8 * byte);
}

void rabin_init(struct rabin_tables *tables, int degree, uint64_t seed, int window) {
    uint64_t low = rabin_find(degree, seed);
    memset(tables, 0, sizeof *tables);
    tables->low = low;
    tables->degree = degree;
    tables->window = window;

    uint64_t unit = times_x_power(1, 64, low, degree); /* of the youngest byte */
    fill_multiples(tables->enter, 8, unit, low, degree);
    fill_multiples(tables->shift, 8, times_x_power(1, (size_t)degree, low, degree), low, degree);
    fill_multiples(tables->leave, 8, times_x_power(unit, 8 * (size_t)window, low, degree), low, degree);
    fill_sliced(tables->sliced_enter, tables->enter, degree);
    fill_sliced(tables->sliced_shift, tables->shift, degree);
    fill_sliced(tables->sliced_leave, tables->leave, degree);
    if (window <= RABIN_SIMD_WINDOW) {
        fill_sampling(tables);
        fill_scratch(tables);
    }
}

uint64_t rabin_of(const struct rabin_tables *tables, const uint8_t *bytes, size_t size) {
    uint64_t mask = UINT64_MAX >> (64 - tables->degree);
    uint64_t fingerprint = 0;
    for (size_t i = 0; i < size; i++)
        fingerprint = (fingerprint << 8 & mask) ^ tables->shift[fingerprint >> (tables->degree - 8)] ^
                      tables->enter[bytes[i]];
    return fingerprint;
}
