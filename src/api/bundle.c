/* Bundles: sketches of one recipe in a file. */
#include "base/alloc.h"
#include "base/file.h"
#include "sketch/sketch.h"

/* A bundle is read whole: it is small beside the documents, and checksums are checked record by record. */
#define BUNDLE_MOST ((size_t)64 << 30)

struct stemma_writer {
    struct output output;
    const struct stemma_recipe *recipe; /* NULL before the first sketch */
    uint64_t count;
    stemma_status failed; /* the first failure to write: the file has a hole */
};

stemma_status stemma_writer_open(const char *path, stemma_writer **out, stemma_error *err) {
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the writer are needed");
    stemma_writer *writer = mem_zero(1, sizeof *writer);
    if (!writer) return fail_memory(err);
    stemma_status status = output_open(&writer->output, path, err);
    if (status != STEMMA_OK) {
        mem_free(writer);
        return status;
    }
    *out = writer;
    return STEMMA_OK;
}

static stemma_status refuse_failed(const stemma_writer *writer, stemma_error *err) {
    if (writer->failed == STEMMA_OK) return STEMMA_OK;
    return fail(err, writer->failed, "cannot write '%s': it failed before: %s", writer->output.path,
                stemma_status_text(writer->failed));
}

static stemma_status write_buf(stemma_writer *writer, stemma_status made, struct buf *bytes,
                               stemma_error *err) {
    stemma_status status = made;
    if (status == STEMMA_OK) status = output_write(&writer->output, bytes->data, bytes->len, err);
    buf_release(bytes);
    writer->failed = status;
    return status;
}

static stemma_status begin(stemma_writer *writer, const struct stemma_recipe *recipe, stemma_error *err) {
    struct buf bytes = {0};
    TRY(write_buf(writer, codec_put_header(recipe, &bytes, err), &bytes, err));
    writer->recipe = recipe_retain(recipe);
    return STEMMA_OK;
}

stemma_status stemma_writer_add(stemma_writer *writer, const stemma_sketch *sketch, stemma_error *err) {
    struct buf bytes = {0};
    if (!writer || !sketch) return fail(err, STEMMA_INVALID, "a writer and a sketch are needed");
    TRY(refuse_failed(writer, err));
    if (writer->recipe)
        TRY(recipe_equal(writer->recipe, sketch->recipe, err));
    else
        TRY(begin(writer, sketch->recipe, err));
    TRY(write_buf(writer, codec_put_sketch(sketch, &bytes, err), &bytes, err));
    writer->count++;
    return STEMMA_OK;
}

/* An empty bundle has a recipe all the same. */
static stemma_status begin_empty(stemma_writer *writer, stemma_error *err) {
    struct stemma_recipe *usual;
    TRY(recipe_parse("", 0, &usual, err));
    stemma_status status = begin(writer, usual, err);
    recipe_release(usual);
    return status;
}

static stemma_status end(stemma_writer *writer, stemma_error *err) {
    struct buf bytes = {0};
    if (!writer->recipe) TRY(begin_empty(writer, err));
    return write_buf(writer, codec_put_end(writer->count, &bytes, err), &bytes, err);
}

stemma_status stemma_writer_close(stemma_writer *writer, stemma_error *err) {
    if (!writer) return fail(err, STEMMA_INVALID, "a writer is needed");
    stemma_status status = refuse_failed(writer, err);
    if (status == STEMMA_OK) status = end(writer, err);
    if (status == STEMMA_OK)
        status = output_commit(&writer->output, err);
    else
        output_abandon(&writer->output);
    recipe_release(writer->recipe);
    mem_free(writer);
    return status;
}

void stemma_writer_abandon(stemma_writer *writer) {
    if (!writer) return;
    output_abandon(&writer->output);
    recipe_release(writer->recipe);
    mem_free(writer);
}

/* ---- reading ---- */

struct stemma_reader {
    struct buf owned;
    const uint8_t *bytes;
    size_t size, at;
    struct stemma_recipe *recipe; /* which all its sketches share */
    uint64_t count;
    bool ended;
    char *path; /* for messages; NULL for memory */
};

/* Put the file's name in front of what the codec says. */
static stemma_status named(const stemma_reader *reader, stemma_status status, stemma_error *err) {
    if (status == STEMMA_OK || !err || !reader->path || status == STEMMA_NO_MEMORY) return status;
    stemma_error inner = *err;
    return fail(err, status, "cannot read '%.200s': %.280s", reader->path, inner.message);
}

static stemma_status reader_load(stemma_reader *reader, const char *path, stemma_error *err) {
    struct input input;
    reader->path = mem_copy_string(path);
    if (!reader->path) return fail_memory(err);
    TRY(input_open(&input, path, err));
    stemma_status status = input_read_all(&input, BUNDLE_MOST, &reader->owned, err);
    input_close(&input);
    reader->bytes = reader->owned.data;
    reader->size = reader->owned.len;
    return status;
}

static stemma_status reader_new(const char *path, const void *data, size_t size, stemma_reader **out,
                                stemma_error *err) {
    stemma_reader *reader = mem_zero(1, sizeof *reader);
    stemma_status status = STEMMA_OK;
    if (!reader) return fail_memory(err);
    reader->bytes = data;
    reader->size = size;
    if (path) status = reader_load(reader, path, err);
    if (status == STEMMA_OK)
        status = named(reader,
                       codec_get_header(reader->bytes, reader->size, &reader->at, &reader->recipe, err), err);
    if (status != STEMMA_OK) {
        stemma_reader_free(reader);
        return status;
    }
    *out = reader;
    return STEMMA_OK;
}

stemma_status stemma_reader_open(const char *path, stemma_reader **out, stemma_error *err) {
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the reader are needed");
    return reader_new(path, NULL, 0, out, err);
}

stemma_status stemma_reader_open_bytes(const void *data, size_t size, stemma_reader **out,
                                       stemma_error *err) {
    if ((!data && size) || !out)
        return fail(err, STEMMA_INVALID, "bytes and a place for the reader are needed");
    return reader_new(NULL, data, size, out, err);
}

stemma_status stemma_reader_next(stemma_reader *reader, stemma_sketch **out, stemma_error *err) {
    stemma_sketch *sketch = NULL;
    if (!reader || !out) return fail(err, STEMMA_INVALID, "a reader and a place for the sketch are needed");
    if (reader->ended) return STEMMA_NOT_FOUND;
    stemma_status status = codec_get_sketch(reader->bytes, reader->size, &reader->at, reader->recipe,
                                            reader->count, &sketch, err);
    if (status != STEMMA_OK) return named(reader, status, err);
    if (!sketch) {
        reader->ended = true;
        return STEMMA_NOT_FOUND;
    }
    reader->count++;
    *out = sketch;
    return STEMMA_OK;
}

const stemma_recipe *stemma_reader_recipe(const stemma_reader *reader) {
    return reader->recipe;
}

void stemma_reader_free(stemma_reader *reader) {
    if (!reader) return;
    recipe_release(reader->recipe);
    buf_release(&reader->owned);
    mem_free(reader->path);
    mem_free(reader);
}

stemma_status stemma_is_bundle(const char *path, bool *out, stemma_error *err) {
    struct input input;
    uint8_t start[8];
    size_t filled = 0, got = 1;
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the answer are needed");
    TRY(input_open(&input, path, err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && filled < sizeof start && got) {
        status = input_read(&input, start + filled, sizeof start - filled, &got, err);
        if (status == STEMMA_OK) filled += got;
    }
    input_close(&input);
    if (status == STEMMA_OK) *out = codec_is_bundle(start, filled);
    return status;
}
