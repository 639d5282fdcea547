/* English-like text that is the same on every machine: what the benchmarks read unless
 * they are given a file. */
#ifndef BENCH_ENGLISH_H
#define BENCH_ENGLISH_H

#include <stddef.h>
#include <stdint.h>

/* Fill `size` bytes. */
void english(uint8_t *text, size_t size, uint64_t seed);

#endif
