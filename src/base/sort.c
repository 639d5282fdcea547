#include "base/sort.h"

#include "base/alloc.h"

#include <string.h>

enum {
    SMALL = 24,       /* up to here insertion beats another pass */
    CUT_BITS = 8,     /* of one pass: 256 places to write to are what caches and page tables can follow */
    CACHED = 1 << 14, /* values that stay in a cache: more places cost nothing there */
    FINE_BITS = 12
};

static void insertion_sort(uint64_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
        values[j] = value;
    }
}

/* The bits in which the values differ; 0 as well when they are in order already. */
static uint64_t varying_bits(const uint64_t *values, size_t count) {
    uint64_t all = 0;
    bool ordered = true;
    for (size_t i = 1; i < count; i++) {
        ordered &= values[i - 1] <= values[i];
        all |= values[i - 1] ^ values[i];
    }
    return ordered ? 0 : all;
}

struct cut {
    int shift, bits;
};

/* The highest of the bits that vary, for about three pieces a value: then insertion rarely moves any. */
static struct cut choose_cut(uint64_t varying, size_t count) {
    int top = 64 - __builtin_clzll(varying), bits = 65 - __builtin_clzll(count);
    int most = count > CACHED ? CUT_BITS : FINE_BITS;
    if (bits > most) bits = most;
    if (bits > top) bits = top;
    return (struct cut){top - bits, bits};
}

static size_t piece_of(uint64_t value, struct cut cut) {
    return (size_t)(value >> cut.shift) & (((size_t)1 << cut.bits) - 1);
}

/* Distributes from into to; ends[p] is where piece p ends. Returns the size of the largest. */
static size_t distribute(const uint64_t *from, uint64_t *to, size_t count, struct cut cut, size_t *ends) {
    size_t sum = 0, largest = 0;
    memset(ends, 0, sizeof *ends << cut.bits);
    for (size_t i = 0; i < count; i++) ends[piece_of(from[i], cut)]++;
    for (size_t p = 0; p < (size_t)1 << cut.bits; p++) {
        size_t size = ends[p];
        ends[p] = sum;
        sum += size;
        if (size > largest) largest = size;
    }
    for (size_t i = 0; i < count; i++) to[ends[piece_of(from[i], cut)]++] = from[i];
    return largest;
}

/* Radix from the top, over the bits that vary: a piece that fits into a cache is cut so finely that one
 * insertion sort over all of it finishes it. What stands in `from` ends in `other` when `move`, else where it
 * is. */
static void sort_from_top(uint64_t *from, uint64_t *other, size_t count, bool move) {
    uint64_t varying = count > SMALL ? varying_bits(from, count) : 0;
    if (!varying) {
        insertion_sort(from, count);
        if (move) memcpy(other, from, count * sizeof *from);
        return;
    }
    size_t ends[1 << FINE_BITS], start = 0;
    struct cut cut = choose_cut(varying, count);
    if (distribute(from, other, count, cut, ends) <= SMALL) {
        insertion_sort(other, count);
        if (!move) memcpy(from, other, count * sizeof *from);
        return;
    }
    for (size_t p = 0; p < (size_t)1 << cut.bits; p++) {
        if (ends[p] > start) sort_from_top(other + start, from + start, ends[p] - start, !move);
        start = ends[p];
    }
}

void sort_u64_with(uint64_t *values, uint64_t *scratch, size_t count) {
    sort_from_top(values, scratch, count, false);
}

bool sort_u64(uint64_t *values, size_t count) {
    if (count <= SMALL) {
        insertion_sort(values, count);
        return true;
    }
    uint64_t *scratch = mem_alloc(count * sizeof *scratch);
    if (!scratch) return false;
    sort_u64_with(values, scratch, count);
    mem_free(scratch);
    return true;
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
