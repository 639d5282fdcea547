#include "signs.h"

#include "base/alloc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

stemma_status recipe_make(stemma_recipe **out, uint64_t seed, stemma_error *err, const char *format, ...) {
    char text[500];
    int used = snprintf(text, sizeof text, "seed=%llu ", (unsigned long long)seed);
    va_list more;
    va_start(more, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, more);
    va_end(more);
    return stemma_recipe_parse(text, out, err);
}

stemma_status sketch_make(const stemma_recipe *recipe, const void *bytes, size_t size, stemma_sketch **out,
                          stemma_error *err) {
    return stemma_sketch_bytes(bytes, size, "", recipe, NULL, out, err);
}

stemma_sketch_part part_of(const stemma_sketch *sketch, size_t index) {
    stemma_sketch_part part = {0};
    (void)stemma_sketch_get_part(sketch, index, &part, NULL); /* empty when there is none */
    return part;
}

struct value_overlap values_overlap(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    struct value_overlap count = {0};
    size_t i = 0, j = 0;
    for (; i < a_count && j < b_count; count.all++) {
        bool same = a[i] == b[j], first = a[i] <= b[j], second = b[j] <= a[i];
        count.common += same;
        i += first;
        j += second;
    }
    count.all += a_count - i + b_count - j;
    return count;
}

static double share(size_t part, size_t all) {
    return all ? (double)part / (double)all : NAN;
}

double jaccard_of(const stemma_sketch *a, const stemma_sketch *b, size_t index) {
    stemma_sketch_part x = part_of(a, index), y = part_of(b, index);
    struct value_overlap count = values_overlap(x.values, x.value_count, y.values, y.value_count);
    return share(count.common, count.all);
}

double containment_in(const stemma_sketch *a, const stemma_sketch *b, size_t index) {
    stemma_sketch_part x = part_of(a, index), y = part_of(b, index);
    return share(values_overlap(x.values, x.value_count, y.values, y.value_count).common, x.value_count);
}

double smallest_of(const stemma_sketch *a, const stemma_sketch *b, size_t index) {
    stemma_sketch_part x = part_of(a, index), y = part_of(b, index);
    size_t i = 0, j = 0, seen = 0, common = 0;
    while (seen < x.n && (i < x.value_count || j < y.value_count)) {
        uint64_t left = i < x.value_count ? x.values[i] : UINT64_MAX,
                 right = j < y.value_count ? y.values[j] : UINT64_MAX;
        common += left == right;
        i += left <= right;
        j += right <= left;
        seen++;
    }
    return share(common, seen);
}

double agreement_of(const stemma_sketch *a, const stemma_sketch *b, size_t index) {
    stemma_sketch_part x = part_of(a, index), y = part_of(b, index);
    size_t agree = 0;
    for (size_t i = 0; i < x.value_count && i < y.value_count; i++) agree += x.values[i] == y.values[i];
    return share(agree, x.value_count);
}

/* p n of n entries agree, so the union of both has (2 - p) n. */
double agreement_jaccard(const stemma_sketch *a, const stemma_sketch *b, size_t index) {
    double p = agreement_of(a, b, index);
    return p / (2 - p);
}

stemma_status mutate_text(const void *text, size_t size, stemma_mutation_kind kind, uint64_t count,
                          uint64_t seed, stemma_mutated **out, stemma_error *err) {
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = kind;
    mutation.count = count;
    mutation.seed = seed;
    return stemma_mutate(text, size, &mutation, out, err);
}
