/* What is asked of a collection: documents by id and number, lookups, rows of columns. */
#include "index/state.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/sort.h"

#include <string.h>

uint64_t id_hash(const void *id, size_t size) {
    return checksum64(id, size);
}

/* ---- runs, by the one reader ---- */

static stemma_status have_reader(struct collection *c, struct run *run, stemma_error *err) {
    return c->reader ? STEMMA_OK : run_reader_new(run, &c->reader, err);
}

static stemma_status stand_at(struct collection *c, struct run *run, uint64_t key, stemma_error *err) {
    TRY(have_reader(c, run, err));
    run_reader_turn(c->reader, run);
    return run_reader_seek(c->reader, key, err);
}

/* ---- documents ---- */

enum { FILTER_SHARE = 8 }; /* of the memory, for the filters of all segments that are asked */

static size_t filter_left(const struct collection *c, struct segment *const *segments, size_t count) {
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) taken += id_filter_bytes(&segments[i]->filter);
    return c->memory / FILTER_SHARE > taken ? c->memory / FILTER_SHARE - taken : 0;
}

/* Whether a hash may be in one of these segments. */
static stemma_status may_have(struct collection *c, struct segment *const *segments, size_t count, size_t at,
                              uint64_t hash, bool *may, stemma_error *err) {
    struct id_filter *filter = &segments[at]->filter;
    struct run *run;
    TRY(segment_ids(segments[at], &run, err));
    TRY(have_reader(c, run, err));
    if (id_filter_due(filter, run))
        TRY(id_filter_make(filter, run, c->reader, filter_left(c, segments, count), err));
    *may = id_filter_may_have(filter, hash);
    return STEMMA_OK;
}

/* Among the numbers of a hash, the last whose id it is. */
static stemma_status find_in_segment(struct collection *c, struct segment *segment, const struct gone *gone,
                                     uint64_t hash, const void *id, size_t size, uint64_t *number,
                                     bool *found, stemma_error *err) {
    struct run *run;
    TRY(segment_ids(segment, &run, err));
    TRY(stand_at(c, run, hash, err));
    for (;;) {
        const struct record *records;
        size_t count, i = 0;
        TRY(run_reader_next(c->reader, &records, &count, err));
        for (; i < count && records[i].key == hash; i++) {
            uint64_t row;
            struct row record;
            bool there;
            if (is_gone(gone, records[i].value)) continue;
            TRY(segment_row(segment, records[i].value, &row, &there, err));
            if (!there)
                return fail(err, STEMMA_CORRUPT, "'%s' is damaged: an id without a document",
                            segment->files[0]->path);
            TRY(segment_record(segment, row, &record, err));
            if (record.id.size != size || memcmp(record.id.bytes, id, size)) continue;
            *number = records[i].value;
            *found = true;
        }
        if (i < count || count == 0) return STEMMA_OK;
    }
}

stemma_status find_in_segments(struct collection *c, struct segment *const *segments, size_t count,
                               const struct gone *gone, uint64_t hash, const void *id, size_t size,
                               uint64_t *number, bool *found, stemma_error *err) {
    *found = false;
    for (size_t i = count; i-- > 0 && !*found;) {
        bool may;
        TRY(may_have(c, segments, count, i, hash, &may, err));
        if (may) TRY(find_in_segment(c, segments[i], gone, hash, id, size, number, found, err));
    }
    return STEMMA_OK;
}

stemma_status collection_place(struct collection *c, const void *id, size_t size, struct id_place *place,
                               stemma_error *err) {
    *place = (struct id_place){.hash = id_hash(id, size)};
    return find_in_segments(c, c->state.segments, c->state.count, &c->state.gone, place->hash, id, size,
                            &place->number, &place->found, err);
}

stemma_status collection_find(struct collection *c, const void *id, size_t size, uint64_t *number,
                              bool *found, stemma_error *err) {
    struct id_place place;
    TRY(collection_place(c, id, size, &place, err));
    *number = place.number;
    *found = place.found;
    return STEMMA_OK;
}

