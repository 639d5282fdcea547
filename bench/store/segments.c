/* Candidate C, which was taken: the store of collections itself (src/index/collection.h). */
#include "index/collection.h"
#include "index/verify.h"
#include "store/workload.h"

#include "base/alloc.h"

#include <string.h>

const char *const store_name = "segments";

enum { MINIMA_PART, BITS_PART, BANDS_PART, SAMPLES_PART };
enum { KIND_MADE_BANDS = KIND_OTHERS, KIND_MADE_SAMPLES };

struct store {
    char *directory;
    struct collection *collection;
};

/* A document is made from its number, which the facts begin with: so are its keys. */
static const struct document *made_last(const struct row *row) {
    static struct document last;
    static bool any;
    uint64_t number = load_u64(row->facts.bytes);
    if (!any || last.number != number) make_document(number, &last);
    any = true;
    return &last;
}

static stemma_status band_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    (void)schema;
    (void)part;
    return vec64_add_all(keys, made_last(row)->bands, BANDS) ? STEMMA_OK : fail_memory(err);
}

static stemma_status sample_keys(const struct schema *schema, const struct part *part, const struct row *row,
                                 struct vec64 *keys, stemma_error *err) {
    (void)schema;
    (void)part;
    return vec64_add_all(keys, made_last(row)->samples, SAMPLES) ? STEMMA_OK : fail_memory(err);
}

static const struct part_kind kinds[] = {
    {KIND_MADE_BANDS, band_keys}, {KIND_MADE_SAMPLES, sample_keys}, {0, NULL}};

static stemma_status make_schema(struct schema *schema, stemma_error *err) {
    TRY(schema_init(schema, "made documents", err));
    TRY(schema_add(schema, (struct part){KIND_MINIMA, 0, FORM_COLUMN, MINIMA}, err));
    TRY(schema_add(schema, (struct part){KIND_BITS, 0, FORM_COLUMN, BITS}, err));
    TRY(schema_add(schema, (struct part){KIND_MADE_BANDS, 0, FORM_LOOKUP, 0}, err));
    return schema_add(schema, (struct part){KIND_MADE_SAMPLES, 0, FORM_LOOKUP, 0}, err);
}

static stemma_status open_store(struct store *s, bool writes, stemma_error *err) {
    struct schema schema = {0};
    struct collection_options options = {.kinds = kinds};
    if (!writes) return collection_open_read(s->directory, &options, &s->collection, err);
    stemma_status status = make_schema(&schema, err);
    options.schema = &schema;
    if (status == STEMMA_OK) status = collection_open(s->directory, &options, &s->collection, err);
    schema_release(&schema);
    return status;
}

stemma_status store_open(const char *directory, bool writes, struct store **out, stemma_error *err) {
    struct store *s = mem_zero(1, sizeof *s);
    if (!s || !(s->directory = mem_copy_string(directory))) {
        mem_free(s);
        return fail_memory(err);
    }
    stemma_status status = open_store(s, writes, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

void store_close(struct store *s) {
    if (!s) return;
    collection_close(s->collection);
    mem_free(s->directory);
    mem_free(s);
}

stemma_status store_refresh(struct store *s, uint64_t *documents, stemma_error *err) {
    struct collection_facts facts;
    TRY(collection_follow(s->collection, NULL, err));
    collection_about(s->collection, &facts);
    *documents = facts.next_number;
    return STEMMA_OK;
}

/* The number stands where a fact would. */
static stemma_status put(struct batch *batch, const struct document *d, stemma_error *err) {
    uint8_t facts[8 + FACTS];
    store_u64(facts, d->number);
    memcpy(facts + 8, d->facts, FACTS);
    struct row row = {.id = {(const uint8_t *)d->id, d->id_size},
                      .facts = {facts, sizeof facts},
                      .cells = {{d->minima, MINIMA}, {d->bits, BITS}}};
    return batch_put(batch, &row, NULL, err);
}

stemma_status store_append(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    struct batch *batch;
    TRY(batch_new(s->collection, &batch, err));
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < count && status == STEMMA_OK; i++) status = put(batch, &documents[i], err);
    if (status == STEMMA_OK) status = batch_commit(batch, err);
    batch_free(batch);
    return status;
}

stemma_status store_remove(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    struct batch *batch;
    TRY(batch_new(s->collection, &batch, err));
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < count && status == STEMMA_OK; i++)
        status = batch_remove(batch, documents[i].id, documents[i].id_size, NULL, err);
    if (status == STEMMA_OK) status = batch_commit(batch, err);
    batch_free(batch);
    return status;
}

