#include "rows.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A list of n / BIT_SHARE classes costs about as much for all of them together as a bit in each of n does. */
#define BIT_SHARE 8
#define WORD_BITS 64
#define BLOCK     16 /* pairs that are looked at together */

struct posting {
    uint64_t shingle;
    uint32_t class_number;
};

/* The part of a shingle's list that stands behind the class that the span belongs to. */
struct span {
    uint32_t begin, end;
};

struct rows {
    const struct collection *collection;
    uint32_t *lists;     /* classes, ascending, list by list */
    struct span *spans;  /* of all classes, class by class */
    uint64_t *span_ends; /* of each class, in spans */
    uint64_t *bits;      /* words of each class, for the frequent shingles */
    size_t words;
    float *sizes; /* shingles of each class */
};

static int by_shingle(const void *left, const void *right) {
    const struct posting *a = left, *b = right;
    if (a->shingle != b->shingle) return a->shingle < b->shingle ? -1 : 1;
    return (a->class_number > b->class_number) - (a->class_number < b->class_number);
}

static size_t run_length(const struct posting *postings, size_t count) {
    size_t length = 1;
    while (length < count && postings[length].shingle == postings->shingle) length++;
    return length;
}

static bool is_frequent(const struct rows *rows, size_t length) {
    return length > WORD_BITS && length > rows->collection->class_count / BIT_SHARE;
}

/* ---- building ---- */

static size_t count_postings(const struct collection *collection) {
    size_t total = 0;
    for (uint32_t i = 0; i < collection->class_count; i++) total += collection->classes[i]->shingle_count;
    return total;
}

static void fill_postings(const struct collection *collection, struct posting *postings) {
    size_t at = 0;
    for (uint32_t i = 0; i < collection->class_count; i++)
        for (size_t k = 0; k < collection->classes[i]->shingle_count; k++)
            postings[at++] = (struct posting){collection->classes[i]->shingles[k], i};
}

/* Sizes first: spans of each class (as ends[i + 1]) and how many shingles are frequent. */
static size_t count_spans(const struct rows *rows, const struct posting *postings, size_t count,
                          uint64_t *ends) {
    size_t frequent = 0;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(postings + at, count - at);
        frequent += is_frequent(rows, length);
        for (size_t k = 0; k + 1 < length && !is_frequent(rows, length); k++)
            ends[postings[at + k].class_number]++;
    }
    return frequent;
}

static void fill_rows(struct rows *rows, const struct posting *postings, size_t count) {
    size_t bit = 0;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(postings + at, count - at);
        bool frequent = is_frequent(rows, length);
        for (size_t k = 0; k < length; k++) {
            uint32_t class_number = postings[at + k].class_number;
            rows->lists[at + k] = class_number;
            if (frequent)
                rows->bits[class_number * rows->words + bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
            else if (k + 1 < length)
                rows->spans[rows->span_ends[class_number]++] =
                    (struct span){(uint32_t)(at + k + 1), (uint32_t)(at + length)};
        }
        bit += frequent;
    }
}

/* Counts become where each class begins; filling turns that into where it ends. */
static uint64_t begins_of(uint64_t *counts, uint32_t classes) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < classes; i++) {
        uint64_t count = counts[i];
        counts[i] = total;
        total += count;
    }
    return total;
}

static stemma_status build(struct rows *rows, const struct posting *postings, size_t count,
                           stemma_error *err) {
    uint32_t classes = rows->collection->class_count;
    rows->span_ends = mem_zero(classes + 1, sizeof *rows->span_ends);
    if (!rows->span_ends) return fail_memory(err);
    rows->words = (count_spans(rows, postings, count, rows->span_ends) + WORD_BITS - 1) / WORD_BITS;
    uint64_t spans = begins_of(rows->span_ends, classes);
    rows->lists = mem_zero(count + 1, sizeof *rows->lists);
    rows->spans = mem_zero(spans + 1, sizeof *rows->spans);
    rows->bits = mem_zero(classes * rows->words + 1, sizeof *rows->bits);
    rows->sizes = mem_zero(classes + 1, sizeof *rows->sizes);
    if (!rows->lists || !rows->spans || !rows->bits || !rows->sizes) return fail_memory(err);
    for (uint32_t i = 0; i < classes; i++)
        rows->sizes[i] = (float)rows->collection->classes[i]->shingle_count;
    fill_rows(rows, postings, count);
    return STEMMA_OK;
}

