/* Medians and quartiles, since machines are shared and a mean would tell of the neighbours. */
#include "figure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct figure figure_of(const double *values, size_t count) {
    double sorted[ROUNDS_MOST];
    if (count == 0) return (struct figure){0, 0};
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    double median = sorted[count / 2];
    return (struct figure){median, median > 0 ? (sorted[count * 3 / 4] - sorted[count / 4]) / median : 0};
}
