#include "collect/again.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "index/stored_text.h"
#include "read/container.h"
#include "read/dataset.h"
#include "read/document.h"
#include "read/format.h"
#include "shingle/whole.h"

#include <string.h>

/* A document and its text take so many times its bytes while they are compared. */
enum { TIMES = 8 };

struct again {
    stemma_limits limits;
    struct document_options reading;
    struct extractor extractor;
    struct whole *whole;
    struct buf path, bytes, field, stored;
    /* The data set that was read last, and where its batches are, of one that is read in order only. */
    char *dataset_path;
    struct dataset *dataset;
    struct dataset_batch batch;
    struct record_reader records;
};

stemma_status again_new(const struct stemma_recipe *recipe, const stemma_limits *limits, struct again **out,
                        stemma_error *err) {
    struct again *a = mem_zero(1, sizeof *a);
    if (!a) return fail_memory(err);
    a->limits = *limits;
    a->reading = document_options_for(recipe->view.folds, limits);
    a->reading.limits.memory = limits->memory / 2;
    stemma_status status = whole_new(&recipe->view, &recipe->tables, &a->whole, err);
    if (status == STEMMA_OK)
        *out = a;
    else
        again_free(a);
    return status;
}

static void close_dataset(struct again *a) {
    dataset_close(a->dataset);
    mem_free(a->dataset_path);
    a->dataset = NULL;
    a->dataset_path = NULL;
    a->batch.bytes.len = 0;
}

void again_free(struct again *a) {
    if (!a) return;
    close_dataset(a);
    dataset_batch_release(&a->batch);
    record_reader_release(&a->records);
    extractor_release(&a->extractor);
    whole_free(a->whole);
    buf_release(&a->path);
    buf_release(&a->bytes);
    buf_release(&a->field);
    buf_release(&a->stored);
    mem_free(a);
}

static size_t held_most(const struct again *a) {
    return a->limits.memory / TIMES;
}

/* ---- bytes ---- */

static bool has_digest(const uint8_t *bytes, size_t size, const uint8_t digest[FACTS_DIGEST]) {
    uint8_t made[DIGEST_SIZE];
    struct digest state;
    digest_init(&state);
    digest_add(&state, bytes, size);
    digest_finish(&state, made);
    return memcmp(made, digest, FACTS_DIGEST) == 0;
}

static bool same_bytes(const struct again *a, const struct facts *facts) {
    return a->bytes.len == facts->bytes && has_digest(a->bytes.data, a->bytes.len, facts->digest);
}

static stemma_status read_file(struct again *a, const char *path, stemma_error *err) {
    struct input input;
    TRY(input_open(&input, path, err));
    input.stop = a->limits.stop;
    stemma_status status = input_read_all(&input, held_most(a), &a->bytes, err);
    input_close(&input);
    return status;
}

static stemma_status read_member(struct again *a, const char *id, stemma_error *err) {
    const struct container_options options = {
        .document = a->reading, .held_most = held_most(a), .stop = a->limits.stop};
    return container_read(id, &options, &a->bytes, err);
}

static stemma_status open_dataset(struct again *a, const char *path, stemma_error *err) {
    if (a->dataset && strcmp(a->dataset_path, path) == 0) return STEMMA_OK;
    close_dataset(a);
    const struct dataset_options options = {.whole = true,
                                            .record_most = held_most(a),
                                            .directory = a->limits.temporary_directory,
                                            .stop = a->limits.stop};
    a->dataset_path = mem_copy_string(path);
    if (!a->dataset_path) return fail_memory(err);
    return dataset_open(path, &options, &a->dataset, err);
}

/* Of a data set that is read in order: the batch that holds the offset, from where the last one was. */
static stemma_status go_to(struct again *a, uint64_t offset, bool *found, stemma_error *err) {
    bool more = true;
    if (offset < a->batch.offset) TRY(dataset_rewind(a->dataset, err));
    if (offset < a->batch.offset) a->batch.bytes.len = 0;
    while (more && (a->batch.bytes.len == 0 || offset >= a->batch.offset + a->batch.bytes.len))
        TRY(dataset_next(a->dataset, &a->batch, &more, err));
    *found = more;
    return STEMMA_OK;
}

static stemma_status read_in_order(struct again *a, uint64_t offset, const uint8_t **text, size_t *size,
                                   stemma_error *err) {
    struct dataset_record record;
    bool found, more = true;
    TRY(go_to(a, offset, &found, err));
    if (found) record_reader_begin(&a->records, a->dataset, &a->batch);
    while (found && more) {
        stemma_status status = record_reader_next(&a->records, &record, &more, err);
        if (status == STEMMA_CORRUPT && record.offset != offset) continue;
        TRY(status);
        if (!more || record.offset != offset) continue;
        *text = record.text;
        *size = record.text_size;
        return STEMMA_OK;
    }
    return fail(err, STEMMA_NOT_FOUND, "the record is no longer there");
}

