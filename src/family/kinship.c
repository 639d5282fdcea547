#include "family/kinship.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* What a clue is worth, fitted to histories that are known (docs/design/tree.md). */
enum {
    YEARS = 827,       /* years replaced by later ones */
    NUMBERS = 500,     /* other numbers by higher ones, at most */
    DATES = 450,       /* later dates are named */
    GROWTH_HALF = 200, /* the text has grown: half of GROWTH for so many shingles; corrections shorten, too */
    FILE_DATES = 16384 /* decide, when they are asked */
};

/* Shingles that an excerpt has of its own, as it begins and ends within a word; text that was put in between
 * breaks more of them. */
enum { EXCERPT_OWN = 3 };
/* What growth and dates are worth where an excerpt would look the same: next to nothing, but equal trees
 * grow. */
enum { HINT = 16 };

/* A share of text that one of three has alone counts a tenth of text that two share: it is new, or was taken
 * out. Two shingles, more or less, are nothing. */
enum { SHARED = 10, DOUBT = 20 };

enum { BOND_LEAST = -7 * BIT };

int32_t log2_fixed(uint64_t x) {
    int32_t log = 63 - __builtin_clzll(x);
    uint64_t part = x << (63 - log) >> 32;
    for (int bit = 0; bit < 10; bit++) {
        part = part * part >> 31;
        log = log << 1 | (int32_t)(part >> 32);
        part >>= part >> 32;
    }
    return log;
}

/* ---- who is near ---- */

struct nearest {
    size_t count;
    struct neighbour {
        uint64_t distance;
        uint32_t member;
    } list[NEAR];
};

static bool is_nearer(struct neighbour a, struct neighbour b) {
    return a.distance != b.distance ? a.distance < b.distance : a.member < b.member;
}

static void meet(struct nearest *nearest, struct neighbour met) {
    size_t at = nearest->count;
    if (at == NEAR && !is_nearer(met, nearest->list[NEAR - 1])) return;
    for (size_t i = 0; i < at; i++)
        if (nearest->list[i].member == met.member) return;
    if (at < NEAR)
        nearest->count++;
    else
        at--;
    for (; at > 0 && is_nearer(met, nearest->list[at - 1]); at--) nearest->list[at] = nearest->list[at - 1];
    nearest->list[at] = met;
}

static void introduce(const struct variants *v, struct nearest *nearest, size_t a, size_t b) {
    uint64_t distance = variants_distance(v, a, b);
    meet(&nearest[a], (struct neighbour){distance, (uint32_t)b});
    meet(&nearest[b], (struct neighbour){distance, (uint32_t)a});
}

/* Very large families: rows that are alike stand near each other when they are sorted, if they agree in the
 * columns that come first; so they are sorted by several beginnings. Each meets at most ORDERS * REACH
 * others on either side. */
enum { ALL_MEET = 8192, ORDERS = 8, REACH = 32 };

struct row_order {
    const struct variants *variants;
    size_t first; /* word to begin with */
};

static int by_row(const void *a, const void *b, void *context) {
    const struct row_order *order = context;
    const struct variants *v = order->variants;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const uint64_t *x = variants_row(v, i), *y = variants_row(v, k);
    for (size_t w = 0; w < v->words; w++) {
        size_t at = (order->first + w) % v->words;
        if (x[at] != y[at]) return x[at] < y[at] ? -1 : 1;
    }
    return (i > k) - (i < k);
}

static stemma_status meet_in_orders(const struct variants *v, struct nearest *nearest, stemma_error *err) {
    uint32_t *sorted = mem_alloc(v->members * sizeof *sorted);
    if (!sorted) return fail_memory(err);
    for (size_t i = 0; i < v->members; i++) sorted[i] = (uint32_t)i;
    for (size_t k = 0; k < ORDERS; k++) {
        struct row_order order = {v, k * v->words / ORDERS};
        qsort_r(sorted, v->members, sizeof *sorted, by_row, &order);
        for (size_t i = 0; i < v->members; i++)
            for (size_t next = i + 1; next <= i + REACH && next < v->members; next++)
                introduce(v, nearest, sorted[i], sorted[next]);
    }
    mem_free(sorted);
    return STEMMA_OK;
}

static stemma_status meet_all(const struct variants *v, struct nearest *nearest, const volatile int *stop,
                              stemma_error *err) {
    if (v->members > ALL_MEET) return meet_in_orders(v, nearest, err);
    for (size_t i = 0; i < v->members; i++) {
        TRY(check_stop(stop, err));
        for (size_t k = i + 1; k < v->members; k++) introduce(v, nearest, i, k);
    }
    return STEMMA_OK;
}

