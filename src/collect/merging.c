#include "collect/merging.h"

#include "index/facts.h"

#include <string.h>

struct merging {
    struct collection *store;
    struct batch *batch;
    const struct schema *theirs;
    struct cell prefix;
    struct buf id;
    uint8_t facts[FACTS_BYTES];
    struct merge_facts *done;
};

/* The next part whose cells are given; lookups are made anew, so that it does not matter which there are. */
static size_t next_given(const struct schema *schema, size_t part) {
    while (part < schema->count && schema->parts[part].form == FORM_LOOKUP) part++;
    return part;
}

static bool part_equal(const struct part *a, const struct part *b) {
    return a->kind == b->kind && a->spec == b->spec && a->form == b->form && a->width == b->width;
}

static bool same_given(const struct schema *ours, const struct schema *theirs) {
    size_t i = next_given(ours, 0), k = next_given(theirs, 0);
    for (; i < ours->count && k < theirs->count; i = next_given(ours, i + 1), k = next_given(theirs, k + 1))
        if (!part_equal(&ours->parts[i], &theirs->parts[k])) return false;
    return i == ours->count && k == theirs->count;
}

/* As a row of ours. */
static void move_cells(const struct schema *ours, const struct schema *theirs, const struct row *from,
                       struct row *to) {
    *to = (struct row){.id = from->id, .facts = from->facts};
    for (size_t i = next_given(ours, 0), k = next_given(theirs, 0); i < ours->count;
         i = next_given(ours, i + 1), k = next_given(theirs, k + 1))
        to->cells[i] = from->cells[k];
}

static stemma_status check_same(const struct collection *store, const struct origin *origin,
                                stemma_error *err) {
    const struct schema *ours = collection_schema(store), *theirs = origin_schema(origin);
    if (strcmp(ours->recipe, theirs->recipe))
        return fail(err, STEMMA_MISMATCH, "the recipes differ: '%s' has %s, the other one %s",
                    collection_path(store), ours->recipe, theirs->recipe);
    if (same_given(ours, theirs)) return STEMMA_OK;
    return fail(err, STEMMA_MISMATCH, "'%s' and the other one keep different parts of documents",
                collection_path(store));
}

/* The path in the id grows with it: where the file was is then the path on the machine that the prefix names.
 */
static stemma_status put_prefix(struct merging *m, struct row *row, struct facts *facts, stemma_error *err) {
    m->id.len = 0;
    if (!buf_add(&m->id, m->prefix.bytes, m->prefix.size) || !buf_add(&m->id, row->id.bytes, row->id.size))
        return fail_memory(err);
    if (facts->path_bytes) facts->path_bytes += (uint32_t)m->prefix.size;
    facts_write(facts, m->facts);
    row->id = (struct cell){m->id.data, m->id.len};
    row->facts = (struct cell){m->facts, sizeof m->facts};
    return STEMMA_OK;
}

static bool cells_equal(struct cell a, struct cell b) {
    return a.size == b.size && (a.size == 0 || !memcmp(a.bytes, b.bytes, a.size));
}

static stemma_status is_there(struct merging *m, const struct row *row, bool *found, bool *same,
                              stemma_error *err) {
    struct row ours;
    uint64_t number;
    *same = false;
    TRY(collection_find(m->store, row->id.bytes, row->id.size, &number, found, err));
    if (!*found) return STEMMA_OK;
    TRY(collection_row(m->store, number, &ours, found, err));
    /* a document that this batch replaces is no longer the one that was committed */
    *same = *found && !batch_drops(m->batch, number) && cells_equal(ours.facts, row->facts);
    for (size_t i = 0; i < collection_schema(m->store)->count && *same; i++)
        *same = cells_equal(ours.cells[i], row->cells[i]);
    return STEMMA_OK;
}

static stemma_status take(void *context, const struct row *given, stemma_error *err) {
    struct merging *m = context;
    struct row row;
    struct facts facts;
    bool found, same;
    move_cells(collection_schema(m->store), m->theirs, given, &row);
    TRY(facts_read(row.facts, &facts, err));
    if (m->prefix.size) TRY(put_prefix(m, &row, &facts, err));
    TRY(is_there(m, &row, &found, &same, err));
    if (!same) TRY(batch_put(m->batch, &row, NULL, err));
    if (facts.state == FACTS_DATASET) return STEMMA_OK; /* no document */
    m->done->documents++;
    m->done->added += !found;
    m->done->replaced += found && !same;
    m->done->unchanged += same;
    return STEMMA_OK;
}

stemma_status merge_documents(struct collection *store, struct origin *origin, const char *prefix,
                              struct merge_facts *facts, stemma_error *err) {
    struct merging m = {.store = store, .theirs = origin_schema(origin), .done = facts};
    if (prefix) m.prefix = (struct cell){(const uint8_t *)prefix, strlen(prefix)};
    *facts = (struct merge_facts){0};
    TRY(check_same(store, origin, err));
    TRY(batch_new(store, &m.batch, err));
    stemma_status status = origin_read(origin, take, &m, err);
    if (status == STEMMA_OK) status = batch_commit(m.batch, err);
    batch_free(m.batch);
    buf_release(&m.id);
    return status;
}
