/* A file of all documents of a collection: what it keeps, then blocks of rows. (docs/format.md, section 9) */
#include "index/transfer.h"

#include "base/alloc.h"
#include "base/file.h"
#include "index/state.h"
#include "runs/block.h"

#include <string.h>
#include <sys/stat.h>

#define EXPORT_MAGIC "\x8bSTX\r\n\x1a\n"

enum {
    EXPORT_VERSION = 1,
    HEADER = 24,         /* magic, version, parts, length of the recipe, 0 */
    BLOCK = 16,          /* checksum, rows, bytes; 0 rows: the end, then how many documents there were */
    BLOCK_SOME = 1 << 18 /* bytes of rows from which a block is written */
};

/* ---- writing ---- */

struct exporter {
    struct output output;
    uint64_t at, documents;
    struct stored_rows rows;
};

/* The first word is its checksum. */
static stemma_status put(struct exporter *x, struct buf *block, stemma_error *err) {
    bool kept = true;
    while (kept && block->len % 8) kept = buf_add_byte(block, 0);
    if (!kept) return fail_memory(err);
    store_u64(block->data, words_checksum(block->data + 8, block->len - 8, x->at));
    x->at += block->len;
    return output_write(&x->output, block->data, block->len, err);
}

static stemma_status put_header(struct exporter *x, const struct schema *schema, stemma_error *err) {
    struct buf bytes = {0};
    uint32_t recipe = (uint32_t)strlen(schema->recipe);
    bool kept = buf_add_u64(&bytes, 0) && buf_add_u32(&bytes, EXPORT_VERSION) &&
                buf_add_u32(&bytes, (uint32_t)schema->count) && buf_add_u32(&bytes, recipe) &&
                buf_add_u32(&bytes, 0) && schema_write(schema, &bytes);
    x->at = 8; /* behind the magic */
    stemma_status status = kept ? output_write(&x->output, EXPORT_MAGIC, 8, err) : fail_memory(err);
    if (status == STEMMA_OK) status = put(x, &bytes, err);
    buf_release(&bytes);
    return status;
}

static stemma_status put_rows(struct exporter *x, stemma_error *err) {
    struct buf block = {0};
    size_t rows = x->rows.starts.len;
    bool kept = buf_add_u64(&block, 0) && buf_add_u32(&block, (uint32_t)rows) &&
                buf_add_u32(&block, (uint32_t)x->rows.bytes.len) &&
                buf_add(&block, x->rows.bytes.data, x->rows.bytes.len);
    stemma_status status = kept ? put(x, &block, err) : fail_memory(err);
    buf_release(&block);
    x->documents += rows;
    rows_clear(&x->rows);
    return status;
}

static stemma_status put_end(struct exporter *x, stemma_error *err) {
    uint64_t documents = x->documents;
    if (!buf_add_u64(&x->rows.bytes, documents)) return fail_memory(err);
    return put_rows(x, err);
}

static stemma_status put_all(struct exporter *x, struct collection *c, stemma_error *err) {
    const struct schema *schema = collection_schema(c);
    TRY(put_header(x, schema, err));
    for (uint64_t number = 0;; number++) {
        struct row row;
        bool found;
        TRY(check_stop(c->stop, err));
        TRY(collection_next(c, number, &number, &found, err));
        if (!found) break;
        TRY(collection_row(c, number, &row, &found, err));
        if (!rows_reserve(&x->rows, schema, &row)) return fail_memory(err);
        rows_add(&x->rows, schema, &row);
        if (x->rows.bytes.len >= BLOCK_SOME) TRY(put_rows(x, err));
    }
    if (x->rows.starts.len) TRY(put_rows(x, err));
    return put_end(x, err);
}

stemma_status collection_export(struct collection *c, const char *path, uint64_t *documents,
                                stemma_error *err) {
    struct exporter x = {0};
    TRY(output_open(&x.output, path, err));
    stemma_status status = put_all(&x, c, err);
    rows_release(&x.rows);
    if (status != STEMMA_OK)
        output_abandon(&x.output);
    else
        status = output_commit(&x.output, err);
    if (status == STEMMA_OK && documents) *documents = x.documents;
    return status;
}

/* ---- reading ---- */

struct origin {
    struct collection *collection; /* NULL: a file */
    struct input input;
    char *path;
    uint64_t at;
    struct schema schema;
    struct buf block;
    struct stored_rows rows; /* of a block */
};

static stemma_status damaged(const struct origin *o, const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged at byte %llu: %s", o->path, (unsigned long long)o->at,
                what);
}

/* Behind what the block has; memory grows with what is there, not with what is said to be. */
static stemma_status get(struct origin *o, size_t size, stemma_error *err) {
    while (size) {
        size_t part = size < BLOCK_SOME ? size : BLOCK_SOME, got;
        if (!buf_reserve(&o->block, part)) return fail_memory(err);
        TRY(input_read(&o->input, o->block.data + o->block.len, part, &got, err));
        if (got == 0) return damaged(o, "it ends too early", err);
        o->block.len += got;
        size -= got;
    }
    return STEMMA_OK;
}

static stemma_status check_sum(struct origin *o, stemma_error *err) {
    if (load_u64(o->block.data) != words_checksum(o->block.data + 8, o->block.len - 8, o->at))
        return damaged(o, "checksum differs", err);
    o->at += o->block.len;
    return STEMMA_OK;
}

/* As far as it goes. */
static bool begins_as_export(const struct buf *block) {
    return block->len > 0 && !memcmp(block->data, EXPORT_MAGIC, block->len);
}