/* ---- pairs ---- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool add_pair(struct vec64 *pairs, uint64_t a, uint64_t b) {
    return vec64_add(pairs, a << 32 | b) && vec64_add(pairs, b << 32 | a);
}

static stemma_status near_pairs(const struct variants *v, struct vec64 *pairs, const volatile int *stop,
                                stemma_error *err) {
    struct nearest *nearest = mem_zero(v->members, sizeof *nearest);
    if (!nearest) return fail_memory(err);
    stemma_status status = meet_all(v, nearest, stop, err);
    for (size_t i = 0; i < v->members && status == STEMMA_OK; i++) {
        if (i && !add_pair(pairs, 0, i)) status = fail_memory(err);
        for (size_t k = 0; k < nearest[i].count && status == STEMMA_OK; k++)
            if (!add_pair(pairs, i, nearest[i].list[k].member)) status = fail_memory(err);
    }
    mem_free(nearest);
    return status;
}

static stemma_status all_pairs(size_t members, struct vec64 *pairs, stemma_error *err) {
    for (size_t i = 0; i < members; i++)
        for (size_t k = i + 1; k < members; k++)
            if (!add_pair(pairs, i, k)) return fail_memory(err);
    return STEMMA_OK;
}

/* Lists of kin, without scores. */
static stemma_status make_lists(struct kinship *kinship, struct vec64 *pairs, stemma_error *err) {
    if (pairs->len) qsort(pairs->data, pairs->len, sizeof *pairs->data, by_number);
    size_t count = 0;
    kinship->kin = mem_alloc(pairs->len * sizeof *kinship->kin);
    kinship->first = mem_zero(kinship->members + 1, sizeof *kinship->first);
    if (!kinship->kin || !kinship->first) return fail_memory(err);
    for (size_t i = 0; i < pairs->len; i++) {
        if (i && pairs->data[i] == pairs->data[i - 1]) continue;
        kinship->kin[count++] = (struct kin){.member = (uint32_t)pairs->data[i]};
        kinship->first[(pairs->data[i] >> 32) + 1]++;
    }
    for (size_t i = 0; i < kinship->members; i++) kinship->first[i + 1] += kinship->first[i];
    return STEMMA_OK;
}

const struct kin *kin_find(const struct kinship *kinship, size_t member, size_t other) {
    size_t low = kinship->first[member], high = kinship->first[member + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kinship->kin[middle].member < other)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kinship->first[member + 1] && kinship->kin[low].member == other ? &kinship->kin[low] : NULL;
}

/* ---- scores ---- */

/* How much better the two ends hold together than with c between them. */
static int32_t bond_beside(const struct variants *v, size_t a, size_t b, size_t c) {
    struct trio t = variants_trio(v, a, b, c);
    uint64_t c_lacks = SHARED * t.ab + t.c;
    uint64_t a_lacks = SHARED * t.bc + t.a, b_lacks = SHARED * t.ac + t.b;
    uint64_t end_lacks = a_lacks < b_lacks ? a_lacks : b_lacks;
    return log2_fixed(c_lacks + DOUBT) - log2_fixed(end_lacks + DOUBT);
}

static size_t kin_count(const struct kinship *kinship, size_t member) {
    return kinship->first[member + 1] - kinship->first[member];
}

/* Those that may stand between are the kin of the end that has fewer: the first member, and others that many
 * resemble, would be compared with everybody. */
static int32_t bond_of(const struct kinship *kinship, const struct variants *v, size_t a, size_t b) {
    int32_t bond = 0;
    size_t end = kin_count(kinship, a) < kin_count(kinship, b) ? a : b;
    for (size_t i = kinship->first[end]; i < kinship->first[end + 1]; i++) {
        size_t c = kinship->kin[i].member;
        if (c == a || c == b) continue;
        int32_t found = bond_beside(v, a, b, c);
        if (found < bond) bond = found;
    }
    return bond < BOND_LEAST ? BOND_LEAST : bond;
}

static int32_t sign(int64_t x) {
    return (x > 0) - (x < 0);
}

static bool may_be_cut(const struct variants *v, size_t small, size_t large) {
    return variants_lost(v, small, large) <= EXCERPT_OWN || variants_inside(v, small, large);
}

/* An excerpt is shorter and names fewer dates, too. The more of the text is missing the more likely it is
 * one: where that is a third, size and dates say nothing. */