stemma_status store_reclaim(struct store *s, stemma_error *err) {
    return collection_compact(s->collection, err);
}

stemma_status store_find(struct store *s, const char *id, size_t id_size, uint8_t facts[FACTS],
                         uint64_t *number, bool *found, stemma_error *err) {
    struct row row;
    TRY(collection_find(s->collection, id, id_size, number, found, err));
    if (!*found) return STEMMA_OK;
    TRY(collection_record(s->collection, *number, &row, found, err));
    memcpy(facts, row.facts.bytes + 8, FACTS);
    return STEMMA_OK;
}

stemma_status store_minima(struct store *s, uint64_t number, uint8_t minima[MINIMA], bool *found,
                           stemma_error *err) {
    struct cell cell;
    TRY(collection_cell(s->collection, number, MINIMA_PART, &cell, found, err));
    if (*found) memcpy(minima, cell.bytes, MINIMA);
    return STEMMA_OK;
}

stemma_status store_list(struct store *s, enum index index, uint64_t key, uint64_t *numbers, size_t room,
                         size_t *count, stemma_error *err) {
    static struct vec64 found; /* kept, as a query would */
    found.len = 0;
    TRY(collection_lookup(s->collection, index == INDEX_BANDS ? BANDS_PART : SAMPLES_PART, key, room, &found,
                          err));
    memcpy(numbers, found.data, found.len * sizeof *numbers);
    *count = found.len;
    return STEMMA_OK;
}

static stemma_status near_in(struct collection *c, size_t segment, const uint8_t bits[BITS], unsigned radius,
                             uint64_t *near, stemma_error *err) {
    uint64_t number;
    size_t count;
    bool live;
    for (uint64_t row = 0; row < collection_segment_rows(c, segment); row += count) {
        const uint8_t *at;
        TRY(collection_rows(c, segment, BITS_PART, row, &at, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (bits_apart(at + i * BITS, bits) > radius) continue;
            TRY(collection_number(c, segment, row + i, &number, &live, err));
            *near += live;
        }
    }
    return STEMMA_OK;
}

stemma_status store_near(struct store *s, const uint8_t bits[BITS], unsigned radius, uint64_t *count,
                         stemma_error *err) {
    *count = 0;
    for (size_t i = 0; i < collection_segments(s->collection); i++)
        TRY(near_in(s->collection, i, bits, radius, count, err));
    return STEMMA_OK;
}

static stemma_status digest_postings(void *context, const struct record *postings, size_t count,
                                     stemma_error *err) {
    uint64_t *digest = context;
    (void)err;
    for (size_t i = 0; i < count; i++) *digest += mix64(postings[i].key ^ mix64(postings[i].value));
    return STEMMA_OK;
}

static void forget(void *context, const char *text) {
    (void)text;
    ++*(uint64_t *)context;
}

/* All rows and postings by the ways above; then verify, which reads what no question meets, too. */
stemma_status store_digest(struct store *s, uint64_t *digest, stemma_error *err) {
    struct collection *c = s->collection;
    struct collection_facts facts;
    struct verify_facts checked;
    uint64_t findings = 0;
    collection_about(c, &facts);
    *digest = facts.next_number;
    for (uint64_t number = 0;; number++) {
        struct row row;
        bool found;
        TRY(collection_next(c, number, &number, &found, err));
        if (!found) break;
        TRY(collection_row(c, number, &row, &found, err));
        *digest += hash_bytes(row.id.bytes, row.id.size, number) +
                   hash_bytes(row.facts.bytes, row.facts.size, number) +
                   hash_bytes(row.cells[MINIMA_PART].bytes, MINIMA, number) +
                   hash_bytes(row.cells[BITS_PART].bytes, BITS, number);
    }
    TRY(collection_range(c, BANDS_PART, 0, UINT64_MAX, digest_postings, digest, err));
    TRY(collection_range(c, SAMPLES_PART, 0, UINT64_MAX, digest_postings, digest, err));
    TRY(collection_verify(s->directory, &(struct collection_options){.kinds = kinds}, false, NULL, forget,
                          &findings, &checked, err));
    return findings ? fail(err, STEMMA_CORRUPT, "verify has found damage") : STEMMA_OK;
}
