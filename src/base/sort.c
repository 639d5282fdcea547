#include "base/sort.h"

#include "base/alloc.h"

#include <string.h>

/* Below this, insertion sort beats counting 256 buckets. */
enum { SMALL = 48 };

static void insertion_sort(uint64_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
        values[j] = value;
    }
}

/* One stable pass of 8 bits; returns false when all values share those bits (nothing was moved). */
static bool counting_pass(const uint64_t *from, uint64_t *to, size_t count, int shift) {
    size_t starts[257] = {0};
    for (size_t i = 0; i < count; i++) starts[(from[i] >> shift & 255) + 1]++;
    if (starts[(from[0] >> shift & 255) + 1] == count) return false;
    for (int b = 0; b < 256; b++) starts[b + 1] += starts[b];
    for (size_t i = 0; i < count; i++) to[starts[from[i] >> shift & 255]++] = from[i];
    return true;
}

/* Sort by the low bits first would need 8 passes; evenly spread values are nearly sorted after the top
 * bits, so: sort by the top 16 or 24 bits, then finish each short run by insertion. Values that are not
 * spread (long runs of equal top bits) are seen by a run that is too long, and get all passes. */
static bool runs_are_short(const uint64_t *values, size_t count, int shift) {
    size_t run = 1;
    for (size_t i = 1; i < count; i++) {
        run = values[i] >> shift == values[i - 1] >> shift ? run + 1 : 1;
        if (run > SMALL && values[i] != values[i - 1]) return false;
    }
    return true;
}

static uint64_t *radix(uint64_t *from, uint64_t *to, size_t count, int first_shift) {
    for (int shift = first_shift; shift < 64; shift += 8) {
        if (!counting_pass(from, to, count, shift)) continue;
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

bool sort_u64(uint64_t *values, size_t count) {
    if (count <= SMALL) {
        insertion_sort(values, count);
        return true;
    }
    uint64_t *scratch = mem_alloc(count * sizeof *scratch);
    if (!scratch) return false;
    int shift = count < 1u << 16 ? 48 : count < 1u << 24 ? 40 : 32;
    uint64_t *sorted = radix(values, scratch, count, shift);
    uint64_t *other = sorted == values ? scratch : values;
    if (runs_are_short(sorted, count, shift))
        insertion_sort(sorted, count);
    else
        sorted = radix(sorted, other, count, 0);
    if (sorted != values) memcpy(values, sorted, count * sizeof *values);
    mem_free(scratch);
    return true;
}

uint64_t *sort_upper_u64(uint64_t *values, uint64_t *scratch, size_t count) {
    return count > 1 ? radix(values, scratch, count, 32) : values;
}

size_t unique_u64(uint64_t *values, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
    return kept;
}

size_t common_u64(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t i = 0, j = 0, common = 0;
    while (i < a_count && j < b_count) {
        common += a[i] == b[j];
        uint64_t x = a[i], y = b[j];
        i += x <= y;
        j += y <= x;
    }
    return common;
}
