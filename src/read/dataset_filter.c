/* A data set without some of its records. The file appears under its name when it is complete. */
#include "base/alloc.h"
#include "read/compressed.h"
#include "read/dataset_state.h"
#include "read/find_byte.h"

#include <string.h>

struct dataset_filter {
    struct output output;
    struct packer *packer;  /* NULL: not compressed */
    enum dataset_kind kind; /* of the data sets so far; BY_NAME: none yet */
    struct buf header;
    struct buf pending; /* small records are written together */
    bool unended, open; /* the last record has no line end; it ends within quotes */
};

enum { PENDING_MOST = 1 << 18 };

stemma_status dataset_filter_open(const char *path, struct dataset_filter **out, stemma_error *err) {
    struct dataset_filter *filter = mem_zero(1, sizeof *filter);
    if (!filter) return fail_memory(err);
    stemma_status status = output_open(&filter->output, path, err);
    if (status != STEMMA_OK) {
        mem_free(filter);
        return status;
    }
    status = packer_new(path, &filter->output, &filter->packer, err);
    if (status != STEMMA_OK)
        dataset_filter_abandon(filter);
    else
        *out = filter;
    return status;
}

static stemma_status flush(struct dataset_filter *filter, stemma_error *err) {
    const struct buf *pending = &filter->pending;
    if (pending->len == 0) return STEMMA_OK;
    TRY(filter->packer ? packer_write(filter->packer, pending->data, pending->len, err)
                       : output_write(&filter->output, pending->data, pending->len, err));
    filter->pending.len = 0;
    return STEMMA_OK;
}

/* The last record of a file may be without a line end, which is added. If it ends within quotes, these would
 * take in what follows from other files, and are closed. */
static bool end_record(struct dataset_filter *filter, bool followed) {
    const char *end = filter->open && followed ? "\"\n" : filter->unended ? "\n" : "";
    filter->open = filter->unended = false;
    return buf_add(&filter->pending, end, strlen(end));
}

static stemma_status put_record(struct dataset_filter *filter, const uint8_t *bytes, size_t size, bool open,
                                stemma_error *err) {
    if (!end_record(filter, true) || !buf_add(&filter->pending, bytes, size)) return fail_memory(err);
    filter->open = open;
    filter->unended = size && bytes[size - 1] != '\n';
    return filter->pending.len >= PENDING_MOST ? flush(filter, err) : STEMMA_OK;
}

static bool same_line(const struct buf *a, const struct buf *b) {
    size_t a_size = a->len, b_size = b->len;
    while (a_size && strchr("\r\n", a->data[a_size - 1])) a_size--;
    while (b_size && strchr("\r\n", b->data[b_size - 1])) b_size--;
    return a_size == b_size && (a_size == 0 || !memcmp(a->data, b->data, a_size));
}

static stemma_status put_header(struct dataset_filter *filter, const struct dataset *dataset,
                                stemma_error *err) {
    if (filter->kind == DATASET_BY_NAME) {
        filter->kind = dataset->kind;
        if (dataset->marked && !buf_add(&filter->pending, "\xef\xbb\xbf", 3)) return fail_memory(err);
        if (!buf_add(&filter->header, dataset->header.data, dataset->header.len)) return fail_memory(err);
        return dataset->header.len ? put_record(filter, dataset->header.data, dataset->header.len, false, err)
                                   : STEMMA_OK;
    }
    if (filter->kind != dataset->kind)
        return fail(err, STEMMA_INVALID, "'%s' is a data set of another kind", dataset->name);
    if (dataset->header.len && !same_line(&filter->header, &dataset->header))
        return fail(err, STEMMA_INVALID, "'%s' has other columns", dataset->name);
    return STEMMA_OK;
}

static stemma_status copy_batch(struct dataset_filter *filter, const struct dataset *dataset,
                                const struct dataset_batch *batch, dataset_keep *keep, void *context,
                                uint64_t *kept, stemma_error *err) {
    uint64_t line = batch->first_line;
    bool open;
    if (batch->too_long && keep(context, batch->offset, line))
        return fail(err, STEMMA_UNSUPPORTED, "line %llu of '%s' is too long to be copied: allow more memory",
                    (unsigned long long)line, dataset->name);
    for (size_t at = 0, end; dataset_record_span(dataset, batch, at, &end, &open); at = end) {
        const uint8_t *bytes = batch->bytes.data + at;
        if (!dataset_record_blank(dataset, bytes, end - at) && keep(context, batch->offset + at, line)) {
            TRY(put_record(filter, bytes, end - at, open, err));
            ++*kept;
        }
        line += count_lines(bytes, end - at);
    }
    return STEMMA_OK;
}

stemma_status dataset_filter_copy(struct dataset_filter *filter, struct dataset *dataset, dataset_keep *keep,
                                  void *context, uint64_t *kept, stemma_error *err) {
    struct dataset_batch batch = {0};
    bool more = true;
    TRY(dataset_rewind(dataset, err));
    TRY(dataset_check_unchanged(dataset, dataset->fd, err)); /* offsets would be those of other records */
    TRY(put_header(filter, dataset, err));
    stemma_status status;
    while ((status = dataset_next(dataset, &batch, &more, err)) == STEMMA_OK && more)
        if ((status = copy_batch(filter, dataset, &batch, keep, context, kept, err)) != STEMMA_OK) break;
    dataset_batch_release(&batch);
    return status;
}

static void filter_free(struct dataset_filter *filter) {
    buf_release(&filter->header);
    buf_release(&filter->pending);
    mem_free(filter);
}

stemma_status dataset_filter_commit(struct dataset_filter *filter, stemma_error *err) {
    stemma_status status = end_record(filter, false) ? flush(filter, err) : fail_memory(err);
    if (status == STEMMA_OK && filter->packer) {
        status = packer_finish(filter->packer, err);
        filter->packer = NULL;
    }
    if (status != STEMMA_OK) {
        dataset_filter_abandon(filter);
        return status;
    }
    status = output_commit(&filter->output, err);
    filter_free(filter);
    return status;
}

void dataset_filter_abandon(struct dataset_filter *filter) {
    if (!filter) return;
    packer_free(filter->packer);
    output_abandon(&filter->output);
    filter_free(filter);
}
