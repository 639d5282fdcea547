#include "index/twice.h"

#include <string.h>

enum { SORT_MEMORY = 4 << 20 }; /* of hashes: beyond it on disk */

static stemma_status add_ids(const struct state *state, const bool *sound, struct sorter *sorter,
                             stemma_error *err) {
    for (size_t i = 0; i < state->count; i++) {
        struct numbers numbers = {.segment = state->segments[i]};
        if (sound && !sound[i]) continue;
        for (uint64_t row = 0;; row++) {
            struct row record;
            struct record entry;
            bool more;
            TRY(numbers_next(&numbers, &entry.value, &more, err));
            if (!more) break;
            if (is_gone(&state->gone, entry.value)) continue;
            TRY(segment_record(state->segments[i], row, &record, err));
            entry.key = id_hash(record.id.bytes, record.id.size);
            TRY(sorter_add(sorter, &entry, 1, err));
        }
    }
    return sorter_finish(sorter, err);
}

static stemma_status read_id(struct state *state, uint64_t number, struct cell *id, stemma_error *err) {
    struct segment *segment = state_segment_of(state, number);
    struct row record;
    uint64_t row;
    bool found = false;
    if (segment) TRY(segment_row(segment, number, &row, &found, err));
    if (!found) return fail(err, STEMMA_CORRUPT, "document %llu is lost", (unsigned long long)number);
    TRY(segment_record(segment, row, &record, err));
    *id = record.id;
    return STEMMA_OK;
}

static stemma_status same_id(struct state *state, uint64_t a, uint64_t b, bool *same, stemma_error *err) {
    struct buf first = {0};
    struct cell id;
    TRY(read_id(state, a, &id, err));
    if (!buf_add(&first, id.bytes, id.size)) return fail_memory(err);
    stemma_status status = read_id(state, b, &id, err);
    *same = status == STEMMA_OK && id.size == first.len && !memcmp(id.bytes, first.data, first.len);
    buf_release(&first);
    return status;
}

/* Documents of one hash, each with an id of its own; of two with one id the later stays. */
struct namesakes {
    struct state *state;
    struct vec64 numbers;
    uint64_t hash;
    found_twice *found;
    void *context;
};

static stemma_status meet(struct namesakes *n, uint64_t number, stemma_error *err) {
    for (size_t i = 0; i < n->numbers.len; i++) {
        const uint64_t earlier = n->numbers.data[i];
        bool same;
        TRY(same_id(n->state, earlier, number, &same, err));
        if (!same) continue;
        if (!gone_add(&n->state->gone, earlier)) return fail_memory(err);
        n->numbers.data[i] = number;
        return n->found(n->context, earlier, number, err);
    }
    return vec64_add(&n->numbers, number) ? STEMMA_OK : fail_memory(err);
}

static stemma_status compare_ids(struct namesakes *n, struct sorter_cursor *cursor, stemma_error *err) {
    struct record records[1024];
    for (;;) {
        size_t count;
        TRY(sorter_next(cursor, records, 1024, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++) {
            if (records[i].key != n->hash) n->numbers.len = 0;
            n->hash = records[i].key;
            TRY(meet(n, records[i].value, err));
        }
    }
}

stemma_status find_twice(const struct collection *c, struct state *state, const bool *sound,
                         found_twice *found, void *context, stemma_error *err) {
    struct sorter_options options = {.memory = SORT_MEMORY, .directory = c->directory, .stop = c->stop};
    struct namesakes n = {.state = state, .found = found, .context = context};
    struct sorter *sorter;
    struct sorter_cursor *cursor = NULL;
    TRY(sorter_new(&options, &sorter, err));
    stemma_status status = add_ids(state, sound, sorter, err);
    if (status == STEMMA_OK) status = sorter_read(sorter, &cursor, err);
    if (status == STEMMA_OK) status = compare_ids(&n, cursor, err);
    sorter_cursor_free(cursor);
    sorter_free(sorter);
    vec64_release(&n.numbers);
    return status;
}
