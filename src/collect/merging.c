#include "collect/merging.h"

#include "collect/shortening.h"
#include "index/facts.h"
#include "index/hamming/parts.h"
#include "index/stored_samples.h"
#include "index/stored_signature.h"

#include <string.h>

struct merging {
    struct collection *store;
    struct batch *batch;
    const struct schema *theirs;
    struct cell prefix;
    struct buf id;
    struct shortening shortening; /* of their samples */
    uint8_t facts[FACTS_BYTES];
    struct merge_facts *done;
};

/* Whose cells are given: lookups are made anew, so that it does not matter which there are. */
static bool is_given(const struct part *part) {
    return part->form != FORM_LOOKUP;
}

static size_t count_given(const struct schema *schema) {
    size_t count = 0;
    for (size_t i = 0; i < schema->count; i++) count += is_given(&schema->parts[i]);
    return count;
}

/* The same part in another schema, or -1. Their order does not matter: bits that were added later are last.
 * Samples are the same whatever is kept of each: they can be made shorter. */
static int find_same(const struct schema *schema, const struct part *part) {
    uint32_t bits;
    if (is_samples_part(part)) return samples_find_part(schema, &bits);
    const int found = schema_find(schema, part->kind, part->spec);
    if (found < 0) return -1;
    const struct part *other = &schema->parts[found];
    return part->form == other->form && part->width == other->width ? found : -1;
}

static bool same_given(const struct schema *ours, const struct schema *theirs) {
    for (size_t i = 0; i < ours->count; i++)
        if (is_given(&ours->parts[i]) && find_same(theirs, &ours->parts[i]) < 0) return false;
    return count_given(ours) == count_given(theirs);
}

/* As a row of ours. */
static stemma_status move_cells(struct merging *m, const struct row *from, struct row *to,
                                stemma_error *err) {
    const struct schema *ours = collection_schema(m->store);
    *to = (struct row){.id = from->id, .facts = from->facts};
    for (size_t i = 0; i < ours->count; i++)
        if (is_given(&ours->parts[i])) to->cells[i] = from->cells[find_same(m->theirs, &ours->parts[i])];
    return shorten_row(&m->shortening, ours, to, err);
}

/* ---- what differs ---- */

/* The next field of a recipe, whose fields are in one order; NULL without one. */
static const char *next_field(const char *recipe, size_t *length) {
    recipe += strspn(recipe, " ;");
    *length = strcspn(recipe, " ;");
    return *length ? recipe : NULL;
}

/* The first field that does. */
static stemma_status fail_recipes(const char *path, const char *ours, const char *theirs, stemma_error *err) {
    size_t a, b;
    for (;;) {
        ours = next_field(ours, &a);
        theirs = next_field(theirs, &b);
        if (!ours || !theirs || a != b || memcmp(ours, theirs, a)) break;
        ours += a;
        theirs += b;
    }
    return fail(err, STEMMA_MISMATCH, "the recipes differ: '%s' has '%.*s', the other one '%.*s'", path,
                ours ? (int)a : 7, ours ? ours : "no more", theirs ? (int)b : 7, theirs ? theirs : "no more");
}

static uint32_t bits_of(const struct schema *schema) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    return layout.bits;
}

static uint32_t symbols_of(const struct schema *schema) {
    struct signature_form form;
    return signature_find_part(schema, &form) < 0 ? 0 : form.most;
}

static bool keeps(const struct schema *schema, uint32_t kind) {
    uint32_t bits;
    return (kind == KIND_SAMPLES ? samples_find_part(schema, &bits) : schema_find(schema, kind, 0)) >= 0;
}

static stemma_status fail_parts(const char *path, const struct schema *ours, const struct schema *theirs,
                                stemma_error *err) {
    static const struct {
        uint32_t kind;
        const char *name;
    } parts[] = {{KIND_MINIMA, "minima"}, {KIND_SAMPLES, "samples"}, {KIND_TEXT, "texts"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const bool kept = keeps(ours, parts[i].kind);
        if (kept != keeps(theirs, parts[i].kind))
            return fail(err, STEMMA_MISMATCH, "the parts differ: '%s' keeps %s%s, the other one %s", path,
                        kept ? "" : "no ", parts[i].name, kept ? "none" : "does");
    }
    const uint32_t a = bits_of(ours), b = bits_of(theirs), x = symbols_of(ours), y = symbols_of(theirs);
    if (a != b)
        return fail(err, STEMMA_MISMATCH,
                    "the parts differ: '%s' keeps fingerprints of %u bits, the other one %u", path, a, b);
    if (x != y)
        return fail(err, STEMMA_MISMATCH,
                    "the parts differ: '%s' keeps signatures of %u symbols, the other one %u", path, x, y);
    return fail(err, STEMMA_MISMATCH, "'%s' and the other one keep different parts of documents", path);
}

static stemma_status check_same(const struct collection *store, const struct origin *origin,
                                stemma_error *err) {
    const struct schema *ours = collection_schema(store), *theirs = origin_schema(origin);
    const char *path = collection_path(store);
    if (strcmp(ours->recipe, theirs->recipe)) return fail_recipes(path, ours->recipe, theirs->recipe, err);
    return same_given(ours, theirs) ? STEMMA_OK : fail_parts(path, ours, theirs, err);
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

/* The same text is the same document, whichever way of reading made it. */
static stemma_status facts_equal(struct cell cell, struct facts theirs, bool *equal, stemma_error *err) {
    uint8_t a[FACTS_BYTES], b[FACTS_BYTES];
    struct facts ours;
    TRY(facts_read(cell, &ours, err));
    theirs.way = ours.way;
    facts_write(&ours, a);
    facts_write(&theirs, b);
    *equal = !memcmp(a, b, sizeof a);
    return STEMMA_OK;
}

static stemma_status is_there(struct merging *m, const struct row *row, const struct facts *facts,
                              bool *found, bool *same, stemma_error *err) {
    struct row ours;
    uint64_t number;
    *same = false;
    TRY(collection_find(m->store, row->id.bytes, row->id.size, &number, found, err));
    if (!*found) return STEMMA_OK;
    TRY(collection_row(m->store, number, &ours, found, err));
    /* a document that this batch replaces is no longer the one that was committed */
    if (!*found || batch_drops(m->batch, number)) return STEMMA_OK;
    TRY(facts_equal(ours.facts, *facts, same, err));
    for (size_t i = 0; i < collection_schema(m->store)->count && *same; i++)
        *same = cells_equal(ours.cells[i], row->cells[i]);
    return STEMMA_OK;
}

static stemma_status take(void *context, const struct row *given, stemma_error *err) {
    struct merging *m = context;
    struct row row;
    struct facts facts;
    bool found, same;
    TRY(move_cells(m, given, &row, err));
    TRY(facts_read(row.facts, &facts, err));
    if (m->prefix.size) TRY(put_prefix(m, &row, &facts, err));
    TRY(is_there(m, &row, &facts, &found, &same, err));
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
    TRY(shorten_to(store, origin_schema(origin), err)); /* what theirs lack cannot be made */
    m.shortening.from = m.theirs;
    TRY(batch_new(store, &m.batch, err));
    stemma_status status = origin_read(origin, take, &m, err);
    if (status == STEMMA_OK) status = batch_commit(m.batch, err);
    batch_free(m.batch);
    buf_release(&m.id);
    shortening_release(&m.shortening);
    return status;
}
