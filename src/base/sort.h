/* Sorting 64-bit numbers, best those that are evenly spread: then a radix sort needs a pass or two. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending; false when the scratch memory (as large as the input) is refused: values are untouched. */
bool sort_u64(uint64_t *values, size_t count);

/* The same with scratch memory of the caller's. */
void sort_u64_with(uint64_t *values, uint64_t *scratch, size_t count);

/* Drop repetitions from a sorted array; returns how many are left. */
size_t unique_u64(uint64_t *values, size_t count);

/* How many values two sorted arrays without repetitions have in common. */
size_t common_u64(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

#endif