/* The field of a record that was the document. */
static stemma_status find_field(struct again *a, const uint8_t *record, size_t record_size,
                                const struct facts *facts, bool *same, stemma_error *err) {
    const uint8_t *at = record, *end = record + record_size, *field;
    size_t size;
    bool more;
    for (*same = false; !*same;) {
        TRY(dataset_next_field(a->dataset, &at, end, &a->field, &field, &size, &more, err));
        if (!more) return STEMMA_OK;
        *same = size == facts->bytes && has_digest(field, size, facts->digest);
    }
    return buf_add(&a->bytes, field, size) ? STEMMA_OK : fail_memory(err);
}

static stemma_status read_record(struct again *a, const char *path, const struct facts *facts, bool *same,
                                 stemma_error *err) {
    const uint8_t *record;
    size_t size;
    TRY(open_dataset(a, path, err));
    TRY(dataset_random_access(a->dataset) ? dataset_text_at(a->dataset, facts->offset, facts->record_bytes,
                                                            &a->records, &record, &size, err)
                                          : read_in_order(a, facts->offset, &record, &size, err));
    return find_field(a, record, size, facts, same, err);
}

/* Ids have no NUL; so neither has the path, which is how they begin. */
static stemma_status set_path(struct again *a, struct cell id, size_t size, stemma_error *err) {
    a->path.len = 0;
    return buf_add(&a->path, id.bytes, size) && buf_add_byte(&a->path, 0) ? STEMMA_OK : fail_memory(err);
}

/* *same: they are those that were added. */
static stemma_status read_bytes(struct again *a, struct cell id, const struct facts *facts, const char **name,
                                bool *same, stemma_error *err) {
    const bool inside = facts_inside(facts, id.size), record = inside && facts->record_bytes > 0;
    a->bytes.len = 0;
    if (facts->path_bytes == 0 || facts->path_bytes > id.size)
        return fail(err, STEMMA_NOT_FOUND, "it was not a file");
    TRY(set_path(a, id, record || !inside ? facts->path_bytes : id.size, err));
    const char *path = (const char *)a->path.data;
    *name = record ? NULL : path;
    if (record) return read_record(a, path, facts, same, err);
    TRY(inside ? read_member(a, path, err) : read_file(a, path, err));
    *same = same_bytes(a, facts);
    return STEMMA_OK;
}

/* ---- text ---- */

static stemma_status make_text_as(struct again *a, const char *name, enum encoding encoding,
                                  struct again_text *out, stemma_error *err) {
    struct document_text text;
    struct document_options reading = a->reading;
    reading.encoding = encoding;
    TRY(document_extract(&a->extractor, name, a->bytes.data, a->bytes.len, &reading, &text, err));
    out->name = name;
    out->bytes = a->bytes.data;
    out->size = a->bytes.len;
    return whole_canon(a->whole, text.bytes, text.size, &out->text, &out->text_size, err);
}

bool again_is_text(const struct again_text *text, const struct facts *facts) {
    return text->text_size == facts->text_bytes &&
           has_digest(text->text, text->text_size, facts->text_digest);
}

/* Where no encoding makes the text that was added, it is that of another converter: the one asked for counts.
 */
static stemma_status make_text(struct again *a, const char *name, const struct facts *facts,
                               struct again_text *out, stemma_error *err) {
    TRY(make_text_as(a, name, a->reading.encoding, out, err));
    if (again_is_text(out, facts) || !format_is_characters((enum text_format)facts->format)) return STEMMA_OK;
    TRY(make_text_as(a, name, (enum encoding)(facts->way & UINT8_MAX), out, err));
    if (again_is_text(out, facts)) return STEMMA_OK;
    for (enum encoding encoding = ENCODING_AUTO; encoding <= ENCODING_UTF16; encoding++) {
        TRY(make_text_as(a, name, encoding, out, err));
        if (again_is_text(out, facts)) return STEMMA_OK;
    }
    return make_text_as(a, name, a->reading.encoding, out, err);
}

static bool ends_all(stemma_status status) {
    return status == STEMMA_INTERRUPTED || status == STEMMA_NO_MEMORY;
}

stemma_status again_read(struct again *a, struct cell id, const struct facts *facts, struct again_text *out,
                         stemma_evidence *evidence, stemma_error *err) {
    const char *name = NULL;
    stemma_error cause;
    bool same;
    stemma_status status = read_bytes(a, id, facts, &name, &same, &cause);
    *evidence = STEMMA_FROM_GONE;
    if (status == STEMMA_OK) {
        *evidence = STEMMA_FROM_CHANGED;
        if (!same) return STEMMA_OK;
        status = make_text(a, name, facts, out, &cause);
    }
    if (ends_all(status)) return fail(err, status, "%s", cause.message);
    if (status == STEMMA_OK) *evidence = STEMMA_FROM_ORIGINAL;
    return STEMMA_OK;
}

stemma_status again_stored(struct again *a, struct cell stored, const struct facts *facts,
                           struct again_text *out, stemma_evidence *evidence, stemma_error *err) {
    if (stored.size == 0) return STEMMA_OK;
    TRY(stored_text_unpack(stored.bytes, stored.size, facts->text_bytes, &a->stored, err));
    *out = (struct again_text){.text = a->stored.data, .text_size = a->stored.len};
    *evidence = STEMMA_FROM_STORED;
    return STEMMA_OK;
}