static int64_t unless_cut(const struct variants *v, size_t a, size_t b, int64_t weight) {
    const size_t small = v->sizes[a] <= v->sizes[b] ? a : b, large = small == a ? b : a;
    if (!may_be_cut(v, small, large) || v->sizes[large] == 0) return weight;
    const int64_t size = v->sizes[large], left = size - 3 * (size - (int64_t)v->sizes[small]);
    return left > size / HINT ? weight * left / size : weight / HINT;
}

static int32_t direction_of(const struct variants *v, const struct clues *clues, const int64_t *modified,
                            size_t a, size_t b) {
    struct evidence e = clues_weigh(&clues[a], &clues[b]);
    int64_t grown = ((int64_t)v->sizes[b] - v->sizes[a]) * (int64_t)v->inverse;
    int64_t growth = GROWTH * grown / ((grown < 0 ? -grown : grown) + GROWTH_HALF);
    int32_t file = modified ? (modified[b] > modified[a]) - (modified[b] < modified[a]) : 0;
    return YEARS * sign(e.years) + NUMBERS * e.numbers / (e.replaced + 1) +
           (int32_t)unless_cut(v, a, b, growth + DATES * e.dates) + FILE_DATES * file;
}

static stemma_status score(struct kinship *kinship, const struct variants *v, const struct clues *clues,
                           const int64_t *modified, const volatile int *stop, stemma_error *err) {
    for (size_t a = 0; a < kinship->members; a++) {
        TRY(check_stop(stop, err));
        for (size_t i = kinship->first[a]; i < kinship->first[a + 1]; i++) {
            struct kin *kin = &kinship->kin[i];
            if (kin->member < a) continue;
            kin->bond = bond_of(kinship, v, a, kin->member);
            kin->direction = direction_of(v, clues, modified, a, kin->member);
            struct kin *back = &kinship->kin[kin_find(kinship, kin->member, a) - kinship->kin];
            back->bond = kin->bond;
            back->direction = -kin->direction;
        }
    }
    return STEMMA_OK;
}

stemma_status kinship_find(struct kinship *kinship, const struct variants *variants,
                           const struct clues *clues, const int64_t *modified, const volatile int *stop,
                           stemma_error *err) {
    struct vec64 pairs = {0};
    *kinship = (struct kinship){.members = variants->members};
    stemma_status status = variants->members <= ALL_PAIRS ? all_pairs(variants->members, &pairs, err)
                                                          : near_pairs(variants, &pairs, stop, err);
    if (status == STEMMA_OK) status = make_lists(kinship, &pairs, err);
    vec64_release(&pairs);
    if (status == STEMMA_OK) status = score(kinship, variants, clues, modified, stop, err);
    if (status != STEMMA_OK) kinship_release(kinship);
    return status;
}

/* New numbers of the old ones; UINT32_MAX where one is left out. */
static uint32_t *renumber(const struct kinship *kinship, const uint32_t *members, size_t count) {
    uint32_t *numbers = mem_alloc(kinship->members * sizeof *numbers);
    if (!numbers) return NULL;
    memset(numbers, 0xff, kinship->members * sizeof *numbers);
    for (size_t i = 0; i < count; i++) numbers[members[i]] = (uint32_t)i;
    return numbers;
}

stemma_status kinship_among(struct kinship *out, const struct kinship *kinship, const uint32_t *members,
                            size_t count, stemma_error *err) {
    struct kinship among = {.members = count,
                            .kin = mem_alloc(kinship->first[kinship->members] * sizeof *among.kin),
                            .first = mem_zero(count + 1, sizeof *among.first)};
    uint32_t *numbers = renumber(kinship, members, count);
    const bool room = among.kin && among.first && numbers;
    for (size_t i = 0, kept = 0; i < count && room; i++) {
        for (size_t k = kinship->first[members[i]]; k < kinship->first[members[i] + 1]; k++) {
            struct kin kin = kinship->kin[k];
            kin.member = numbers[kin.member];
            if (kin.member != UINT32_MAX) among.kin[kept++] = kin;
        }
        among.first[i + 1] = kept;
    }
    mem_free(numbers);
    if (room)
        *out = among;
    else
        kinship_release(&among);
    return room ? STEMMA_OK : fail_memory(err);
}

void kinship_release(struct kinship *kinship) {
    mem_free(kinship->kin);
    mem_free(kinship->first);
    *kinship = (struct kinship){0};
}
