/*
 * Distances of strings of symbols by columns of bits (Myers 1999, Hyyrö 2003): a string is prepared once, as
 * one row of bits per distinct symbol, and compared with four others at a time, one in each lane of a kernel.
 *
 * Symbols of the other string that do not occur here cost an edit each. Counting them takes little, rejects
 * most strings when there is a bound, and otherwise tells about how wide a band of the table is worth trying
 * first. (Runs of equal symbols would be fewer than cells, but not few enough: phrases that every text has
 * repeat in every signature.)
 *
 * The rows of a long string would take much memory; long strings go to symbol_blocks.c.
 */
#include "align/signature/symbols.h"

#include "align/signature/symbol_blocks.h"
#include "base/alloc.h"
#include "kernels/kernels.h"

#include <string.h>

#define ALPHABET   65536
#define SHORT_MOST 4096 /* symbols of a string that gets rows: 2 MiB of them at most */

struct comparer {
    const struct kernels *kernels;
    struct symbols string;
    uint16_t row[ALPHABET]; /* of each symbol that occurs, counted from 1; else 0 */
    uint16_t *distinct;     /* the symbols that occur */
    size_t distinct_room, distinct_count;
    uint64_t *rows;
    size_t rows_room, words;
    uint32_t *offsets; /* of the strings in the lanes, as the kernel takes them */
    size_t offsets_room;
    uint64_t *state;
    size_t state_room;
    struct symbol_blocks blocks;
};

stemma_status comparer_new(struct comparer **out, stemma_error *err) {
    struct comparer *comparer = mem_zero(1, sizeof *comparer);
    if (!comparer) return fail_memory(err);
    comparer->kernels = kernels_get();
    *out = comparer;
    return STEMMA_OK;
}

void comparer_free(struct comparer *comparer) {
    if (!comparer) return;
    mem_free(comparer->distinct);
    mem_free(comparer->rows);
    mem_free(comparer->offsets);
    mem_free(comparer->state);
    symbol_blocks_release(&comparer->blocks);
    mem_free(comparer);
}

/* ---- preparing ---- */

static void forget_string(struct comparer *comparer) {
    for (size_t i = 0; i < comparer->distinct_count; i++) comparer->row[comparer->distinct[i]] = 0;
    comparer->distinct_count = 0;
    comparer->string.count = 0;
}

/* A string of more than 65535 distinct symbols is a long one, whose rows only have to differ from 0. */
static void number_symbols(struct comparer *comparer) {
    for (size_t i = 0; i < comparer->string.count; i++) {
        uint16_t symbol = comparer->string.at[i];
        if (comparer->row[symbol]) continue;
        comparer->distinct[comparer->distinct_count++] = symbol;
        comparer->row[symbol] =
            (uint16_t)(comparer->distinct_count < ALPHABET ? comparer->distinct_count : 1);
    }
}

