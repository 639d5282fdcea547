/*
 * Any bytes as a data set: the same records and the same problems come out however it is cut into batches,
 * and each record once more by its offset.
 *
 * Input: one byte for the kind, one for the size of batches, one for the longest record, then the file.
 */
#include "fuzz.h"

#include "read/dataset.h"

#include "base/buf.h"

enum { UNPACKED_MOST = 1 << 22 };

static void note(struct buf *log, const void *bytes, size_t size) {
    REQUIRE(buf_add_u64(log, size) && buf_add(log, bytes, size));
}

static void check_again(const struct dataset *dataset, const struct dataset_record *record) {
    struct record_reader reader = {0};
    const uint8_t *text;
    size_t size;
    REQUIRE(dataset_text_at(dataset, record->offset, record->size, &reader, &text, &size, NULL) == STEMMA_OK);
    REQUIRE(size == record->text_size && (size == 0 || !memcmp(text, record->text, size)));
    record_reader_release(&reader);
}

static void note_record(const struct dataset *dataset, stemma_status status,
                        const struct dataset_record *record, const stemma_error *err, struct buf *log) {
    REQUIRE(buf_add_u64(log, record->offset) && buf_add_u64(log, record->size) &&
            buf_add_u64(log, record->line));
    if (status == STEMMA_OK) {
        REQUIRE(record->id_size > 0 && !memchr(record->id, 0, record->id_size));
        note(log, record->id, record->id_size);
        note(log, record->text, record->text_size);
        if (dataset_random_access(dataset)) check_again(dataset, record);
    } else {
        REQUIRE(status == STEMMA_CORRUPT);
        note(log, err->message, strlen(err->message));
    }
}

static void note_batch(const struct dataset *dataset, const struct dataset_batch *batch, struct buf *log) {
    struct record_reader reader = {0};
    struct dataset_record record;
    stemma_error err;
    bool more = true;
    record_reader_begin(&reader, dataset, batch);
    for (;;) {
        stemma_status status = record_reader_next(&reader, &record, &more, &err);
        if (!more) break;
        note_record(dataset, status, &record, &err, log);
    }
    record_reader_release(&reader);
}

static void read_all(const char *path, const struct dataset_options *options, struct buf *log) {
    struct dataset *dataset;
    struct dataset_batch batch = {0};
    stemma_error err;
    bool more = true;
    stemma_status status = dataset_open(path, options, &dataset, &err);
    if (status != STEMMA_OK) {
        note(log, err.message, strlen(err.message));
        return;
    }
    while ((status = dataset_next(dataset, &batch, &more, &err)) == STEMMA_OK && more &&
           batch.offset < UNPACKED_MOST)
        note_batch(dataset, &batch, log);
    if (status != STEMMA_OK) note(log, err.message, strlen(err.message));
    REQUIRE(dataset_rewind(dataset, NULL) == STEMMA_OK);
    dataset_batch_release(&batch);
    dataset_close(dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    char path[FUZZ_PATH];
    struct buf whole = {0}, pieces = {0};
    int fd = fuzz_file(data + 3, size - 3);
    fuzz_path(fd, path);
    struct dataset_options options = {.kind = (enum dataset_kind)(data[0] % 4),
                                      .record_most = 1 + 8u * data[2]};
    read_all(path, &options, &whole);
    options.batch_size = 1 + data[1];
    read_all(path, &options, &pieces);
    REQUIRE(whole.len == pieces.len && (whole.len == 0 || !memcmp(whole.data, pieces.data, whole.len)));
    buf_release(&whole);
    buf_release(&pieces);
    close(fd);
    return 0;
}
