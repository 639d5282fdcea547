/* Collections held against a model: which version of each of a few documents counts. All that is kept of a
 * document follows from its id and version. */
#ifndef TESTS_COLLECTION_SUPPORT_H
#define TESTS_COLLECTION_SUPPORT_H

#include "base/alloc.h"
#include "base/rng.h"
#include "index/collection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)                                                                                             \
    do {                                                                                                     \
        stemma_error ok_error = {0};                                                                         \
        stemma_error *err = &ok_error;                                                                       \
        if ((call) != STEMMA_OK) fail_msg("%s: %s", #call, ok_error.message);                                \
    } while (0)

enum { MODEL_IDS = 160, WIDTH = 24, WORDS = 5, COLUMN_PART = 0, TEXT_PART = 1, WORD_PART = 2, HALF_PART = 3 };
enum { KIND_PLAIN = KIND_OTHERS, KIND_WORDS, KIND_WORD_KEYS, KIND_HALF_KEYS, KIND_MORE, KIND_MORE_KEYS };

struct model {
    uint32_t version[MODEL_IDS]; /* 0: not there */
    uint32_t next;
};

/* ---- what is kept of a document ---- */

static stemma_status word_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    const struct cell *cell = &row->cells[schema_find(schema, KIND_WORDS, 0)];
    (void)part;
    for (size_t at = 0; at + 8 <= cell->size; at += 8)
        if (!vec64_add(keys, load_u64(cell->bytes + at))) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status half_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    const struct cell *cell = &row->cells[schema_find(schema, KIND_PLAIN, 0)];
    (void)part;
    for (size_t i = 0; i < 2; i++)
        if (!vec64_add(keys, i << 32 | load_u32(cell->bytes + 4 * i))) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status more_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    int at = schema_find(schema, KIND_MORE, part->spec);
    return vec64_add(keys, load_u32(row->cells[at].bytes)) ? STEMMA_OK : fail_memory(err);
}

static const struct part_kind model_kinds[] = {
    {KIND_WORD_KEYS, word_keys}, {KIND_HALF_KEYS, half_keys}, {KIND_MORE_KEYS, more_keys}, {0, NULL}};

static inline void model_schema(struct schema *schema) {
    OK(schema_init(schema, "preset=text unit=word", err));
    OK(schema_add(schema, (struct part){KIND_PLAIN, 0, FORM_COLUMN, WIDTH}, err));
    OK(schema_add(schema, (struct part){KIND_WORDS, 0, FORM_TEXT, 16}, err));
    OK(schema_add(schema, (struct part){KIND_WORD_KEYS, 0, FORM_LOOKUP, 0}, err));
    OK(schema_add(schema, (struct part){KIND_HALF_KEYS, 0, FORM_LOOKUP, 0}, err));
}

/* Bytes that a row refers to. */
struct model_row {
    struct row row;
    char id[64];
    uint8_t facts[8], column[WIDTH], text[8 * WORDS + 3];
};

static inline uint64_t word_of(unsigned id, uint32_t version, unsigned word) {
    return word ? mix64((uint64_t)id << 40 ^ (uint64_t)version << 8 ^ word) : id % 4;
}

static inline void fill_model_row(struct model_row *r, unsigned id, uint32_t version) {
    memset(r, 0, sizeof *r);
    int size = snprintf(r->id, sizeof r->id, "folder/document %u.txt", id);
    store_u32(r->facts, id);
    store_u32(r->facts + 4, version);
    for (unsigned i = 0; i < WIDTH / 8; i++) store_u64(r->column + 8 * i, mix64(word_of(id, version, i + 1)));
    for (unsigned i = 0; i < WORDS; i++) store_u64(r->text + 8 * i, word_of(id, version, i));
    size_t text = 8 * WORDS + version % 4;
    r->row.id = (struct cell){(uint8_t *)r->id, (size_t)size};
    r->row.facts = (struct cell){r->facts, sizeof r->facts};
    r->row.cells[COLUMN_PART] = (struct cell){r->column, WIDTH};
    r->row.cells[TEXT_PART] = (struct cell){r->text, text};
}

/* ---- collection and model ---- */