static void set_bits(struct comparer *comparer) {
    size_t nothing = comparer->words * 64 - comparer->string.count;
    memset(comparer->rows, 0, (comparer->distinct_count + 1) * comparer->words * sizeof *comparer->rows);
    for (size_t i = 0; i < comparer->string.count; i++) {
        size_t row = comparer->row[comparer->string.at[i]], bit = nothing + i;
        comparer->rows[row * comparer->words + bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static bool reserve(struct comparer *comparer, size_t count, size_t words) {
    size_t distinct = count < ALPHABET ? count : ALPHABET;
    if (!mem_grow((void **)&comparer->distinct, &comparer->distinct_room, distinct, sizeof(uint16_t)))
        return false;
    return count > SHORT_MOST ||
           (mem_grow((void **)&comparer->rows, &comparer->rows_room, (count + 1) * words, sizeof(uint64_t)) &&
            mem_grow((void **)&comparer->state, &comparer->state_room, 2 * SYMBOL_LANES * words,
                     sizeof(uint64_t)));
}

stemma_status comparer_prepare(struct comparer *comparer, struct symbols string, stemma_error *err) {
    size_t words = (string.count + 63) / 64;
    forget_string(comparer);
    if (!reserve(comparer, string.count, words)) return fail_memory(err);
    comparer->string = string;
    comparer->words = words;
    number_symbols(comparer);
    if (words && string.count <= SHORT_MOST) set_bits(comparer);
    return STEMMA_OK;
}

/* ---- bounds ---- */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t length_difference(const struct comparer *comparer, struct symbols other) {
    size_t n = comparer->string.count;
    return n > other.count ? n - other.count : other.count - n;
}

static size_t absent_symbols(const struct comparer *comparer, struct symbols other) {
    size_t absent = 0;
    for (size_t i = 0; i < other.count; i++) absent += comparer->row[other.at[i]] == 0;
    return absent;
}

/* What is worth trying before all. An edit of a text replaces some windows by new ones and costs the
 * signature little more than these: from one edit in a hundred to one in twenty the distance was 1.3 to 2.2
 * times the absent symbols. */
static size_t first_bound(size_t longest, size_t absent, size_t difference) {
    size_t bound = larger(absent + absent / 2 + 32, difference);
    return bound < longest - longest / 8 ? bound : longest;
}

static uint64_t told(size_t distance, uint64_t at_most) {
    return distance <= at_most ? distance : at_most + 1;
}

/* ---- short strings, four at a time ---- */

struct group {
    struct symbol_lanes lanes;
    size_t target[SYMBOL_LANES]; /* which string is in the lane */
    size_t longest;              /* of all, the prepared one included */
    size_t bound;                /* to be tried first */
    uint64_t at_most;
    uint64_t *out;
};

/* Returns how many of the symbols do not occur. */
static size_t place_offsets(struct comparer *comparer, struct symbols other, size_t lane) {
    uint32_t words = (uint32_t)comparer->words;
    size_t absent = 0;
    for (size_t j = 0; j < other.count; j++) {
        uint32_t row = comparer->row[other.at[j]];
        comparer->offsets[j * SYMBOL_LANES + lane] = row * words;
        absent += row == 0;
    }
    return absent;
}

static size_t whole_steps(size_t count) {
    return (count + SYMBOL_STEP - 1) / SYMBOL_STEP * SYMBOL_STEP;
}

/* As the kernel wants it. */
static void pad_lanes(struct comparer *comparer, struct group *group) {
    size_t longest = 0;
    for (size_t lane = 0; lane < SYMBOL_LANES; lane++) longest = larger(longest, group->lanes.lengths[lane]);
    for (size_t lane = 0; lane < SYMBOL_LANES; lane++)
        for (size_t j = group->lanes.lengths[lane]; j < whole_steps(longest); j++)
            comparer->offsets[j * SYMBOL_LANES + lane] = 0;
    group->lanes.offsets = comparer->offsets;
}

/* A way that costs `bound` can leave the diagonal only so far that it can come back. */
static struct symbol_band band_of(size_t count, const struct symbol_lanes *lanes, size_t bound) {
    struct symbol_band band = {0, 0};
    for (size_t lane = 0; lane < lanes->used; lane++) {
        band.above = larger(band.above, (bound + lanes->lengths[lane] - count) / 2);
        band.below = larger(band.below, (bound + count - lanes->lengths[lane]) / 2);
    }
    return band;
}

/* Takes the distances that are within the bound; tells whether there were others. */
static bool take_distances(struct comparer *comparer, struct group *group, size_t bound) {
    struct symbol_rows rows = {comparer->rows, comparer->words, comparer->string.count};
    uint64_t distances[SYMBOL_LANES];
    bool all = true;
    comparer->kernels->symbol_columns(&rows, &group->lanes, band_of(rows.count, &group->lanes, bound),
                                      comparer->state, distances);
    for (size_t lane = 0; lane < group->lanes.used; lane++) {
        bool within = distances[lane] <= bound;
        group->out[group->target[lane]] = within ? distances[lane] : group->at_most + 1;
        all = all && within;
    }
    return all;
}

static void finish_group(struct comparer *comparer, struct group *group) {
    size_t most = group->at_most < group->longest ? (size_t)group->at_most : group->longest;
    if (group->lanes.used == 0) return;
    pad_lanes(comparer, group);
    if (group->bound > most) group->bound = most;
    if (!take_distances(comparer, group, group->bound) && group->bound < most)
        take_distances(comparer, group, most);
    *group = (struct group){.at_most = group->at_most, .out = group->out};
}

static stemma_status short_distance(struct comparer *comparer, struct group *group, struct symbols other,
                                    size_t target, stemma_error *err) {
    size_t lane = group->lanes.used, longest = larger(comparer->string.count, other.count);
    if (!mem_grow((void **)&comparer->offsets, &comparer->offsets_room, whole_steps(longest) * SYMBOL_LANES,
                  sizeof(uint32_t)))
        return fail_memory(err);
    size_t absent = place_offsets(comparer, other, lane);
    if (absent > group->at_most || absent == other.count) { /* the lane stays free */
        group->out[target] = told(absent == other.count ? longest : absent, group->at_most);
        return STEMMA_OK;
    }
    group->longest = larger(group->longest, longest);
    group->bound = larger(group->bound, first_bound(longest, absent, length_difference(comparer, other)));
    group->target[lane] = target;
    group->lanes.lengths[lane] = other.count;
    if (++group->lanes.used == SYMBOL_LANES) finish_group(comparer, group);
    return STEMMA_OK;
}

/* ---- distances ---- */

static stemma_status long_distance(struct comparer *comparer, struct symbols other, uint64_t at_most,
                                   uint64_t *out, stemma_error *err) {
    size_t longest = larger(comparer->string.count, other.count), distance = 0;
    size_t most = at_most < longest ? (size_t)at_most : longest, absent = absent_symbols(comparer, other);
    size_t bound = first_bound(longest, absent, length_difference(comparer, other));
    if (bound > most) bound = most;
    for (;; bound = bound < most / 4 ? 2 * bound : most) {
        TRY(symbol_blocks_distance(&comparer->blocks, comparer->string.at, comparer->string.count, other.at,
                                   other.count, bound, &distance, err));
        if (distance <= bound || bound == most) break;
    }
    *out = told(distance, at_most);
    return STEMMA_OK;
}

stemma_status comparer_distances(struct comparer *comparer, const struct symbols *strings, size_t count,
                                 uint64_t at_most, uint64_t *out, stemma_error *err) {
    struct group group = {.at_most = at_most, .out = out};
    for (size_t i = 0; i < count; i++)
        if (length_difference(comparer, strings[i]) > at_most)
            out[i] = at_most + 1;
        else if (comparer->string.count > SHORT_MOST)
            TRY(long_distance(comparer, strings[i], at_most, &out[i], err));
        else
            TRY(short_distance(comparer, &group, strings[i], i, err));
    finish_group(comparer, &group);
    return STEMMA_OK;
}

stemma_status symbols_distance(struct symbols a, struct symbols b, uint64_t at_most, uint64_t *out,
                               stemma_error *err) {
    struct comparer *comparer;
    TRY(comparer_new(&comparer, err));
    stemma_status status = comparer_prepare(comparer, a, err);
    if (status == STEMMA_OK) status = comparer_distances(comparer, &b, 1, at_most, out, err);
    comparer_free(comparer);
    return status;
}
