#include "read/inside.h"

#include <string.h>

/* ---- a record ---- */

/* The first colon, from `from` on, that ends the name of a data set; NULL: there is none. */
static const char *dataset_end_in(const char *id, const char *from) {
    const char *colon = strchr(from, ':');
    while (colon && dataset_kind_within(id, (size_t)(colon - id)) == DATASET_BY_NAME)
        colon = strchr(colon + 1, ':');
    return colon;
}

/* A record without an id has the name of the file in its own. */
static bool is_called(const struct dataset_record *record, const char *id, const char *own) {
    const char *const names[] = {own, id};
    for (size_t i = 0; i < 2; i++)
        if (record->id_size == strlen(names[i]) && !memcmp(record->id, names[i], record->id_size))
            return true;
    return false;
}

struct record_search {
    struct dataset *dataset;
    struct dataset_batch batch;
    struct record_reader reader;
    const char *id, *own; /* what is asked for, and behind the name of the data set */
    bool found;
};

/* Of the records in the batch. One that is broken has no name. */
static stemma_status search_batch(struct record_search *s, struct buf *bytes, stemma_error *err) {
    struct dataset_record record;
    bool more = true;
    record_reader_begin(&s->reader, s->dataset, &s->batch);
    while (more && !s->found) {
        stemma_status status = record_reader_next(&s->reader, &record, &more, err);
        if (status == STEMMA_CORRUPT) continue;
        TRY(status);
        s->found = more && is_called(&record, s->id, s->own);
    }
    return !s->found || buf_add(bytes, record.text, record.text_size) ? STEMMA_OK : fail_memory(err);
}

static stemma_status search_dataset(struct record_search *s, const volatile int *stop, struct buf *bytes,
                                    stemma_error *err) {
    bool more = true;
    while (more && !s->found) {
        TRY(check_stop(stop, err));
        TRY(dataset_next(s->dataset, &s->batch, &more, err));
        if (more) TRY(search_batch(s, bytes, err));
    }
    return STEMMA_OK;
}

static stemma_status read_record_of(const char *path, const char *id, const struct dataset_options *options,
                                    struct buf *bytes, stemma_error *err) {
    struct record_search search = {.id = id, .own = id + strlen(path) + 1};
    TRY(dataset_open(path, options, &search.dataset, err));
    stemma_status status = search_dataset(&search, options->stop, bytes, err);
    record_reader_release(&search.reader);
    dataset_batch_release(&search.batch);
    dataset_close(search.dataset);
    if (status != STEMMA_OK || search.found) return status;
    return fail(err, STEMMA_NOT_FOUND, "there is no record '%s' in '%s'", search.own, path);
}

/* In the first data set that the name may be of, and that is there. */
static stemma_status read_record(const char *id, const struct dataset_options *options, struct buf *bytes,
                                 stemma_error *err) {
    struct buf path = {0};
    stemma_status status = STEMMA_NOT_FOUND;
    for (const char *end = dataset_end_in(id, id); end && status == STEMMA_NOT_FOUND;
         end = dataset_end_in(id, end + 1)) {
        path.len = 0;
        status = buf_add(&path, id, (size_t)(end - id)) && buf_add_byte(&path, 0)
                     ? read_record_of((const char *)path.data, id, options, bytes, err)
                     : fail_memory(err);
    }
    buf_release(&path);
    return status;
}

/* ---- either ---- */

bool inside_is_id(const char *id) {
    return container_is_id(id) || dataset_end_in(id, id);
}

stemma_status inside_read(const char *id, const struct container_options *containers,
                          const struct dataset_options *datasets, struct buf *bytes, const char **name,
                          stemma_error *err) {
    stemma_error missing;
    stemma_status status = STEMMA_NOT_FOUND;
    *name = id;
    if (container_is_id(id)) status = container_read(id, containers, bytes, &missing);
    if (status != STEMMA_NOT_FOUND || !dataset_end_in(id, id))
        return status == STEMMA_OK ? status : fail(err, status, "%s", missing.message);
    *name = NULL;
    return read_record(id, datasets, bytes, err);
}
