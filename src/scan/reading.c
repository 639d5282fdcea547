/*
 * Every document, once: its bytes' identity, its text, its class; and for the first of each class the keys
 * and samples that the join works with.
 *
 * Workers take files one by one, the largest first, so that none of them holds up the end; of data sets they
 * take batches of records. Bytes that were seen before are not looked at again.
 */
#include "scan/reading.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/thread.h"
#include "read/dataset.h"
#include "scan/huge.h"
#include "shingle/whole.h"

#include <stdlib.h>
#include <string.h>

/* ---- a worker ---- */

stemma_status worker_init(struct worker *w, struct stemma_scan *scan, stemma_error *err) {
    *w = (struct worker){.scan = scan};
    TRY(text_reader_init(&w->reader, scan, err));
    TRY(keyer_new(&scan->plan, &w->keyer, err));
    w->keys = mem_alloc(scan->plan.key_bytes);
    w->records = mem_alloc(SAMPLE_ROOM * sizeof *w->records);
    return w->keys && w->records ? STEMMA_OK : fail_memory(err);
}

void worker_release(struct worker *w) {
    text_reader_release(&w->reader);
    keyer_free(w->keyer);
    mem_free(w->keys);
    mem_free(w->records);
    record_reader_release(&w->records_in);
    vec64_release(&w->samples);
}

stemma_status worker_flush(struct worker *w, stemma_error *err) {
    size_t count = w->record_count;
    w->record_count = 0;
    return count ? sorter_add(w->scan->samples, w->records, count, err) : STEMMA_OK;
}

stemma_status worker_add_samples(struct worker *w, uint32_t class, stemma_error *err) {
    for (size_t i = 0; i < w->samples.len; i++) {
        if (w->record_count == SAMPLE_ROOM) TRY(worker_flush(w, err));
        w->records[w->record_count++] = (struct record){w->samples.data[i], class};
    }
    return STEMMA_OK;
}

bool is_problem(stemma_status status) {
    return status == STEMMA_UNREADABLE || status == STEMMA_NOT_FOUND || status == STEMMA_CORRUPT ||
           status == STEMMA_UNSUPPORTED;
}

/* ---- one document ---- */

static stemma_status to_keyer(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return keyer_add(context, fp, count, err);
}

static stemma_status make_keys_by_piece(struct worker *w, const uint8_t *text, size_t size, bool *done,
                                        stemma_error *err) {
    struct shingle_sink sink = {.context = w->keyer, .take = to_keyer};
    keyer_begin(w->keyer);
    TRY(whole_pieces(w->reader.whole, text, size, sink, done, err));
    return *done ? keyer_end(w->keyer, w->keys, &w->samples, err) : STEMMA_OK;
}

/* Of a long document samples may do. */
static stemma_status make_keys(struct worker *w, const uint8_t *text, size_t size, stemma_error *err) {
    const struct join_plan *plan = &w->scan->plan;
    struct whole *whole = w->reader.whole;
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    bool done = false;
    if (plan->coarse > 1 && size > plan->minima * plan->coarse) {
        TRY(whole_samples(whole, text, size, plan->coarse, &fp, &count, err));
        TRY(keyer_make_coarse(w->keyer, fp, count, w->keys, &w->samples, &done, err));
    }
    if (!done) TRY(make_keys_by_piece(w, text, size, &done, err));
    if (done) return STEMMA_OK;
    TRY(whole_shingles(whole, text, size, &fp, &count, &tokens, err));
    return keyer_make(w->keyer, fp, count, w->keys, &w->samples, err);
}