static inline bool cells_equal(const struct cell *a, const struct cell *b) {
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static inline bool has_number(const struct vec64 *numbers, uint64_t number) {
    for (size_t i = 0; i < numbers->len; i++)
        if (numbers->data[i] == number) return true;
    return false;
}

static inline void check_lookups(struct collection *c, const struct model_row *r, uint64_t number) {
    for (unsigned i = 0; i < WORDS + 2; i++) {
        struct vec64 numbers = {0};
        uint64_t half = (uint64_t)(i - WORDS) << 32 | load_u32(r->column + 4 * (i - WORDS) % WIDTH);
        size_t part = i < WORDS ? WORD_PART : HALF_PART, count;
        uint64_t key = i < WORDS ? load_u64(r->text + 8 * i) : half;
        OK(collection_lookup(c, part, key, 0, &numbers, err));
        assert_true(has_number(&numbers, number));
        for (size_t n = 1; n < numbers.len; n++) assert_true(numbers.data[n - 1] < numbers.data[n]);
        OK(collection_count(c, part, key, 1000, &count, err));
        assert_int_equal(count, numbers.len);
        vec64_release(&numbers);
    }
}

static inline void check_document(struct collection *c, const struct model *model, unsigned id) {
    struct model_row r;
    uint64_t number;
    bool found;
    fill_model_row(&r, id, model->version[id]);
    OK(collection_find(c, r.row.id.bytes, r.row.id.size, &number, &found, err));
    assert_int_equal(found, model->version[id] != 0);
    if (!found) return;
    struct row row;
    OK(collection_record(c, number, &row, &found, err));
    assert_true(found && cells_equal(&row.id, &r.row.id) && cells_equal(&row.facts, &r.row.facts));
    OK(collection_row(c, number, &row, &found, err));
    assert_true(found && cells_equal(&row.id, &r.row.id) && cells_equal(&row.facts, &r.row.facts));
    assert_true(cells_equal(&row.cells[COLUMN_PART], &r.row.cells[COLUMN_PART]));
    assert_true(cells_equal(&row.cells[TEXT_PART], &r.row.cells[TEXT_PART]));
    check_lookups(c, &r, number);
}

static inline stemma_status count_postings(void *context, const struct record *postings, size_t count,
                                           stemma_error *err) {
    (void)postings;
    (void)err;
    *(uint64_t *)context += count;
    return STEMMA_OK;
}

/* Every row of the columns is of a document that counts, or of one that is gone. */
static inline void check_scan(struct collection *c, const struct model *model, uint64_t documents) {
    uint64_t live_rows = 0, postings = 0;
    for (size_t s = 0; s < collection_segments(c); s++) {
        size_t count;
        for (uint64_t row = 0; row < collection_segment_rows(c, s); row += count) {
            const uint8_t *bytes;
            OK(collection_rows(c, s, COLUMN_PART, row, &bytes, &count, err));
            uint8_t first[WIDTH];
            memcpy(first, bytes, WIDTH);
            uint64_t number;
            bool live, found;
            struct row record;
            for (size_t i = 0; i < count; i++) {
                OK(collection_number(c, s, row + i, &number, &live, err));
                live_rows += live;
            }
            OK(collection_number(c, s, row, &number, &live, err));
            OK(collection_record(c, number, &record, &found, err));
            assert_int_equal(found, live);
            if (!live) continue;
            struct model_row r;
            unsigned id = load_u32(record.facts.bytes);
            assert_true(id < MODEL_IDS);
            fill_model_row(&r, id, model->version[id]);
            assert_memory_equal(first, r.column, WIDTH);
        }
    }
    assert_int_equal(live_rows, documents);
    OK(collection_range(c, WORD_PART, 0, UINT64_MAX, count_postings, &postings, err));
    assert_int_equal(postings, documents * WORDS);
}

static inline void check_collection(struct collection *c, const struct model *model) {
    uint64_t documents = 0, walked = 0;
    struct collection_facts facts;
    for (unsigned id = 0; id < MODEL_IDS; id++) {
        check_document(c, model, id);
        documents += model->version[id] != 0;
    }
    collection_about(c, &facts);
    assert_int_equal(facts.documents, documents);
    check_scan(c, model, documents);
    uint64_t number = 0;
    bool found = true;
    for (;; number++, walked++) {
        OK(collection_next(c, number, &number, &found, err));
        if (!found) break;
    }
    assert_int_equal(walked, documents);
}

/* ---- changes ---- */

/* What a batch knows of a document before it is committed, wherever that stands by then. */
static inline stemma_status check_in_batch(struct batch *b, const struct model *model, unsigned id,
                                           struct id_place *place, stemma_error *err) {
    struct model_row r;
    struct row row;
    fill_model_row(&r, id, model->version[id]);
    TRY(batch_find(b, r.row.id.bytes, r.row.id.size, place, err));
    assert_int_equal(place->found, model->version[id] != 0);
    if (!place->found) return STEMMA_OK;
    TRY(batch_record(b, place, &row, err));
    assert_true(cells_equal(&row.id, &r.row.id) && cells_equal(&row.facts, &r.row.facts));
    TRY(batch_row(b, place, &row, err));
    assert_true(cells_equal(&row.id, &r.row.id) && cells_equal(&row.facts, &r.row.facts));
    assert_true(cells_equal(&row.cells[COLUMN_PART], &r.row.cells[COLUMN_PART]));
    assert_true(cells_equal(&row.cells[TEXT_PART], &r.row.cells[TEXT_PART]));
    return STEMMA_OK;
}

static inline stemma_status put_model(struct batch *b, struct model *model, unsigned id, stemma_error *err) {
    struct model_row r;
    struct id_place place;
    TRY(check_in_batch(b, model, id, &place, err));
    fill_model_row(&r, id, ++model->next);
    TRY(batch_put_at(b, &place, &r.row, NULL, err));
    model->version[id] = model->next;
    return STEMMA_OK;
}

static inline stemma_status remove_model(struct batch *b, struct model *model, unsigned id,
                                         stemma_error *err) {
    struct model_row r;
    bool there;
    fill_model_row(&r, id, 0);
    TRY(batch_remove(b, r.row.id.bytes, r.row.id.size, &there, err));
    assert_int_equal(there, model->version[id] != 0);
    model->version[id] = 0;
    return STEMMA_OK;
}

static inline stemma_status random_changes(struct batch *b, struct model *model, uint64_t *random,
                                           stemma_error *err) {
    unsigned changes = (unsigned)rng_below(random, 40), removals = (unsigned)rng_below(random, 100);
    unsigned span = 1 + (unsigned)rng_below(random, MODEL_IDS);
    for (unsigned i = 0; i < changes; i++) {
        unsigned id = (unsigned)rng_below(random, span);
        TRY(rng_below(random, 100) < removals ? remove_model(b, model, id, err)
                                              : put_model(b, model, id, err));
    }
    return STEMMA_OK;
}

/* One batch; on failure the model is as it was. */
static inline stemma_status random_commit(struct collection *c, struct model *model, uint64_t *random,
                                          stemma_error *err) {
    struct batch *b;
    struct model next = *model;
    TRY(batch_new(c, &b, err));
    stemma_status status = random_changes(b, &next, random, err);
    if (status == STEMMA_OK) status = batch_commit(b, err);
    batch_free(b);
    if (status == STEMMA_OK) *model = next;
    return status;
}

/* The documents from `first` up to `end`, as one commit. */
static inline void commit_models(struct collection *c, struct model *model, unsigned first, unsigned end) {
    struct batch *b;
    OK(batch_new(c, &b, err));
    for (unsigned id = first; id < end; id++) OK(put_model(b, model, id, err));
    OK(batch_commit(b, err));
    batch_free(b);
}

/* ---- folders ---- */

static inline int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

static inline void remove_folder(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline char *new_folder(void) {
    /* In memory, where there is such a place: what a sync costs is not tested. */
    char *path = strdup(access("/dev/shm", W_OK) ? "/tmp/stemma-collection-XXXXXX"
                                                 : "/dev/shm/stemma-collection-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline struct collection *open_model(const char *path, const struct disk *disk, size_t memory) {
    struct collection *c;
    struct schema schema;
    model_schema(&schema);
    struct collection_options options = {
        .schema = &schema, .kinds = model_kinds, .disk = disk, .who = "test", .memory = memory};
    OK(collection_open(path, &options, &c, err));
    schema_release(&schema);
    return c;
}

static inline void end_model(struct collection *c, char *path) {
    collection_close(c);
    remove_folder(path);
    free(path);
}

static inline struct collection *read_model(const char *path) {
    struct collection *c;
    OK(collection_open_read(path, &(struct collection_options){.kinds = model_kinds}, &c, err));
    return c;
}

#endif
