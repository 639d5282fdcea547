#include "collect/merging.h"

#include "collect/restoring.h"
#include "collect/shortening.h"
#include "index/facts.h"
#include "index/hamming/growing.h"
#include "index/hamming/parts.h"
#include "index/stored_samples.h"
#include "index/stored_signature.h"
#include "runs/column.h"

#include <string.h>

struct merging {
    struct collection *store;
    struct batch *batch;
    const struct schema *theirs;
    struct schema wanted;     /* ours, and behind it their texts where we keep none: to make parts from */
    int given[PARTS_MOST];    /* where they have a part of it; -1: it is a lookup, or lacking */
    bool lacking[PARTS_MOST]; /* parts of ours that they have not */
    bool lacks;
    struct restorer *restorer; /* makes what is lacking; NULL: of a keyed collection nothing can be made */
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

/* ---- what both have ---- */

/* A signature of fewer symbols is one of those that may have more. */
static bool serves_as_signature(const struct part *ours, const struct part *theirs) {
    struct signature_form a, b;
    if (!signature_form_of(ours, &a) || !signature_form_of(theirs, &b)) return false;
    return a.n == b.n && a.rate == b.rate && a.alphabet == b.alphabet && b.most <= a.most;
}

/* Samples serve whatever is kept of each: they can be made shorter. */
static bool serves_as(const struct part *ours, const struct part *theirs) {
    if (is_samples_part(ours)) return is_samples_part(theirs);
    if (ours->kind != theirs->kind || ours->form != theirs->form) return false;
    if (ours->kind == KIND_SIGNATURE) return serves_as_signature(ours, theirs);
    if (ours->kind == KIND_BITS) /* fewer bits are the first of more */
        return spec_first(ours->spec) == spec_first(theirs->spec) && ours->width <= theirs->width;
    return ours->spec == theirs->spec && ours->width == theirs->width;
}

static int find_serving(const struct schema *theirs, const struct part *ours) {
    for (size_t i = 0; i < theirs->count; i++)
        if (serves_as(ours, &theirs->parts[i])) return (int)i;
    return -1;
}

/* As a row of what is wanted; what is lacking is empty. */
static stemma_status move_cells(struct merging *m, const struct row *from, struct row *to,
                                stemma_error *err) {
    *to = (struct row){.id = from->id, .facts = from->facts};
    for (size_t i = 0; i < m->wanted.count; i++) {
        if (m->given[i] < 0) continue;
        to->cells[i] = from->cells[m->given[i]];
        if (m->wanted.parts[i].form == FORM_COLUMN) to->cells[i].size = m->wanted.parts[i].width;
        if (is_samples_part(&m->wanted.parts[i])) TRY(shorten_row(&m->shortening, &m->wanted, to, err));
    }
    return STEMMA_OK;
}

static unsigned part_of(uint32_t kind) {
    static const struct {
        uint32_t kind;
        unsigned part;
    } parts[] = {{KIND_MINIMA, STEMMA_PART_MINIMA},
                 {KIND_SAMPLES, STEMMA_PART_SAMPLES},
                 {KIND_SHORT_SAMPLES, STEMMA_PART_SAMPLES},
                 {KIND_BITS, STEMMA_PART_BITS},
                 {KIND_TEXT, STEMMA_PART_TEXT},
                 {KIND_SIGNATURE, STEMMA_PART_SIGNATURE}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].kind == kind) return parts[i].part;
    return 0;
}

static unsigned parts_of(const struct schema *schema) {
    unsigned parts = 0;
    for (size_t i = 0; i < schema->count; i++)
        if (is_given(&schema->parts[i])) parts |= part_of(schema->parts[i].kind);
    return parts;
}

static uint32_t bits_of(const struct schema *schema) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    return layout.bits;
}