static stemma_status find_row(struct collection *c, uint64_t number, struct segment **segment, uint64_t *row,
                              bool *found, stemma_error *err) {
    *found = false;
    *segment = state_segment_of(&c->state, number);
    if (!*segment || is_gone(&c->state.gone, number)) return STEMMA_OK;
    return segment_row(*segment, number, row, found, err);
}

stemma_status collection_record(struct collection *c, uint64_t number, struct row *out, bool *found,
                                stemma_error *err) {
    struct segment *segment;
    uint64_t row;
    TRY(find_row(c, number, &segment, &row, found, err));
    return *found ? segment_record(segment, row, out, err) : STEMMA_OK;
}

stemma_status collection_cell(struct collection *c, uint64_t number, size_t part, struct cell *cell,
                              bool *found, stemma_error *err) {
    struct segment *segment;
    uint64_t row;
    TRY(find_row(c, number, &segment, &row, found, err));
    return *found ? segment_cell(segment, part, row, cell, err) : STEMMA_OK;
}

stemma_status segment_whole_row(struct segment *segment, uint64_t row, struct row *out, stemma_error *err) {
    TRY(segment_record(segment, row, out, err));
    for (size_t i = 0; i < segment->schema->count; i++)
        TRY(segment_cell(segment, i, row, &out->cells[i], err));
    return STEMMA_OK;
}

stemma_status collection_row(struct collection *c, uint64_t number, struct row *out, bool *found,
                             stemma_error *err) {
    struct segment *segment;
    uint64_t row;
    TRY(find_row(c, number, &segment, &row, found, err));
    return *found ? segment_whole_row(segment, row, out, err) : STEMMA_OK;
}

stemma_status collection_next(struct collection *c, uint64_t from, uint64_t *number, bool *found,
                              stemma_error *err) {
    *found = false;
    for (size_t s = 0; s < c->state.count; s++) {
        struct segment *segment = c->state.segments[s];
        if (segment->limit <= from) continue;
        struct numbers numbers = {.segment = segment};
        if (from > segment->base) numbers.line = (from - segment->base) / LINE_NUMBERS;
        for (bool more;;) {
            TRY(numbers_next(&numbers, number, &more, err));
            if (!more) break;
            *found = *number >= from && !is_gone(&c->state.gone, *number);
            if (*found) return STEMMA_OK;
        }
    }
    return STEMMA_OK;
}

/* ---- lookups ---- */

static stemma_status lookup_in(struct collection *c, struct run *run, uint64_t key, size_t most,
                               struct vec64 *numbers, stemma_error *err) {
    TRY(stand_at(c, run, key, err));
    for (;;) {
        const struct record *records;
        size_t count, i = 0;
        TRY(run_reader_next(c->reader, &records, &count, err));
        for (; i < count && records[i].key == key; i++) {
            if (is_gone(&c->state.gone, records[i].value)) continue;
            if (numbers->len == most) return STEMMA_OK;
            if (!vec64_add(numbers, records[i].value)) return fail_memory(err);
        }
        if (i < count || count == 0) return STEMMA_OK;
    }
}

stemma_status collection_lookup(struct collection *c, size_t part, uint64_t key, size_t most,
                                struct vec64 *numbers, stemma_error *err) {
    size_t limit = most ? numbers->len + most : SIZE_MAX;
    for (size_t s = 0; s < c->state.count && numbers->len < limit; s++) {
        struct run *run;
        TRY(segment_run(c->state.segments[s], part, &run, err));
        TRY(lookup_in(c, run, key, limit, numbers, err));
    }
    return STEMMA_OK;
}

static stemma_status count_in(struct collection *c, struct run *run, uint64_t key, size_t most, size_t *total,
                              stemma_error *err) {
    TRY(stand_at(c, run, key, err));
    while (*total < most) {
        const struct record *records;
        size_t count, i = 0;
        TRY(run_reader_next(c->reader, &records, &count, err));
        for (; i < count && records[i].key == key; i++) *total += !is_gone(&c->state.gone, records[i].value);
        if (i < count || count == 0) break;
    }
    return STEMMA_OK;
}

