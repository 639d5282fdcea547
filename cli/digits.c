/*
 * A scan prints millions of shares, and the C library takes a microsecond to print one and read it back. What
 * lies between .0001 and 1 is done in whole numbers instead: a double there is m / 2^e, its digits are
 * m * 10^n / 2^e, rounded, and all of it fits into 128 bits.
 */
#include "digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE .0001
#define MOST_WHOLE  1e15

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17, MANTISSA = 53 };

size_t count_digits(uint64_t value, char out[COUNT_ROOM]) {
    char reversed[COUNT_ROOM];
    size_t size = 0;
    do reversed[size++] = (char)('0' + value % 10);
    while (value /= 10);
    for (size_t i = 0; i < size; i++) out[i] = reversed[size - 1 - i];
    out[size] = '\0';
    return size;
}

/* For any number. %g leaves zeros at the end out. */
static size_t print_digits(double value, char out[DIGITS_ROOM]) {
    int size = 0;
    for (int precision = LEAST_DIGITS; precision <= MOST_DIGITS; precision++) {
        size = snprintf(out, DIGITS_ROOM, "%.*g", precision, value);
        if (strtod(out, NULL) == value) break;
    }
    return (size_t)size;
}

struct share {
    uint64_t mantissa;
    unsigned exponent; /* mantissa / 2^exponent */
    unsigned zeros;    /* between the point and the first digit that is none */
};

/* False: a power of two, whose neighbours are not equally far. */
static bool share_of(double value, struct share *share) {
    int exponent;
    share->mantissa = (uint64_t)ldexp(frexp(value, &exponent), MANTISSA);
    share->exponent = (unsigned)(MANTISSA - exponent);
    share->zeros = value >= .1 ? 0 : value >= .01 ? 1 : value >= .001 ? 2 : 3;
    return share->mantissa != UINT64_C(1) << (MANTISSA - 1);
}

/* Half to even, as printf does. False: the digits are those of another number. */
static bool round_share(const struct share *share, unsigned digits, uint64_t *rounded) {
    unsigned __int128 scale = 1;
    for (unsigned i = 0; i < digits + share->zeros; i++) scale *= 10;
    const unsigned __int128 one = 1, half = one << (share->exponent - 1), exact = share->mantissa * scale,
                            rest = exact & (2 * half - 1);
    const uint64_t below = (uint64_t)(exact >> share->exponent);
    const bool up = rest > half || (rest == half && below % 2);
    const unsigned __int128 off = up ? 2 * half - rest : rest; /* in 1 / (scale * 2^exponent) */
    *rounded = below + up;
    return 2 * off < scale || (2 * off == scale && share->mantissa % 2 == 0);
}

/* 0: it would be printed in another way. */
static size_t print_share(double value, char out[DIGITS_ROOM]) {
    struct share share;
    uint64_t rounded = 0;
    if (!share_of(value, &share)) return 0;
    for (unsigned digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++)
        if (round_share(&share, digits, &rounded)) break;
    while (rounded % 10 == 0) rounded /= 10;
    if (rounded == 1) return 0; /* .09999... may have become .1 */
    memcpy(out, "0.000", 5);
    return 2 + share.zeros + count_digits(rounded, out + 2 + share.zeros);
}

size_t number_digits(double value, char out[DIGITS_ROOM]) {
    if (value >= LEAST_SHARE && value < 1) {
        const size_t size = print_share(value, out);
        if (size) return size;
    } else if (value >= 1 && value < MOST_WHOLE && value == (double)(uint64_t)value) {
        return count_digits((uint64_t)value, out);
    }
    return print_digits(value, out);
}