stemma_status rows_new(const struct collection *collection, struct rows **out, stemma_error *err) {
    size_t count = count_postings(collection);
    if (!count) return fail(err, STEMMA_INVALID, "no document has text");
    if (count > UINT32_MAX) return fail(err, STEMMA_UNSUPPORTED, "too many shingles for brute force");
    struct rows *rows = mem_zero(1, sizeof *rows);
    struct posting *postings = mem_alloc(count * sizeof *postings);
    stemma_status status = rows && postings ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) {
        rows->collection = collection;
        fill_postings(collection, postings);
        qsort(postings, count, sizeof *postings, by_shingle);
        status = build(rows, postings, count, err);
    }
    mem_free(postings);
    if (status == STEMMA_OK)
        *out = rows;
    else
        rows_free(rows);
    return status;
}

void rows_free(struct rows *rows) {
    if (!rows) return;
    mem_free(rows->lists);
    mem_free(rows->spans);
    mem_free(rows->span_ends);
    mem_free(rows->bits);
    mem_free(rows->sizes);
    mem_free(rows);
}

/* ---- counting ---- */

bool row_init(struct row *row, const struct rows *rows) {
    uint32_t classes = rows->collection->class_count;
    *row = (struct row){.counts = mem_zero(classes + 1, sizeof *row->counts),
                        .hits = mem_zero(classes + 1, sizeof *row->hits)};
    if (row->counts && row->hits) return true;
    row_release(row);
    return false;
}

void row_release(struct row *row) {
    mem_free(row->counts);
    mem_free(row->hits);
    *row = (struct row){0};
}

static uint32_t common_bits(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t common = 0;
    for (size_t i = 0; i < words; i++) common += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    return common;
}

/* By the lists alone; what the bits add is not in it. */
static void count_lists(const struct rows *rows, uint32_t i, int32_t *counts) {
    memset(counts + i, 0, (rows->collection->class_count - i) * sizeof *counts);
    for (uint64_t at = i ? rows->span_ends[i - 1] : 0; at < rows->span_ends[i]; at++)
        for (uint32_t k = rows->spans[at].begin; k < rows->spans[at].end; k++) counts[rows->lists[k]]++;
}

/* What class i needs, and how much of it the bits alone could give. */
struct need {
    float size, of_both, of_less, bits;
};

static struct need need_of(const struct rows *rows, uint32_t i, struct least least) {
    const double rounding = 1 - 1e-5; /* of single precision; what is too much is dropped by exact numbers */
    const uint64_t *bits = rows->bits + i * rows->words;
    return (struct need){.size = rows->sizes[i],
                         .of_both = (float)(rounding * least.resemblance / (1 + least.resemblance)),
                         .of_less = (float)(rounding * least.contained),
                         .bits = (float)common_bits(bits, bits, rows->words)};
}

/* J >= t exactly when common >= t / (1 + t) * (a + b). */
static inline bool reaches(struct need need, float size, int32_t common) {
    float less = size < need.size ? size : need.size;
    float resembling = need.of_both * (need.size + size), contained = need.of_less * less;
    return (float)common + need.bits >= (resembling < contained ? resembling : contained);
}

/* Nearly all pairs end here, so this is without branches. */
static bool any_reaches(struct need need, const float *sizes, const int32_t *counts) {
    int any = 0;
    for (size_t k = 0; k < BLOCK; k++) any |= reaches(need, sizes[k], counts[k]);
    return any;
}

static void find_in(struct row *row, const struct rows *rows, uint32_t i, struct need need, uint32_t begin,
                    uint32_t end) {
    need.bits = 0; /* now they are counted */
    for (uint32_t j = begin; j < end; j++) {
        uint32_t bits = common_bits(rows->bits + i * rows->words, rows->bits + j * rows->words, rows->words);
        int32_t common = row->counts[j] + (int32_t)bits;
        if (common && reaches(need, rows->sizes[j], common))
            row->hits[row->hit_count++] = (struct hit){j, (uint32_t)common};
    }
}

void row_find(struct row *row, const struct rows *rows, uint32_t i, struct least least) {
    struct need need = need_of(rows, i, least);
    uint32_t count = rows->collection->class_count, j = i + 1;
    count_lists(rows, i, row->counts);
    row->hit_count = 0;
    for (; j + BLOCK <= count; j += BLOCK)
        if (any_reaches(need, rows->sizes + j, row->counts + j)) find_in(row, rows, i, need, j, j + BLOCK);
    find_in(row, rows, i, need, j, count);
}
