/* Data sets opened, listed and copied in the folder of a test. Each ends the test when it fails. */
#ifndef TESTS_DATASET_SUPPORT_H
#define TESTS_DATASET_SUPPORT_H

#include "folder_support.h"
#include "read/dataset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline const char *save(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (size) assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static inline const char *save_text(const char *name, const char *text) {
    return save(name, text, strlen(text));
}

static inline struct dataset *open_set(const char *path, const struct dataset_options *options) {
    struct dataset *dataset;
    stemma_error err = {0};
    if (dataset_open(path, options, &dataset, &err) != STEMMA_OK) fail_msg("%s", err.message);
    return dataset;
}

static inline bool keep_all(void *context, uint64_t offset, uint64_t line) {
    (void)context, (void)offset, (void)line;
    return true;
}

static inline void filter_to(struct dataset *dataset, const char *path, dataset_keep *keep, void *context,
                             uint64_t *kept) {
    struct dataset_filter *filter;
    stemma_error err = {0};
    *kept = 0;
    assert_int_equal(dataset_filter_open(path, &filter, &err), STEMMA_OK);
    assert_int_equal(dataset_filter_copy(filter, dataset, keep, context, kept, &err), STEMMA_OK);
    assert_int_equal(access(path, F_OK), -1); /* not before it is complete */
    assert_int_equal(dataset_filter_commit(filter, &err), STEMMA_OK);
}

static inline size_t load(const char *path, char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

/* All records as "id=text|", problems as "!message|". */
static inline void list_records(struct dataset *dataset, char *out, size_t room) {
    struct dataset_batch batch = {0};
    struct record_reader reader = {0};
    struct dataset_record record;
    stemma_error err = {0};
    bool more, another = true;
    stemma_status status;
    size_t at = 0;
    *out = 0;
    while ((status = dataset_next(dataset, &batch, &more, &err)) == STEMMA_OK && more) {
        record_reader_begin(&reader, dataset, &batch);
        for (;;) {
            status = record_reader_next(&reader, &record, &another, &err);
            if (status == STEMMA_OK && !another) break;
            if (status == STEMMA_OK)
                at += (size_t)snprintf(out + at, room - at, "%.*s=%.*s|", (int)record.id_size,
                                       (char *)record.id, (int)record.text_size, (char *)record.text);
            else
                at += (size_t)snprintf(out + at, room - at, "!%s|", err.message);
        }
    }
    if (status != STEMMA_OK) snprintf(out + at, room - at, "!!%s|", err.message);
    record_reader_release(&reader);
    dataset_batch_release(&batch);
}

static const struct dataset_options plain;

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

#endif
