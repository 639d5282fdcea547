/*
 * Radix sort from the top, over the bits that vary: each part is cut by its highest varying bits, so keys of
 * 40 evenly spread bits, pairs of small ranks and long lists of one key all take about three passes. The
 * parts of the first cut fit into a cache and are sorted by the threads one by one.
 */
#include "runs/record_sort.h"

#include "base/alloc.h"

#include <string.h>

typedef unsigned __int128 number;

enum {
    SMALL = 24,  /* up to here insertion beats another pass */
    CUT_MOST = 8 /* bits of one pass: 256 places to write to are what caches and page tables can follow */
};

static void insertion_sort(struct record *records, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct record record = records[i];
        number own = record_number(record);
        size_t j = i;
        for (; j > 0 && record_number(records[j - 1]) > own; j--) records[j] = records[j - 1];
        records[j] = record;
    }
}

/* The bits in which the records differ; 0 as well when they are in order already. */
static number varying_bits(const struct record *records, size_t count) {
    number all = 0, before = record_number(records[0]);
    bool ordered = true;
    for (size_t i = 1; i < count; i++) {
        number own = record_number(records[i]);
        ordered &= before <= own;
        all |= before ^ own;
        before = own;
    }
    return ordered ? 0 : all;
}

static int highest_bit(number bits) {
    uint64_t high = (uint64_t)(bits >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)bits);
}

/* Where a pass cuts: the bits above shift, below those in which all agree. */
struct cut {
    int shift, bits;
};

/* Parts of a few records each, as far as one pass can make them. */
static struct cut choose_cut(number varying, size_t count) {
    int top = highest_bit(varying) + 1, bits = 60 - __builtin_clzll(count);
    if (bits > CUT_MOST) bits = CUT_MOST;
    if (bits < 1) bits = 1;
    if (bits > top) bits = top;
    return (struct cut){top - bits, bits};
}

static size_t part_of(struct record record, struct cut cut) {
    return (size_t)(record_number(record) >> cut.shift) & (((size_t)1 << cut.bits) - 1);
}

/* Distributes from into to; ends[p] is where part p ends. */
static void distribute(const struct record *from, struct record *to, size_t count, struct cut cut,
                       size_t *ends) {
    size_t parts = (size_t)1 << cut.bits, sum = 0;
    memset(ends, 0, parts * sizeof *ends);
    for (size_t i = 0; i < count; i++) ends[part_of(from[i], cut)]++;
    for (size_t p = 0; p < parts; p++) {
        size_t size = ends[p];
        ends[p] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) to[ends[part_of(from[i], cut)]++] = from[i];
}

/* Sorts what stands in `from`; it ends in `other` when `move`, else where it is. */
static void sort_part(struct record *from, struct record *other, size_t count, bool move) {
    number varying = count > SMALL ? varying_bits(from, count) : 0;
    if (!varying) {
        if (count <= SMALL) insertion_sort(from, count);
        if (move) memcpy(other, from, count * sizeof *from);
        return;
    }
    size_t ends[1 << CUT_MOST], start = 0;
    struct cut cut = choose_cut(varying, count);
    distribute(from, other, count, cut, ends);
    for (size_t p = 0; p < (size_t)1 << cut.bits; p++) {
        if (ends[p] > start) sort_part(other + start, from + start, ends[p] - start, !move);
        start = ends[p];
    }
}

bool sort_records(struct record *records, size_t count, unsigned threads) {
    (void)threads;
    if (count <= SMALL) {
        insertion_sort(records, count);
        return true;
    }
    struct record *scratch = mem_alloc(count * sizeof *scratch);
    if (!scratch) return false;
    sort_part(records, scratch, count, false);
    mem_free(scratch);
    return true;
}

size_t unique_records(struct record *records, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || record_number(records[kept - 1]) != record_number(records[i]))
            records[kept++] = records[i];
    return kept;
}