/* Of the schema as it is now. */
static stemma_status prepare(struct merging *m, stemma_error *err) {
    const struct schema *ours = collection_schema(m->store);
    const int text = schema_find(m->theirs, KIND_TEXT, 0);
    TRY(schema_copy(&m->wanted, ours, err));
    for (size_t i = 0; i < ours->count; i++) {
        const bool given = is_given(&ours->parts[i]);
        m->given[i] = given ? find_serving(m->theirs, &ours->parts[i]) : -1;
        m->lacking[i] = given && m->given[i] < 0;
        m->lacks = m->lacks || m->lacking[i];
    }
    m->done->dropped = parts_of(m->theirs) & ~parts_of(ours);
    if (text < 0 || schema_find(ours, KIND_TEXT, 0) >= 0 || ours->count == PARTS_MOST) return STEMMA_OK;
    m->given[m->wanted.count] = text;
    return schema_add(&m->wanted, m->theirs->parts[text], err);
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

static bool is_cache(const struct schema *schema) {
    return schema_find(schema, KIND_SCAN_KEYS, 0) >= 0;
}

static stemma_status check_same(const struct collection *store, const struct origin *origin,
                                stemma_error *err) {
    const struct schema *ours = collection_schema(store), *theirs = origin_schema(origin);
    const char *path = collection_path(store);
    if (is_cache(ours) != is_cache(theirs))
        return fail(err, STEMMA_MISMATCH, "%s is the cache of a scan, and no collection of documents",
                    is_cache(ours) ? path : "the other one");
    return strcmp(ours->recipe, theirs->recipe) ? fail_recipes(path, ours->recipe, theirs->recipe, err)
                                                : STEMMA_OK;
}

/* ---- what they have not ---- */

/* Documents without it are found all the same; but not by resemblance without minima, nor by containment
 * without samples, where others are. */
static bool can_go_without(const struct part *part) {
    return part->kind == KIND_TEXT || part->kind == KIND_SIGNATURE || part->kind == KIND_BITS;
}

static stemma_status go_without(struct merging *m, struct row *row, struct facts *facts, stemma_error *err) {
    static const uint8_t zeros[COLUMN_WIDTH_MOST];
    for (size_t i = 0; i < m->wanted.count; i++) {
        const struct part *part = &m->wanted.parts[i];
        if (!m->lacking[i]) continue;
        if (facts->state == FACTS_TEXT && !can_go_without(part))
            return fail(err, STEMMA_MISMATCH,
                        "the parts differ: '%s' keeps %s, the other one none, nor can '%.*s' be read to make "
                        "them",
                        collection_path(m->store),
                        part->kind == KIND_MINIMA ? "minima"
                        : is_samples_part(part)   ? "samples"
                                                  : "other parts",
                        (int)(row->id.size < 200 ? row->id.size : 200), (const char *)row->id.bytes);
        row->cells[i] = part->form == FORM_COLUMN ? (struct cell){zeros, part->width} : (struct cell){0};
        facts->no_bits = facts->no_bits || (part->kind == KIND_BITS && facts->state == FACTS_TEXT);
    }
    return STEMMA_OK;
}

static bool is_empty(const struct merging *m, const struct row *row, uint32_t kind) {
    for (size_t i = 0; i < m->wanted.count; i++)
        if (m->lacking[i] && m->wanted.parts[i].kind == kind) return row->cells[i].size == 0;
    return false;
}

/* What is lacking is made of the text, which is stored, or of the document, where it still lies as it was. */
static stemma_status fill(struct merging *m, struct row *row, struct facts *facts, stemma_error *err) {
    enum mending done = MEND_NOT;
    const bool text = facts->state == FACTS_TEXT;
    if (!m->lacks) return STEMMA_OK;
    if (text && m->restorer) TRY(restorer_mend(m->restorer, &m->wanted, m->lacking, row, &done, err));
    if (done != MEND_DONE) TRY(go_without(m, row, facts, err));
    if (!text) return STEMMA_OK;
    m->done->made += done == MEND_DONE;
    m->done->without_text += is_empty(m, row, KIND_TEXT);
    m->done->without_signature += is_empty(m, row, KIND_SIGNATURE);
    return STEMMA_OK;
}

/* ---- a document ---- */

/* The path in the id grows with it: where the file was is then the path on the machine that the prefix names.
 */
static stemma_status put_prefix(struct merging *m, struct row *row, struct facts *facts, stemma_error *err) {
    m->id.len = 0;
    if (!buf_add(&m->id, m->prefix.bytes, m->prefix.size) || !buf_add(&m->id, row->id.bytes, row->id.size))
        return fail_memory(err);
    if (facts->path_bytes) facts->path_bytes += (uint32_t)m->prefix.size;
    row->id = (struct cell){m->id.data, m->id.len};
    return STEMMA_OK;
}

static bool cells_equal(struct cell a, struct cell b) {
    return a.size == b.size && (a.size == 0 || !memcmp(a.bytes, b.bytes, a.size));
}

/* The same text is the same document, whichever way of reading made it. */
static stemma_status facts_equal(const struct merging *m, struct cell cell, struct facts theirs, bool *equal,
                                 stemma_error *err) {
    uint8_t a[FACTS_BYTES], b[FACTS_BYTES];
    struct facts ours;
    TRY(facts_read(cell, &ours, err));
    theirs.way = ours.way;
    if (m->lacks) theirs.no_bits = ours.no_bits;
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
    TRY(facts_equal(m, ours.facts, *facts, same, err));
    for (size_t i = 0; i < collection_schema(m->store)->count && *same; i++)
        *same = m->lacking[i] || cells_equal(ours.cells[i], row->cells[i]);
    return STEMMA_OK;
}

static stemma_status put(struct merging *m, struct row *row, struct facts *facts, const struct cell *id,
                         stemma_error *err) {
    const struct cell named = row->id;
    row->id = *id; /* where it may be read is not where the prefix says */
    TRY(fill(m, row, facts, err));
    m->done->without_bits += facts->no_bits;
    row->id = named;
    if (m->prefix.size && facts->path_bytes) facts->path_bytes += (uint32_t)m->prefix.size;
    facts_write(facts, m->facts);
    row->facts = (struct cell){m->facts, sizeof m->facts};
    return batch_put(m->batch, row, NULL, err);
}

static stemma_status take(void *context, const struct row *given, stemma_error *err) {
    struct merging *m = context;
    struct row row;
    struct facts facts, named;
    bool found, same;
    TRY(move_cells(m, given, &row, err));
    TRY(facts_read(row.facts, &facts, err));
    if (m->done->bits == 0) facts.no_bits = false;
    named = facts;
    if (m->prefix.size) TRY(put_prefix(m, &row, &named, err));
    TRY(is_there(m, &row, &named, &found, &same, err));
    if (!same) TRY(put(m, &row, &facts, &given->id, err));
    if (facts.state == FACTS_DATASET) return STEMMA_OK; /* no document */
    m->done->documents++;
    m->done->added += !found;
    m->done->replaced += found && !same;
    m->done->unchanged += same;
    return STEMMA_OK;
}

/* ---- all of them ---- */

/* Fingerprints of all documents have as many bits: as many as those that have fewest. */
static stemma_status meet_bits(struct collection *store, const struct schema *theirs,
                               struct merge_facts *facts, stemma_error *err) {
    facts->bits = facts->bits_before = bits_of(collection_schema(store));
    facts->bits_given = bits_of(theirs);
    if (facts->bits_given == 0 || facts->bits_given >= facts->bits) return STEMMA_OK;
    facts->bits = facts->bits_given;
    return bits_resize(store, facts->bits, NULL, NULL, err);
}

static stemma_status merge(struct merging *m, struct origin *origin, const struct stemma_recipe *recipe,
                           const stemma_limits *limits, stemma_error *err) {
    TRY(check_same(m->store, origin, err));
    collection_hold_back(m->store);            /* what is cut is cut for what is merged */
    TRY(shorten_to(m->store, m->theirs, err)); /* bits that theirs lack cannot be made */
    TRY(meet_bits(m->store, m->theirs, m->done, err));
    TRY(prepare(m, err));
    if (m->lacks && !recipe->view.keyed) TRY(restorer_new(limits, NULL, 0, &m->restorer, err));
    TRY(batch_new(m->store, &m->batch, err));
    TRY(origin_read(origin, take, m, err));
    collection_let_go(m->store);
    TRY(batch_commit(m->batch, err));
    return collection_catch_up(m->store, err);
}

stemma_status merge_documents(struct collection *store, const struct stemma_recipe *recipe,
                              const stemma_limits *limits, struct origin *origin, const char *prefix,
                              struct merge_facts *facts, stemma_error *err) {
    struct merging m = {.store = store,
                        .theirs = origin_schema(origin),
                        .shortening.from = origin_schema(origin),
                        .done = facts};
    if (prefix) m.prefix = (struct cell){(const uint8_t *)prefix, strlen(prefix)};
    *facts = (struct merge_facts){0};
    stemma_status status = merge(&m, origin, recipe, limits, err);
    batch_free(m.batch);
    if (status != STEMMA_OK) collection_go_back(store);
    restorer_free(m.restorer);
    schema_release(&m.wanted);
    buf_release(&m.id);
    shortening_release(&m.shortening);
    return status;
}
