/*
 * A scan reads the first columns alone, block by block; what they leave is looked at column by column.
 * Documents without a text have no bits, nor have those that could not be read when there came to be more
 * bits: they are in no index, and a scan knows them by a fingerprint that is all zero.
 */
#include "index/hamming/collected.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "index/facts.h"
#include "kernels/kernels.h"

#include <string.h>

#define COLUMNS_MOST (HAMMING_BITS_MOST / BITS_COLUMN)
#define CHUNK_ROWS   511 /* of a block of words */

struct collected {
    struct collection *collection;
    struct hamming_source source;
    struct bits_layout layout;
    uint8_t widened[CHUNK_ROWS * 8]; /* rows of a column that is no whole word */
    uint32_t near[CHUNK_ROWS + KERNEL_SLACK];
};

static uint32_t column_width(const struct collected *c, size_t column) {
    return collection_schema(c->collection)->parts[c->layout.column_part[column]].width;
}

static uint64_t load_word(const uint8_t *bytes, size_t width) {
    uint8_t word[8] = {0};
    memcpy(word, bytes, width);
    return load_u64(word);
}

/* ---- by the index ---- */

struct found {
    take_numbers *take;
    void *to;
};

static stemma_status give_found(void *context, const struct record *postings, size_t count,
                                stemma_error *err) {
    const struct found *f = context;
    uint64_t numbers[256];
    for (size_t at = 0, some; at < count; at += some) {
        for (some = 0; some < 256 && at + some < count; some++) numbers[some] = postings[at + some].value;
        TRY(f->take(f->to, numbers, some, err));
    }
    return STEMMA_OK;
}

static stemma_status find_key(void *context, uint64_t key, take_numbers *take, void *to, stemma_error *err) {
    struct collected *c = context;
    size_t part = c->layout.group_part[(key >> 32) / BITS_COLUMN];
    struct found found = {take, to};
    return collection_range(c->collection, part, key, key, give_found, &found, err);
}

static stemma_status find_distance(void *context, const uint64_t *query, uint64_t number, uint32_t most,
                                   uint32_t *distance, stemma_error *err) {
    struct collected *c = context;
    *distance = 0;
    for (size_t i = 0; i < c->layout.columns && *distance <= most; i++) {
        struct cell cell;
        bool found;
        TRY(collection_cell(c->collection, number, c->layout.column_part[i], &cell, &found, err));
        if (!found) {
            *distance = UINT32_MAX;
            return STEMMA_OK;
        }
        *distance += (uint32_t)bits_count(load_word(cell.bytes, cell.size) ^ query[i]);
    }
    return STEMMA_OK;
}

/* ---- by a scan ---- */

struct scan {
    struct collected *c;
    const uint64_t *query;
    uint32_t radius;
    size_t segment, head;
    struct hamming_matches *matches;
};

/* Whether a document of which all bits are zero has a fingerprint nevertheless. */
static stemma_status has_bits(struct collected *c, uint64_t number, bool *has, stemma_error *err) {
    struct row row;
    TRY(collection_record(c->collection, number, &row, has, err));
    *has = *has && facts_bits(row.facts);
    return STEMMA_OK;
}

static stemma_status take_row(struct scan *s, uint64_t row, uint32_t distance, bool zero, stemma_error *err) {
    uint64_t number;
    bool counts;
    TRY(collection_number(s->c->collection, s->segment, row, &number, &counts, err));
    if (counts && zero) TRY(has_bits(s->c, number, &counts, err));
    return counts ? hamming_matches_add(s->matches, number, distance, err) : STEMMA_OK;
}

/* A row that its first words do not rule out. */
static stemma_status look_closer(struct scan *s, uint64_t row, stemma_error *err) {
    uint32_t distance = 0;
    uint64_t any = 0;
    for (size_t i = 0; i < s->c->layout.columns && distance <= s->radius; i++) {
        const uint8_t *bytes;
        size_t count;
        TRY(collection_rows(s->c->collection, s->segment, s->c->layout.column_part[i], row, &bytes, &count,
                            err));
        uint64_t word = load_word(bytes, column_width(s->c, i));
        any |= word;
        distance += (uint32_t)bits_count(word ^ s->query[i]);
    }
    return distance <= s->radius ? take_row(s, row, distance, !any, err) : STEMMA_OK;
}

/* The first words of some rows from this one on; *count: of how many. */
static stemma_status read_heads(struct scan *s, uint64_t row, const uint8_t **columns, size_t *count,
                                stemma_error *err) {
    struct collected *c = s->c;
    *count = CHUNK_ROWS;
    for (size_t i = 0; i < s->head; i++) {
        size_t some, width = column_width(c, i);
        TRY(collection_rows(c->collection, s->segment, c->layout.column_part[i], row, &columns[i], &some,
                            err));
        if (some < *count) *count = some;
        if (width == 8) continue;
        for (size_t k = 0; k < *count; k++)
            store_u64(c->widened + 8 * k, load_word(columns[i] + k * width, width));
        columns[i] = c->widened; /* the last: the others are whole */
    }
    return STEMMA_OK;
}

static stemma_status scan_segment(struct scan *s, stemma_error *err) {
    const uint8_t *columns[COLUMNS_MOST];
    uint64_t rows = collection_segment_rows(s->c->collection, s->segment);
    size_t count;
    for (uint64_t row = 0; row < rows; row += count) {
        TRY(check_stop(s->c->source.stop, err));
        TRY(read_heads(s, row, columns, &count, err));
        size_t near = kernels_get()->near_words(columns, s->head, count, s->query, s->radius, s->c->near);
        for (size_t i = 0; i < near; i++) TRY(look_closer(s, row + s->c->near[i], err));
    }
    return STEMMA_OK;
}

static stemma_status scan_all(void *context, const uint64_t *query, uint32_t radius,
                              struct hamming_matches *matches, struct hamming_work *work, stemma_error *err) {
    struct collected *c = context;
    struct scan s = {c, query, radius, 0, hamming_head(c->layout.bits, radius), matches};
    for (; s.segment < collection_segments(c->collection); s.segment++) {
        TRY(scan_segment(&s, err));
        work->distances += collection_segment_rows(c->collection, s.segment);
    }
    return STEMMA_OK;
}

/* ---- as a source ---- */

stemma_status collected_new(struct collection *collection, struct collected **out, stemma_error *err) {
    struct collected *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    bits_layout_read(collection_schema(collection), &c->layout);
    if (!c->layout.bits) {
        mem_free(c);
        return fail(err, STEMMA_UNSUPPORTED, "'%s' keeps no Hamming fingerprints",
                    collection_path(collection));
    }
    struct collection_facts about;
    collection_about(collection, &about);
    c->collection = collection;
    /* A lookup asks every segment, some microseconds each; a candidate is a cell of each column, about a
     * microsecond; a document scanned takes a few nanoseconds, most of them to check the blocks. */
    c->source = (struct hamming_source){.context = c,
                                        .bits = c->layout.bits,
                                        .documents = about.documents,
                                        .groups = c->layout.group_list,
                                        .group_count = c->layout.groups,
                                        .search_cost = 600. * (double)about.segments,
                                        .posting_cost = 300,
                                        .stop = collection_stop(collection),
                                        .directory = collection_directory(collection),
                                        .lookup = find_key,
                                        .distance = find_distance,
                                        .scan = scan_all};
    *out = c;
    return STEMMA_OK;
}

void collected_free(struct collected *collected) {
    mem_free(collected);
}

const struct hamming_source *collected_source(const struct collected *collected) {
    return &collected->source;
}