static stemma_status read_header(struct origin *o, stemma_error *err) {
    stemma_error cause;
    stemma_status status = get(o, 8, &cause);
    if ((status == STEMMA_OK || status == STEMMA_CORRUPT) && !begins_as_export(&o->block))
        return fail(err, STEMMA_INVALID, "'%s' is neither a collection nor an export of one", o->path);
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    o->at = 8;
    o->block.len = 0;
    TRY(get(o, HEADER, err));
    uint32_t parts = load_u32(o->block.data + 12), recipe = load_u32(o->block.data + 16);
    if (parts > PARTS_MOST || recipe > SCHEMA_RECIPE_MOST) return damaged(o, "more than can be kept", err);
    TRY(get(o, schema_bytes(recipe, parts), err));
    uint32_t version = load_u32(o->block.data + 8);
    TRY(check_sum(o, err));
    if (version > EXPORT_VERSION)
        return fail(err, STEMMA_LATER_VERSION,
                    "'%s' was made by a later version (format %u; this program reads up to %d)", o->path,
                    version, EXPORT_VERSION);
    status = schema_read(&o->schema, o->block.data + HEADER, recipe, parts, &cause);
    if (status == STEMMA_CORRUPT) return damaged(o, cause.message, err);
    return status == STEMMA_OK ? STEMMA_OK : fail(err, status, "%s", cause.message);
}

/* Where rows begin; false when they do not fill their bytes. */
static bool find_rows(struct origin *o, size_t rows, bool *kept) {
    size_t cells = 2, at = 0;
    *kept = true;
    for (size_t i = 0; i < o->schema.count; i++) cells += o->schema.parts[i].form != FORM_LOOKUP;
    o->rows.starts.len = 0;
    for (size_t r = 0; r < rows; r++) {
        if (!(*kept = vec64_add(&o->rows.starts, at))) return false;
        for (size_t i = 0; i < cells; i++) {
            if (o->rows.bytes.len - at < 4) return false;
            size_t size = load_u32(o->rows.bytes.data + at);
            if (size > o->rows.bytes.len - at - 4) return false;
            at += 4 + size;
        }
    }
    return at == o->rows.bytes.len;
}

/* *rows is 0 at the end. */
static stemma_status read_block(struct origin *o, size_t *rows, uint64_t before, stemma_error *err) {
    bool kept;
    o->block.len = 0;
    TRY(get(o, BLOCK, err));
    size_t bytes = load_u32(o->block.data + 12);
    *rows = load_u32(o->block.data + 8);
    TRY(get(o, whole_words(bytes), err));
    TRY(check_sum(o, err));
    if (*rows == 0)
        return bytes == 8 && load_u64(o->block.data + BLOCK) == before
                   ? STEMMA_OK
                   : damaged(o, "documents are missing", err);
    o->rows.bytes.len = 0;
    if (!buf_add(&o->rows.bytes, o->block.data + BLOCK, bytes)) return fail_memory(err);
    if (find_rows(o, *rows, &kept)) return STEMMA_OK;
    return kept ? damaged(o, "rows do not fill a block", err) : fail_memory(err);
}

static stemma_status read_file(struct origin *o, take_document *take, void *context, stemma_error *err) {
    for (uint64_t before = 0;;) {
        size_t rows;
        TRY(read_block(o, &rows, before, err));
        if (rows == 0) return STEMMA_OK;
        for (size_t i = 0; i < rows; i++) {
            struct row row;
            rows_get(&o->rows, &o->schema, i, &row);
            TRY(take(context, &row, err));
        }
        before += rows;
    }
}

static stemma_status read_collection(struct collection *c, take_document *take, void *context,
                                     stemma_error *err) {
    for (uint64_t number = 0;; number++) {
        struct row row;
        bool found;
        TRY(collection_next(c, number, &number, &found, err));
        if (!found) return STEMMA_OK;
        TRY(collection_row(c, number, &row, &found, err));
        TRY(take(context, &row, err));
    }
}

stemma_status origin_read(struct origin *o, take_document *take, void *context, stemma_error *err) {
    return o->collection ? read_collection(o->collection, take, context, err)
                         : read_file(o, take, context, err);
}

const struct schema *origin_schema(const struct origin *o) {
    return o->collection ? collection_schema(o->collection) : &o->schema;
}

static stemma_status open_file(struct origin *o, const struct collection_options *options,
                               stemma_error *err) {
    TRY(input_open(&o->input, o->path, err));
    o->input.stop = options->stop;
    return read_header(o, err);
}

stemma_status origin_open(const char *path, const struct collection_options *options, struct origin **out,
                          stemma_error *err) {
    struct stat facts;
    struct origin *o = mem_zero(1, sizeof *o);
    if (!o) return fail_memory(err);
    o->input.fd = -1;
    o->path = mem_copy_string(path);
    bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    stemma_status status = !o->path ? fail_memory(err)
                           : folder ? collection_open_read(path, options, &o->collection, err)
                                    : open_file(o, options, err);
    if (status == STEMMA_OK)
        *out = o;
    else
        origin_close(o);
    return status;
}

void origin_close(struct origin *o) {
    if (!o) return;
    collection_close(o->collection);
    if (o->input.fd >= 0) input_close(&o->input);
    schema_release(&o->schema);
    buf_release(&o->block);
    rows_release(&o->rows);
    mem_free(o->path);
    mem_free(o);
}