stemma_status collection_count(struct collection *c, size_t part, uint64_t key, size_t most, size_t *count,
                               stemma_error *err) {
    size_t total = 0;
    for (size_t s = 0; s < c->state.count && total < most; s++) {
        struct run *run;
        TRY(segment_run(c->state.segments[s], part, &run, err));
        TRY(count_in(c, run, key, most, &total, err));
    }
    *count = total < most ? total : most;
    return STEMMA_OK;
}

enum { RANGE_STEP = 256 };

/* What has a number that was never given is damage, and no document: who keeps sets of numbers may rely on
 * it. */
static stemma_status take_live(struct collection *c, const struct record *records, size_t count,
                               take_postings *take, void *context, stemma_error *err) {
    const uint64_t limit = c->state.manifest.next_number;
    struct record live[RANGE_STEP];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = records[i].value;
        if (number < limit && !is_gone(&c->state.gone, number)) live[kept++] = records[i];
        if (kept < RANGE_STEP && i + 1 < count) continue;
        if (kept) TRY(take(context, live, kept, err));
        kept = 0;
    }
    return STEMMA_OK;
}

static stemma_status range_in(struct collection *c, struct run *run, uint64_t low, uint64_t high,
                              take_postings *take, void *context, stemma_error *err) {
    TRY(stand_at(c, run, low, err));
    for (;;) {
        const struct record *records;
        size_t count, i = 0;
        TRY(run_reader_next(c->reader, &records, &count, err));
        while (i < count && records[i].key <= high) i++;
        TRY(take_live(c, records, i, take, context, err));
        if (i < count || count == 0) return STEMMA_OK;
    }
}

stemma_status collection_range(struct collection *c, size_t part, uint64_t low, uint64_t high,
                               take_postings *take, void *context, stemma_error *err) {
    for (size_t s = 0; s < c->state.count; s++) {
        struct run *run;
        TRY(segment_run(c->state.segments[s], part, &run, err));
        TRY(range_in(c, run, low, high, take, context, err));
    }
    return STEMMA_OK;
}

/* ---- columns ---- */

size_t collection_segments(const struct collection *c) {
    return c->state.count;
}

uint64_t collection_segment_rows(const struct collection *c, size_t segment) {
    return c->state.segments[segment]->rows;
}

stemma_status collection_rows(struct collection *c, size_t segment, size_t part, uint64_t row,
                              const uint8_t **bytes, size_t *count, stemma_error *err) {
    struct column *column;
    if (c->scanned != segment && c->scanned < c->state.count) segment_rest(c->state.segments[c->scanned]);
    c->scanned = segment;
    TRY(segment_column(c->state.segments[segment], part, &column, err));
    return column_rows(column, row, bytes, count, err);
}

stemma_status collection_text(struct collection *c, size_t segment, size_t part, uint64_t row,
                              struct cell *cell, stemma_error *err) {
    return segment_cell(c->state.segments[segment], part, row, cell, err);
}

stemma_status collection_number(struct collection *c, size_t segment, uint64_t row, uint64_t *number,
                                bool *live, stemma_error *err) {
    TRY(segment_number(c->state.segments[segment], row, number, err));
    *live = !is_gone(&c->state.gone, *number);
    return STEMMA_OK;
}

/* ---- keys ---- */

static bool ascend(const struct vec64 *keys) {
    for (size_t i = 1; i < keys->len; i++)
        if (keys->data[i] <= keys->data[i - 1]) return false;
    return true;
}

stemma_status row_keys(const struct collection *c, const struct schema *schema, size_t part,
                       const struct row *row, struct vec64 *keys, stemma_error *err) {
    const struct part *what = &schema->parts[part];
    const struct part_kind *kind = kind_find(c->kinds, what->kind);
    keys->len = 0;
    if (!kind)
        return fail(err, STEMMA_LATER_VERSION,
                    "'%s' has an index of kind %u, which this program does not know", c->path, what->kind);
    TRY(kind->keys(schema, what, row, keys, err));
    if (ascend(keys)) return STEMMA_OK;
    if (!sort_u64(keys->data, keys->len)) return fail_memory(err);
    keys->len = unique_u64(keys->data, keys->len);
    return STEMMA_OK;
}
