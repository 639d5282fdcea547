#ifndef BASE_LOG_FACTORIAL_H
#define BASE_LOG_FACTORIAL_H

#include <math.h>

/* lgamma() itself writes to a variable that all threads share. */
static inline double log_factorial(double n) {
    int sign;
    return lgamma_r(n + 1, &sign);
}

#endif