static stemma_status take_text(struct worker *w, uint32_t number, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    uint32_t class;
    bool made;
    struct identity identity = identity_of(&scan->key, text, size);
    TRY(catalogue_classify(&scan->catalogue, number, identity, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(make_keys(w, text, size, err));
    catalogue_set_keys(&scan->catalogue, class, w->keys, keyer_size(w->keyer), (uint32_t)w->samples.len);
    TRY(worker_add_samples(w, class, err));
    texts_keep(&w->reader, class, text, size);
    return STEMMA_OK;
}

void worker_wait(void *worker) {
    struct worker *w = worker;
    if (w->alone++ == 0) pthread_mutex_lock(&w->scan->converting);
}

void worker_go_on(void *worker) {
    struct worker *w = worker;
    if (--w->alone == 0) pthread_mutex_unlock(&w->scan->converting);
}

static stemma_status take_bytes(struct worker *w, uint32_t number, const char *name, const uint8_t *bytes,
                                size_t size, bool contained, stemma_error *err);

/* What is in a container cannot be read again in pieces, as a file can: its text is held, however long. */
static stemma_status take_roomy(struct worker *w, uint32_t number, const char *name, const uint8_t *bytes,
                                size_t size, stemma_error *err) {
    worker_wait(w);
    w->reader.roomy = true;
    stemma_status status = take_bytes(w, number, name, bytes, size, true, err);
    w->reader.roomy = false;
    worker_go_on(w);
    return status;
}

/* A document whose bytes are new. */
static stemma_status take_bytes(struct worker *w, uint32_t number, const char *name, const uint8_t *bytes,
                                size_t size, bool contained, stemma_error *err) {
    struct catalogue *catalogue = &w->scan->catalogue;
    const uint8_t *text;
    size_t text_size;
    bool binary;
    stemma_error cause;
    stemma_status status =
        text_reader_canon(&w->reader, name, bytes, size, &text, &text_size, &binary, &cause);
    bool too_long = status != STEMMA_OK && w->reader.extractor.too_long;
    if (too_long && contained && !w->reader.roomy) return take_roomy(w, number, name, bytes, size, err);
    if (too_long && !contained) {
        status = huge_convert(w, number, name, bytes, size, &cause);
        if (status == STEMMA_OK) return STEMMA_OK;
    }
    if (is_problem(status)) {
        catalogue_fail_document(catalogue, number, &cause);
        return STEMMA_OK;
    }
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    if (binary) catalogue_set_state(catalogue, number, DOCUMENT_BINARY);
    if (!binary && text_size == 0) catalogue_set_state(catalogue, number, DOCUMENT_EMPTY);
    return binary || text_size == 0 ? STEMMA_OK : take_text(w, number, text, text_size, err);
}

/* Not after every document: what a few of them take is little, and all workers wait for each other there. */
static stemma_status make_room(struct worker *w, size_t id_size, stemma_error *err) {
    enum { DOCUMENT = 256, OFTEN = 1 << 14 };
    w->entered += DOCUMENT + id_size;
    if (w->entered < OFTEN) return STEMMA_OK;
    w->entered = 0;
    return texts_make_room(w->scan, err);
}

stemma_status worker_take(struct worker *w, const struct document *place, const char *name, const char *id,
                          size_t id_size, const uint8_t *bytes, size_t size, enum container_kind kind,
                          stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    struct document document = *place;
    const bool contained = id && scan->catalogue.sources[place->source].kind == SOURCE_FILE;
    uint32_t number;
    bool seen;
    document.bytes = size;
    document.bytes_identity = identity_of(&scan->key, bytes, size);
    document.format = (uint8_t)reading_format(scan, name, bytes, size);
    document.holds = kind != CONTAINER_NONE;
    if (kind > CONTAINER_MAIL) document.state = DOCUMENT_CONTAINER;
    TRY(catalogue_add_document(&scan->catalogue, &document, id, id_size, &number, &seen, err));
    if (!seen && kind <= CONTAINER_MAIL) TRY(take_bytes(w, number, name, bytes, size, contained, err));
    /* Bytes of data sets and containers are counted as they come. */
    progress_add(scan, 1, id ? 0 : size);
    return make_room(w, id_size, err);
}

/* ---- files ---- */

static stemma_status take_file(struct worker *w, uint32_t number, stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    const struct source *source = &scan->catalogue.sources[number];
    bool huge = false;
    stemma_error cause;
    stemma_status status = text_reader_read(&w->reader, source->name, &huge, &cause);
    if (status == STEMMA_OK && huge)
        status = huge_read(w, number, &cause);
    else if (status == STEMMA_OK) {
        const struct document document = {.source = number};
        const struct buf *bytes = &w->reader.bytes;
        enum container_kind kind;
        TRY(scan_container(scan, source->name, bytes->data, bytes->len, &kind, err));
        return worker_take(w, &document, source->name, NULL, 0, bytes->data, bytes->len, kind, err);
    }
    if (status == STEMMA_OK) {
        progress_add(scan, 1, 0);
        return STEMMA_OK;
    }
    if (!is_problem(status)) return fail(err, status, "%s", cause.message);
    catalogue_add_problem(&scan->catalogue, source->name, 0, &cause);
    return STEMMA_OK;
}

/* ---- data sets ---- */

static stemma_status take_record(struct worker *w, uint32_t source, const struct dataset_record *record,
                                 stemma_error *err) {
    const stemma_scan_options *o = &w->scan->settings.options;
    if (record->text_size < o->least_bytes || (o->most_bytes && record->text_size > o->most_bytes))
        return STEMMA_OK;
    struct document document = {
        .source = source, .offset = record->offset, .record_size = (uint32_t)record->size};
    return worker_take(w, &document, NULL, (const char *)record->id, record->id_size, record->text,
                       record->text_size, CONTAINER_NONE, err);
}

/* Broken records are problems, and the next one follows. */
static stemma_status take_records(struct worker *w, uint32_t source, const struct dataset_batch *batch,
                                  stemma_error *err) {
    struct catalogue *catalogue = &w->scan->catalogue;
    struct dataset_record record;
    bool more = true;
    record_reader_begin(&w->records_in, catalogue->sources[source].dataset, batch);
    for (;;) {
        stemma_error cause;
        TRY(check_stop(w->scan->settings.limits.stop, err));
        stemma_status status = record_reader_next(&w->records_in, &record, &more, &cause);
        if (status != STEMMA_OK && !is_problem(status)) return fail(err, status, "%s", cause.message);
        if (status != STEMMA_OK)
            catalogue_add_problem(catalogue, catalogue->sources[source].name, record.line, &cause);
        else if (more)
            TRY(take_record(w, source, &record, err));
        else
            return STEMMA_OK;
    }
}

/* ---- all of them, by several workers ---- */

struct reading {
    struct stemma_scan *scan;
    pthread_mutex_t lock; /* of what follows */
    uint32_t *queue;      /* sources */
    size_t next;
    size_t datasets;      /* among them */
    stemma_status status; /* the first failure ends the reading */
    stemma_error error;
};

/* What a worker does next: a file, a text in memory, or a batch of a data set. False when nothing is left. */
struct job {
    uint32_t source;
    bool batched;
};

/* Data sets that keep their descriptors, so that a record is read again at no other cost. */
enum { DATASETS_OPEN = 64 };

static stemma_status open_dataset(struct reading *r, struct source *source, stemma_error *err) {
    const struct scan_settings *settings = &r->scan->settings;
    struct dataset_options options = {.text_field = settings->options.text_field,
                                      .id_field = settings->options.id_field,
                                      .record_most = r->scan->record_most,
                                      .directory = settings->limits.temporary_directory,
                                      .many = r->datasets > DATASETS_OPEN,
                                      .stop = settings->limits.stop};
    stemma_status status = dataset_open(source->name, &options, &source->dataset, err);
    bool copied = strcmp(source->name, "-") == 0; /* so a temporary file may have failed */
    return copied ? status : of_document(status);
}

/* The next batch of the data set at the head of the queue; false when it has no more, or cannot be read
 * further. */
static bool next_batch(struct reading *r, uint32_t number, struct dataset_batch *batch) {
    struct source *source = &r->scan->catalogue.sources[number];
    bool more = false;
    stemma_error cause;
    uint64_t before = source->dataset ? dataset_position(source->dataset) : 0;
    stemma_status status = source->dataset ? STEMMA_OK : open_dataset(r, source, &cause);
    if (status == STEMMA_OK) {
        status = of_document(dataset_next(source->dataset, batch, &more, &cause));
        progress_add(r->scan, 0, dataset_position(source->dataset) - before);
    }
    if (status == STEMMA_OK) return more;
    if (is_problem(status) || status == STEMMA_INVALID) { /* invalid: no column of that name */
        catalogue_add_problem(&r->scan->catalogue, source->name, 0, &cause);
    } else {
        r->status = status;
        r->error = cause;
    }
    return false;
}

static bool take_job(struct reading *r, struct dataset_batch *batch, struct job *job) {
    bool found = false;
    pthread_mutex_lock(&r->lock);
    while (!found && r->status == STEMMA_OK && r->next < r->scan->catalogue.source_count) {
        job->source = r->queue[r->next];
        job->batched = r->scan->catalogue.sources[job->source].kind == SOURCE_DATASET;
        found = !job->batched || next_batch(r, job->source, batch);
        if (!job->batched || !found) r->next++;
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

static stemma_status do_job(struct worker *w, const struct job *job, const struct dataset_batch *batch,
                            stemma_error *err) {
    const struct source *source = &w->scan->catalogue.sources[job->source];
    TRY(check_stop(w->scan->settings.limits.stop, err));
    if (job->batched) return take_records(w, job->source, batch, err);
    if (source->kind == SOURCE_FILE) return take_file(w, job->source, err);
    struct document document = {.source = job->source};
    return worker_take(w, &document, NULL, NULL, 0, source->memory, source->size, CONTAINER_NONE, err);
}

static void work(void *context, unsigned number) {
    struct reading *r = context;
    struct worker w;
    struct dataset_batch batch = {0};
    struct job job;
    stemma_error error;
    (void)number;
    stemma_status status = worker_init(&w, r->scan, &error);
    while (status == STEMMA_OK && take_job(r, &batch, &job)) status = do_job(&w, &job, &batch, &error);
    if (status == STEMMA_OK) status = worker_flush(&w, &error);
    dataset_batch_release(&batch);
    worker_release(&w);
    if (status == STEMMA_OK) return;
    pthread_mutex_lock(&r->lock);
    if (r->status == STEMMA_OK) {
        r->status = status;
        r->error = error;
    }
    pthread_mutex_unlock(&r->lock);
}

/* Large files first, largest of all in front; the others in their order, which is that of their folders. */
static int queue_order(const void *a, const void *b, void *context) {
    enum { LARGE = 4 << 20 };
    const struct source *sources = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    uint64_t size_i = sources[i].size > LARGE ? sources[i].size : 0,
             size_k = sources[k].size > LARGE ? sources[k].size : 0;
    if (size_i != size_k) return size_i > size_k ? -1 : 1;
    return (i > k) - (i < k);
}

stemma_status scan_read(struct stemma_scan *scan, stemma_error *err) {
    struct catalogue *c = &scan->catalogue;
    struct reading r = {.scan = scan, .status = STEMMA_OK};
    uint64_t bytes = 0;
    r.queue = mem_alloc(c->source_count * sizeof *r.queue);
    if (!r.queue) return fail_memory(err);
    for (size_t i = 0; i < c->source_count; i++) {
        r.queue[i] = (uint32_t)i;
        r.datasets += c->sources[i].kind == SOURCE_DATASET;
        bytes += c->sources[i].size;
    }
    qsort_r(r.queue, c->source_count, sizeof *r.queue, queue_order, c->sources);
    progress_stage(scan, "reading", 0, bytes);
    pthread_mutex_init(&r.lock, NULL);
    threads_run(scan->settings.threads, work, &r);
    pthread_mutex_destroy(&r.lock);
    mem_free(r.queue);
    mem_trim(); /* of the workers' memory */
    if (r.status != STEMMA_OK) return fail(err, r.status, "%s", r.error.message);
    TRY(scan_read_contained(scan, err));
    TRY(texts_make_room(scan, err));
    catalogue_settle(c);
    return sorter_finish(scan->samples, err);
}
