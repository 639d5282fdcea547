/* The Levenshtein distance of strings of symbols as the definition says it, one row at a time. */
#ifndef TESTS_SYMBOLS_TWIN_H
#define TESTS_SYMBOLS_TWIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t twin_distance(const uint16_t *a, size_t n, const uint16_t *b, size_t m) {
    uint64_t *row = malloc((m + 1) * sizeof *row);
    if (!row) abort();
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        uint64_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            uint64_t best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    uint64_t distance = row[m];
    free(row);
    return distance;
}

#endif
