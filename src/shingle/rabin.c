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

static void fill_nibbles(uint8_t table[16], uint64_t unit, uint64_t low, int degree) {
    uint64_t multiples[16];
    fill_multiples(multiples, 4, unit, low, degree);
    for (int value = 0; value < 16; value++) table[value] = (uint8_t)multiples[value];
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
    for (int position = window - 1; position >= 0; position--) {
        if (window <= RABIN_SIMD_WINDOW) {
            fill_nibbles(tables->nibble[position][0], unit, low, degree);
            fill_nibbles(tables->nibble[position][1], times_x_power(unit, 4, low, degree), low, degree);
        }
        unit = times_x_power(unit, 8, low, degree);
    }
    fill_multiples(tables->leave, 8, unit, low, degree);
}

uint64_t rabin_of(const struct rabin_tables *tables, const uint8_t *bytes, size_t size) {
    uint64_t mask = UINT64_MAX >> (64 - tables->degree);
    uint64_t fingerprint = 0;
    for (size_t i = 0; i < size; i++)
        fingerprint = (fingerprint << 8 & mask) ^ tables->shift[fingerprint >> (tables->degree - 8)] ^
                      tables->enter[bytes[i]];
    return fingerprint;
}
