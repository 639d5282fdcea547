/* Numbers as JSON has them: digit by digit what the C library prints in the fewest digits that read back. */
#include "../cli/digits.h"
#include "effort.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(double value) {
    char expected[DIGITS_ROOM], got[DIGITS_ROOM];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(expected, sizeof expected, "%.*g", precision, value);
        if (strtod(expected, NULL) == value) break;
    }
    size_t size = number_digits(value, got);
    assert_string_equal(got, expected);
    assert_int_equal(size, strlen(got));
}

static void check_around(double value) {
    double below = value, above = value;
    for (int i = 0; i < 20; i++) {
        check(below);
        check(above);
        below = nextafter(below, -INFINITY);
        above = nextafter(above, INFINITY);
    }
}

static void test_edges(void **state) {
    const double edges[] = {0,    1e-5,  .0001, .001,  .01, .1,  .5,   .25,
                            .125, .0625, 1,     2,     10,  999, 1e14, 1e15,
                            1e16, 1e17,  1e22,  .3,    .7,  .99, .999, .0999999999999999,
                            -1,   -.5,   1e300, 5e-324};
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_around(edges[i]);
    for (int power = -1074; power < 1023; power++) check(ldexp(1, power));
    for (uint64_t count = 1; count; count *= 2) {
        char got[DIGITS_ROOM], expected[DIGITS_ROOM];
        count_digits(count - 1, got);
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)(count - 1));
        assert_string_equal(got, expected);
    }
}

static void test_shares(void **state) {
    uint64_t rng = 1;
    (void)state;
    for (size_t i = effort(400000); i > 0; i--) {
        const uint64_t all = 1 + rng_below(&rng, i % 2 ? 3000 : 1000000);
        check((double)rng_below(&rng, all + 1) / (double)all);
    }
}

/* Few digits, and their neighbours: where one digit more is needed, and ties. */
static void test_decimals(void **state) {
    uint64_t rng = 2;
    (void)state;
    for (size_t i = effort(20000); i > 0; i--) {
        const double scale = pow(10, (double)(1 + rng_below(&rng, 17)));
        check_around((double)rng_below(&rng, (uint64_t)scale) / scale);
    }
}

static void test_bits(void **state) {
    uint64_t rng = 3;
    (void)state;
    for (size_t i = effort(200000); i > 0; i--) {
        check(ldexp((double)(rng_next(&rng) >> 11), -(int)rng_below(&rng, 68)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
