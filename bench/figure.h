/* Rounds of measurements, and what is said of them. */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stddef.h>

#define ROUNDS_MOST 101

/* Spread: between the quartiles, as a part of the median; median 0: not measured. */
struct figure {
    double median, spread;
};

struct figure figure_of(const double *values, size_t count);

/* CPU time of this thread. */
double cpu_seconds(void);

#endif
