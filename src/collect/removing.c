#include "collect/removing.h"

#include <string.h>

/* ---- inside files ---- */

struct leaving {
    uint64_t below;
    const struct gone *stay;
    struct gone numbers; /* bits, since they may be many */
};

static stemma_status note_leaving(void *context, const struct record *postings, size_t count,
                                  stemma_error *err) {
    struct leaving *l = context;
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = postings[i].value;
        if (number >= l->below || (l->stay && is_gone(l->stay, number))) continue;
        if (!gone_add(&l->numbers, number)) return fail_memory(err);
    }
    return STEMMA_OK;
}

/* Paths of one key are not all the same. */
static stemma_status remove_number(struct pending *pending, uint64_t number, const void *path, size_t size,
                                   uint64_t *removed, stemma_error *err) {
    struct facts facts;
    struct row row;
    bool found;
    TRY(collection_record(pending->store, number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    if (facts.path_bytes != size || row.id.size < size || memcmp(row.id.bytes, path, size) != 0)
        return STEMMA_OK;
    TRY(pending_remove(pending, row.id.bytes, row.id.size, &found, err));
    *removed += found;
    return STEMMA_OK;
}

stemma_status remove_inside(struct pending *pending, const void *path, size_t size, uint64_t below,
                            const struct gone *stay, uint64_t *removed, stemma_error *err) {
    const int part = schema_find(collection_schema(pending->store), KIND_MEMBER_KEYS, 0);
    const uint64_t key = path_key(path, size);
    struct leaving l = {
        .below = below, .stay = stay, .numbers.directory = collection_directory(pending->store)};
    uint64_t number;
    if (part < 0) return STEMMA_OK;
    stemma_status status = collection_range(pending->store, (size_t)part, key, key, note_leaving, &l, err);
    for (uint64_t from = 0; status == STEMMA_OK && gone_next(&l.numbers, from, &number); from = number + 1)
        status = remove_number(pending, number, path, size, removed, err);
    gone_release(&l.numbers);
    return status;
}

/* ---- one document ---- */

/* So that it is read again when it is met again; other rows of that name stay. */
static stemma_status forget_dataset(struct pending *pending, const void *path, size_t size,
                                    stemma_error *err) {
    struct facts facts;
    struct row row;
    uint64_t number;
    bool found;
    TRY(collection_find(pending->store, path, size, &number, &found, err));
    if (found) TRY(collection_record(pending->store, number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    return facts.state == FACTS_DATASET ? pending_remove(pending, path, size, NULL, err) : STEMMA_OK;
}

stemma_status remove_document(struct pending *pending, struct cell id, const struct facts *facts,
                              uint64_t *removed, stemma_error *err) {
    struct buf path = {0}; /* the id may be the store's, and another is asked for */
    bool there;
    TRY(pending_remove(pending, id.bytes, id.size, &there, err));
    *removed += there && facts->state != FACTS_DATASET;
    if (!facts_inside(facts, id.size)) return STEMMA_OK;
    stemma_status status = buf_add(&path, id.bytes, facts->path_bytes)
                               ? forget_dataset(pending, path.data, path.len, err)
                               : fail_memory(err);
    buf_release(&path);
    return status;
}

stemma_status remove_named(struct pending *pending, const void *id, size_t size, uint64_t *removed,
                           stemma_error *err) {
    struct facts facts = {0}; /* of one that was not committed yet */
    struct row row;
    uint64_t number;
    bool found;
    TRY(collection_find(pending->store, id, size, &number, &found, err));
    if (found) TRY(collection_record(pending->store, number, &row, &found, err));
    if (found) TRY(facts_read(row.facts, &facts, err));
    TRY(remove_inside(pending, id, size, UINT64_MAX, NULL, removed, err));
    return remove_document(pending, (struct cell){id, size}, &facts, removed, err);
}
