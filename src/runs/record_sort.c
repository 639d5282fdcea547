/*
 * Radix sort from the top, over the bits that vary: each part is cut by its highest varying bits, so keys of
 * 40 evenly spread bits, pairs of small ranks and long lists of one key all take two or three passes. The
 * parts of the first cut are sorted by the threads one by one. A part that fits into a cache is cut so finely
 * that one insertion sort over all of it finishes it.
 */
#include "runs/record_sort.h"

#include "base/alloc.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <string.h>

typedef unsigned __int128 number;

enum {
    SMALL = 24,       /* up to here insertion beats another pass */
    CUT_BITS = 8,     /* of one pass: 256 places to write to are what caches and page tables can follow */
    CACHED = 1 << 14, /* records that stay in a cache: more places cost nothing there */
    FINE_BITS = 11
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

/* Where a pass cuts: into parts by some bits of the key, or of the value. */
struct cut {
    bool by_key;
    int shift, bits;
};

/* The highest of the bits that vary, at most `most` of them, for about one record a part. */
static struct cut choose_cut(number varying, size_t count, int most) {
    int top = highest_bit(varying) + 1, bits = 63 - __builtin_clzll(count);
    bool by_key = top > 64;
    if (by_key) top -= 64;
    if (bits > most) bits = most;
    if (bits > top) bits = top;
    return (struct cut){by_key, top - bits, bits};
}

static size_t part_of(struct record record, struct cut cut) {
    return (size_t)((cut.by_key ? record.key : record.value) >> cut.shift) & (((size_t)1 << cut.bits) - 1);
}

/* Distributes from into to; ends[p] is where part p ends. Returns the size of the largest. */
static uint32_t distribute(const struct record *from, struct record *to, size_t count, struct cut cut,
                           uint32_t *ends) {
    uint32_t sum = 0, largest = 0;
    memset(ends, 0, sizeof *ends << cut.bits);
    for (size_t i = 0; i < count; i++) ends[part_of(from[i], cut)]++;
    for (size_t p = 0; p < (size_t)1 << cut.bits; p++) {
        uint32_t size = ends[p];
        ends[p] = sum;
        sum += size;
        if (size > largest) largest = size;
    }
    for (size_t i = 0; i < count; i++) to[ends[part_of(from[i], cut)]++] = from[i];
    return largest;
}

static void finish_small(struct record *from, struct record *other, size_t count, bool move) {
    insertion_sort(from, count);
    if (move) memcpy(other, from, count * sizeof *from);
}

/* Sorts what stands in `from`; it ends in `other` when `move`, else where it is. */
static void sort_part(struct record *from, struct record *other, size_t count, bool move) {
    number varying = count > SMALL ? varying_bits(from, count) : 0;
    if (!varying) {
        finish_small(from, other, count, move);
        return;
    }
    uint32_t ends[1 << FINE_BITS], start = 0;
    struct cut cut = choose_cut(varying, count, count > CACHED ? CUT_BITS : FINE_BITS);
    if (distribute(from, other, count, cut, ends) <= SMALL) {
        finish_small(other, from, count, !move);
        return;
    }
    for (size_t p = 0; p < (size_t)1 << cut.bits; p++) {
        if (ends[p] > start) sort_part(other + start, from + start, ends[p] - start, !move);
        start = ends[p];
    }
}

/* ---- by several threads ---- */

enum { ALONE = 1 << 16 }; /* up to here threads cost more than they save */

/* One sort that threads share: slices of the input are looked at, counted and distributed, then parts are
 * sorted. */
struct team {
    struct record *records, *scratch;
    size_t count, slices;
    struct cut cut;
    atomic_size_t next; /* slice or part that nobody has taken yet */
    size_t items;
    void (*stage)(struct team *team, size_t item);
    number varying[THREADS_MOST];
    size_t (*places)[1 << CUT_BITS]; /* of each slice: counts, then where its records of a part go */
    size_t starts[(1 << CUT_BITS) + 1];
};

static void work(void *context, unsigned worker) {
    (void)worker;
    struct team *team = context;
    size_t item;
    while ((item = atomic_fetch_add(&team->next, 1)) < team->items) team->stage(team, item);
}

static void run_stage(struct team *team, void (*stage)(struct team *team, size_t item), size_t items) {
    team->stage = stage;
    team->items = items;
    atomic_store(&team->next, 0);
    threads_run((unsigned)team->slices, work, team);
}

static size_t slice_start(const struct team *team, size_t slice) {
    return team->count / team->slices * slice;
}

static size_t slice_end(const struct team *team, size_t slice) {
    return slice + 1 == team->slices ? team->count : slice_start(team, slice + 1);
}

/* Compared with the first record of all, so that slices can be joined. */
static void look_at_slice(struct team *team, size_t slice) {
    number all = 0, first = record_number(team->records[0]);
    for (size_t i = slice_start(team, slice); i < slice_end(team, slice); i++)
        all |= record_number(team->records[i]) ^ first;
    team->varying[slice] = all;
}

static void count_slice(struct team *team, size_t slice) {
    size_t *counts = team->places[slice];
    for (size_t i = slice_start(team, slice); i < slice_end(team, slice); i++)
        counts[part_of(team->records[i], team->cut)]++;
}

static void distribute_slice(struct team *team, size_t slice) {
    size_t *places = team->places[slice];
    for (size_t i = slice_start(team, slice); i < slice_end(team, slice); i++)
        team->scratch[places[part_of(team->records[i], team->cut)]++] = team->records[i];
}

static void sort_one_part(struct team *team, size_t part) {
    size_t start = team->starts[part], size = team->starts[part + 1] - start;
    if (size) sort_part(team->scratch + start, team->records + start, size, true);
}

/* Counts become places: part by part, and in a part slice by slice. */
static void place_slices(struct team *team) {
    size_t sum = 0;
    for (size_t part = 0; part < (size_t)1 << CUT_BITS; part++) {
        team->starts[part] = sum;
        for (size_t slice = 0; slice < team->slices; slice++) {
            size_t size = team->places[slice][part];
            team->places[slice][part] = sum;
            sum += size;
        }
    }
    team->starts[1 << CUT_BITS] = sum;
}

static void sort_by_team(struct team *team) {
    number varying = 0;
    run_stage(team, look_at_slice, team->slices);
    for (size_t i = 0; i < team->slices; i++) varying |= team->varying[i];
    if (!varying) return;
    team->cut = choose_cut(varying, team->count, CUT_BITS);
    run_stage(team, count_slice, team->slices);
    place_slices(team);
    run_stage(team, distribute_slice, team->slices);
    run_stage(team, sort_one_part, (size_t)1 << team->cut.bits);
}

bool sort_records(struct record *records, size_t count, unsigned threads) {
    if (count <= SMALL) {
        insertion_sort(records, count);
        return true;
    }
    struct team team = {
        .records = records, .count = count, .slices = threads < THREADS_MOST ? threads : THREADS_MOST};
    bool alone = threads < 2 || count <= ALONE;
    team.scratch = mem_alloc(count * sizeof *records);
    team.places = alone ? NULL : mem_zero(team.slices, sizeof *team.places);
    bool ready = team.scratch && (alone || team.places);
    if (ready && alone) sort_part(records, team.scratch, count, false);
    if (ready && !alone) sort_by_team(&team);
    mem_free(team.places);
    mem_free(team.scratch);
    return ready;
}

size_t unique_records(struct record *records, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || record_number(records[kept - 1]) != record_number(records[i]))
            records[kept++] = records[i];
    return kept;
}
