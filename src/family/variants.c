#include "family/variants.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "kernels/kernels.h"

#include <string.h>

/* A record: a hash of the shingle above, the member below. 44 bits of a hash agree by chance in one of 30
 * families of the largest kind, and then for one shingle. */
enum { MEMBER_BITS = 20 };
#define MEMBER_MASK (((uint64_t)1 << MEMBER_BITS) - 1)

/* 8 MB, and as much again while they are sorted. Families of a few long documents keep every shingle. */
#define RECORDS_MOST ((size_t)1 << 20)

/* Rows of 16 MB in all: what comparing all members costs, too, is bounded by that. */
static size_t columns_most(size_t members) {
    const size_t few = 512, many = (size_t)1 << 18, bits = (size_t)1 << 27;
    size_t most = bits / members;
    return most < few ? few : most > many ? many : most;
}

void variants_maker_init(struct variants_maker *maker, size_t members) {
    *maker = (struct variants_maker){.members = members, .most = columns_most(members)};
}

void variants_maker_release(struct variants_maker *maker) {
    vec64_release(&maker->records);
}

static bool is_sampled(const struct variants_maker *maker, uint64_t record) {
    return (record >> MEMBER_BITS & maker->mask) == 0;
}

static void sample_half(struct variants_maker *maker) {
    size_t kept = 0;
    maker->mask = maker->mask << 1 | 1;
    for (size_t i = 0; i < maker->records.len; i++)
        if (is_sampled(maker, maker->records.data[i])) maker->records.data[kept++] = maker->records.data[i];
    maker->records.len = kept;
}

stemma_status variants_add(struct variants_maker *maker, size_t member, const uint64_t *fp, size_t count,
                           stemma_error *err) {
    for (size_t i = 0; i < count; i++) {
        uint64_t record = (mix64(fp[i]) & ~MEMBER_MASK) | member;
        if (!is_sampled(maker, record)) continue;
        if (!vec64_add(&maker->records, record)) return fail_memory(err);
        while (maker->records.len > RECORDS_MOST) sample_half(maker);
    }
    return STEMMA_OK;
}

/* The end of the records of one shingle. */
static size_t shingle_end(const struct vec64 *records, size_t begin) {
    size_t end = begin + 1;
    while (end < records->len && records->data[end] >> MEMBER_BITS == records->data[begin] >> MEMBER_BITS)
        end++;
    return end;
}

static bool is_column(const struct variants_maker *maker, size_t have) {
    return have > 1 && have < maker->members;
}

static size_t count_columns(const struct variants_maker *maker) {
    size_t count = 0;
    for (size_t begin = 0, end; begin < maker->records.len; begin = end) {
        end = shingle_end(&maker->records, begin);
        count += is_column(maker, end - begin);
    }
    return count;
}

static void fill(const struct variants_maker *maker, struct variants *v) {
    const struct vec64 *records = &maker->records;
    size_t column = 0;
    for (size_t begin = 0, end; begin < records->len; begin = end) {
        end = shingle_end(records, begin);
        bool has_column = is_column(maker, end - begin);
        for (size_t i = begin; i < end; i++) {
            size_t member = records->data[i] & MEMBER_MASK;
            v->sizes[member]++;
            v->varied[member] += end - begin < maker->members;
            if (has_column)
                v->rows[member * v->words + column / 64] |= (uint64_t)1 << column % 64;
            else if (end - begin == 1)
                v->alone[member]++;
        }
        column += has_column;
    }
}

stemma_status variants_finish(struct variants_maker *maker, struct variants *out, stemma_error *err) {
    struct vec64 *records = &maker->records;
    if (!sort_u64(records->data, records->len)) return fail_memory(err);
    records->len = unique_u64(records->data, records->len);
    size_t columns = count_columns(maker);
    for (; columns > maker->most; columns = count_columns(maker)) sample_half(maker);
    struct variants v = {.members = maker->members, .words = (columns + 63) / 64, .inverse = maker->mask + 1};
    v.rows = mem_zero(v.members * v.words + KERNEL_SLACK / sizeof *v.rows + 1, sizeof *v.rows);
    v.alone = mem_zero(v.members, sizeof *v.alone);
    v.varied = mem_zero(v.members, sizeof *v.varied);
    v.sizes = mem_zero(v.members, sizeof *v.sizes);
    if (!v.rows || !v.alone || !v.varied || !v.sizes) {
        variants_release(&v);
        return fail_memory(err);
    }
    fill(maker, &v);
    *out = v;
    return STEMMA_OK;
}

void variants_release(struct variants *variants) {
    mem_free(variants->rows);
    mem_free(variants->alone);
    mem_free(variants->varied);
    mem_free(variants->sizes);
    *variants = (struct variants){0};
}

static uint64_t ones(uint64_t word) {
    return (uint64_t)__builtin_popcountll(word);
}

uint64_t variants_distance(const struct variants *v, size_t a, size_t b) {
    const void *x = variants_row(v, a), *y = variants_row(v, b);
    return kernels_get()->hamming(x, y, v->words * sizeof *v->rows) + v->alone[a] + v->alone[b];
}

uint64_t variants_lost(const struct variants *v, size_t a, size_t b) {
    uint64_t lost = (variants_distance(v, a, b) + v->varied[a] - v->varied[b]) / 2;
    return lost * v->inverse;
}

/* It is at most one of SHARE of the whole, and of its own is one of OWN. */
enum { SHARE = 2, OWN = 10 };

bool variants_inside(const struct variants *v, size_t piece, size_t whole) {
    uint64_t size = v->sizes[piece] * v->inverse;
    return size > 0 && v->sizes[piece] <= v->sizes[whole] / SHARE &&
           variants_lost(v, piece, whole) <= size / OWN;
}

/* Seven parts of three sets from what is common to two, to all three, and their sizes. */
struct trio variants_trio(const struct variants *v, size_t a, size_t b, size_t c) {
    const uint64_t *x = variants_row(v, a), *y = variants_row(v, b), *z = variants_row(v, c);
    uint64_t ab = 0, bc = 0, ac = 0, all = 0, n = v->inverse;
    for (size_t i = 0; i < v->words; i++) {
        ab += ones(x[i] & y[i]);
        bc += ones(y[i] & z[i]);
        ac += ones(x[i] & z[i]);
        all += ones(x[i] & y[i] & z[i]);
    }
    return (struct trio){.ab = (ab - all) * n,
                         .bc = (bc - all) * n,
                         .ac = (ac - all) * n,
                         .a = (v->varied[a] - ab - ac + all) * n,
                         .b = (v->varied[b] - ab - bc + all) * n,
                         .c = (v->varied[c] - ac - bc + all) * n};
}
