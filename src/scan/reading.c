/*
 * Every document, once: its bytes' identity and its text, for whoever takes it (taker.h).
 *
 * Workers take files one by one, the largest first, so that none of them holds up the end (or in order, for
 * takers who want it so); of data sets they take batches of records. Bytes that were seen before are not
 * looked at again.
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
    *w = (struct worker){.scan = scan, .kind = scan->takers};
    TRY(text_reader_init(&w->reader, scan, err));
    return w->kind->new (scan, &w->taker, err);
}

void worker_release(struct worker *w) {
    if (w->taker) w->kind->free(w->taker);
    text_reader_release(&w->reader);
    record_reader_release(&w->records_in);
}

bool is_problem(stemma_status status) {
    return status == STEMMA_UNREADABLE || status == STEMMA_NOT_FOUND || status == STEMMA_CORRUPT ||
           status == STEMMA_UNSUPPORTED;
}

/* ---- what it takes documents out of ---- */

stemma_status worker_begin_inside(struct worker *w, uint32_t source, stemma_error *err) {
    return w->kind->begin_inside ? w->kind->begin_inside(w->taker, source, err) : STEMMA_OK;
}

stemma_status worker_end_inside(struct worker *w, uint32_t source, const struct inside_taken *how,
                                stemma_error *err) {
    return w->kind->end_inside ? w->kind->end_inside(w->taker, source, how, err) : STEMMA_OK;
}

stemma_status worker_problem(struct worker *w, uint32_t source, const char *name, uint64_t line,
                             const stemma_error *cause, stemma_error *err) {
    catalogue_add_problem(&w->scan->catalogue, name, line, cause);
    return w->kind->problem ? w->kind->problem(w->taker, source, name, line, cause, err) : STEMMA_OK;
}

/* ---- one document ---- */

void worker_wait(void *worker) {
    struct worker *w = worker;
    if (w->alone++ == 0) pthread_mutex_lock(&w->scan->converting);
}

void worker_go_on(void *worker) {
    struct worker *w = worker;
    if (--w->alone == 0) pthread_mutex_unlock(&w->scan->converting);
}

/* What the reader found out about the document that it has just extracted. */
static stemma_status tell_damage(struct worker *w, const char *name, stemma_error *err) {
    const char *damage = w->reader.extractor.damage.message;
    stemma_error what;
    if (!*damage) return STEMMA_OK;
    document_tell_damage(name, damage, &what);
    return w->kind->damaged(w->taker, &what, err);
}

static stemma_status take_bytes(struct worker *w, const char *name, const uint8_t *bytes, size_t size,
                                bool contained, stemma_error *err);

/* What is in a container cannot be read again in pieces, as a file can: its text is held, however long. */
static stemma_status take_roomy(struct worker *w, const char *name, const uint8_t *bytes, size_t size,
                                stemma_error *err) {
    worker_wait(w);
    w->reader.roomy = true;
    stemma_status status = take_bytes(w, name, bytes, size, true, err);
    w->reader.roomy = false;
    worker_go_on(w);
    return status;
}

/* A document whose text is wanted. */
static stemma_status take_bytes(struct worker *w, const char *name, const uint8_t *bytes, size_t size,
                                bool contained, stemma_error *err) {
    const uint8_t *text;
    size_t text_size;
    bool binary;
    stemma_error cause;
    stemma_status status =
        text_reader_canon(&w->reader, name, bytes, size, &text, &text_size, &binary, &cause);
    bool too_long = status != STEMMA_OK && w->reader.extractor.too_long;
    if (too_long && contained && !w->reader.roomy) return take_roomy(w, name, bytes, size, err);
    if (too_long && !contained) {
        status = huge_convert(w, name, bytes, size, &cause);
        if (status == STEMMA_OK) return STEMMA_OK;
    }
    if (is_problem(status)) return w->kind->no_text(w->taker, DOCUMENT_FAILED, &cause, err);
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    TRY(tell_damage(w, name, err));
    if (binary) return w->kind->no_text(w->taker, DOCUMENT_BINARY, NULL, err);
    if (text_size == 0) return w->kind->no_text(w->taker, DOCUMENT_EMPTY, NULL, err);
    return w->kind->text(w->taker, &w->reader, text, text_size, err);
}

stemma_status worker_begin(struct worker *w, const struct document *document, const char *id, size_t id_size,
                           bool *wanted, stemma_error *err) {
    if (document->holds && !id && w->kind->in_order)
        w->holds = true;
    else if (document->holds && !id)
        TRY(scan_note_container(w->scan, document, err));
    return w->kind->document(w->taker, document, id, id_size, wanted, err);
}

/* Files of a mail that are not looked at, as was asked: it holds them all the same. */
static stemma_status look_for_files(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                                    size_t size, bool *found, stemma_error *err) {
    enum container_kind kind = CONTAINER_NONE;
    if (scan->settings.options.no_archives)
        TRY(container_look(name, bytes, size, &scan->document_options, &kind, err));
    *found = kind == CONTAINER_MAIL;
    return STEMMA_OK;
}

stemma_status worker_take(struct worker *w, const struct document *place, const char *name, const char *id,
                          size_t id_size, const uint8_t *bytes, size_t size, enum container_kind kind,
                          stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    struct document document = *place;
    const bool contained = id && scan->catalogue.sources[place->source].kind == SOURCE_FILE;
    bool wanted;
    document.bytes = size;
    document.bytes_identity = identity_of(&scan->key, bytes, size);
    enum text_format format;
    TRY(text_reader_format(&w->reader, name, bytes, size, &format, err));
    document.format = (uint8_t)format;
    document.holds = kind != CONTAINER_NONE;
    TRY(look_for_files(scan, name, bytes, size, &document.filled, err));
    if (kind > CONTAINER_MAIL) document.state = DOCUMENT_CONTAINER;
    TRY(worker_begin(w, &document, id, id_size, &wanted, err));
    if (wanted && kind <= CONTAINER_MAIL) TRY(take_bytes(w, name, bytes, size, contained, err));
    /* Bytes of data sets and containers are counted as they come. */
    progress_add(scan, 1, id ? 0 : size);
    TRY(w->kind->end(w->taker, err));
    return w->kind->pause && !w->alone ? w->kind->pause(w->taker, err) : STEMMA_OK;
}

static stemma_status ask_taker(struct worker *w, uint32_t source, bool *wanted, stemma_error *err) {
    *wanted = true;
    return w->kind->source ? w->kind->source(w->taker, source, wanted, err) : STEMMA_OK;
}

/* ---- files ---- */

static stemma_status take_file(struct worker *w, uint32_t number, stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    const struct source *source = &scan->catalogue.sources[number];
    bool huge = false, wanted;
    stemma_error cause;
    TRY(ask_taker(w, number, &wanted, err));
    if (!wanted) {
        progress_add(scan, 1, source->size);
        return STEMMA_OK;
    }
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
    return worker_problem(w, number, source->name, 0, &cause, err);
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

static stemma_status tell_place(struct worker *w, uint32_t source, uint64_t offset, uint64_t line,
                                stemma_error *err) {
    return w->kind->place ? w->kind->place(w->taker, source, offset, line, err) : STEMMA_OK;
}

/* Broken records are problems, and the next one follows. */
static stemma_status take_records(struct worker *w, uint32_t source, const struct dataset_batch *batch,
                                  stemma_error *err) {
    struct catalogue *catalogue = &w->scan->catalogue;
    struct dataset_record record;
    bool more = true;
    TRY(tell_place(w, source, batch->offset, batch->first_line, err));
    record_reader_begin(&w->records_in, catalogue->sources[source].dataset, batch);
    for (;;) {
        stemma_error cause;
        TRY(check_stop(w->scan->settings.limits.stop, err));
        stemma_status status = record_reader_next(&w->records_in, &record, &more, &cause);
        if (status != STEMMA_OK && !is_problem(status)) return fail(err, status, "%s", cause.message);
        if (!more) return tell_place(w, source, batch->end, batch->next_line, err);
        TRY(tell_place(w, source, record.offset, record.line, err));
        if (status != STEMMA_OK)
            TRY(worker_problem(w, source, catalogue->sources[source].name, record.line, &cause, err));
        else
            TRY(take_record(w, source, &record, err));
    }
}

static stemma_status take_batch(struct worker *w, uint32_t source, const struct dataset_batch *batch,
                                stemma_error *err) {
    const struct inside_taken how = {.whole = true, .tight = batch->too_long > 0};
    TRY(batch->left_out ? w->kind->known_piece(w->taker, source, batch->key, err)
                        : take_records(w, source, batch, err));
    return worker_end_inside(w, source, &how, err);
}

/* ---- all of them, by several workers ---- */

struct reading {
    struct stemma_scan *scan;
    pthread_mutex_t lock; /* of what follows */
    uint32_t *queue;      /* sources */
    size_t next;
    bool begun;           /* the data set at its place was */
    stemma_status status; /* the first failure ends the reading */
    stemma_error error;
};

/* What a worker does next: a file, a text in memory, or a batch of a data set. False when nothing is left. */
struct job {
    uint64_t number; /* for takers in order */
    uint32_t source;
    bool batched;
};

static void end_reading(struct reading *r, stemma_status status, const stemma_error *error) {
    if (r->status != STEMMA_OK) return;
    r->status = status;
    r->error = *error;
}

/* What a worker that cuts a data set tells of it: there was nothing that others will not tell. */
static const struct inside_taken cut_to_the_end = {.whole = true};

static stemma_status begin_dataset(struct worker *w, uint32_t number, bool *wanted, stemma_error *err) {
    TRY(ask_taker(w, number, wanted, err));
    return *wanted ? worker_begin_inside(w, number, err) : STEMMA_OK;
}

static stemma_status cut(struct worker *w, struct source *source, struct dataset_batch *batch, bool *more,
                         stemma_error *err) {
    const uint64_t before = source->dataset ? dataset_position(source->dataset) : 0;
    if (!source->dataset) {
        TRY(scan_open_dataset(w->scan, source, err));
        source->in_order = !dataset_random_access(source->dataset);
        if (w->kind->known_pieces) TRY(w->kind->known_pieces(w->taker, source->dataset, err));
    }
    stemma_status status = of_document(dataset_next(source->dataset, batch, more, err));
    progress_add(w->scan, 0, dataset_position(source->dataset) - before);
    return status;
}

/* It has no more batches, or cannot be read further. */
static stemma_status end_dataset(struct worker *w, uint32_t number, stemma_status status,
                                 const stemma_error *cause, stemma_error *err) {
    const bool told = is_problem(status) || status == STEMMA_INVALID; /* invalid: no column of that name */
    if (status != STEMMA_OK && !told) return fail(err, status, "%s", cause->message);
    if (told) {
        TRY(worker_begin_inside(w, number, err));
        TRY(worker_problem(w, number, w->scan->catalogue.sources[number].name, 0, cause, err));
        TRY(worker_end_inside(w, number, &cut_to_the_end, err));
    }
    return worker_end_inside(w, number, &cut_to_the_end, err);
}

/* The next batch of the data set at the head of the queue; *more is false when there is none. */
static stemma_status next_batch(struct reading *r, struct worker *w, uint32_t number,
                                struct dataset_batch *batch, bool *more, stemma_error *err) {
    bool wanted = true;
    stemma_error cause;
    *more = false;
    if (!r->begun) TRY(begin_dataset(w, number, &wanted, err));
    r->begun = wanted;
    if (!wanted) return STEMMA_OK;
    stemma_status status = cut(w, &r->scan->catalogue.sources[number], batch, more, &cause);
    *more = *more && status == STEMMA_OK;
    if (*more) return worker_begin_inside(w, number, err);
    r->begun = false;
    return end_dataset(w, number, status, &cause, err);
}

static bool take_job(struct reading *r, struct worker *w, struct dataset_batch *batch, struct job *job) {
    bool found = false;
    pthread_mutex_lock(&r->lock);
    while (!found && r->status == STEMMA_OK && r->next < r->scan->catalogue.source_count) {
        job->source = r->queue[r->next];
        job->batched = r->scan->catalogue.sources[job->source].kind == SOURCE_DATASET;
        stemma_error error;
        stemma_status status = STEMMA_OK;
        found = !job->batched;
        if (job->batched) status = next_batch(r, w, job->source, batch, &found, &error);
        if (status != STEMMA_OK) end_reading(r, status, &error);
        if (!job->batched || !found) r->next++;
    }
    if (found) job->number = r->scan->jobs++;
    pthread_mutex_unlock(&r->lock);
    return found;
}

static stemma_status take_file_and_inside(struct worker *w, uint32_t source, stemma_error *err) {
    w->holds = false;
    TRY(take_file(w, source, err));
    return w->holds ? scan_read_inside(w, source, err) : STEMMA_OK;
}

static stemma_status do_job(struct worker *w, const struct job *job, const struct dataset_batch *batch,
                            stemma_error *err) {
    const struct source *source = &w->scan->catalogue.sources[job->source];
    /* First of all: a taker that does not know of its job cannot tell those who wait for it that it failed.
     */
    if (w->kind->job) TRY(w->kind->job(w->taker, job->number, err));
    TRY(check_stop(w->scan->settings.limits.stop, err));
    if (job->batched) return take_batch(w, job->source, batch, err);
    if (source->kind == SOURCE_FILE) return take_file_and_inside(w, job->source, err);
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
    while (status == STEMMA_OK && take_job(r, &w, &batch, &job)) status = do_job(&w, &job, &batch, &error);
    if (status == STEMMA_OK) status = w.kind->finish(w.taker, &error);
    pthread_mutex_lock(&r->lock);
    if (status != STEMMA_OK) end_reading(r, status, &error);
    pthread_mutex_unlock(&r->lock);
    dataset_batch_release(&batch);
    worker_release(&w); /* after its failure is known: others may fail for that alone */
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

stemma_status scan_read_sources(struct stemma_scan *scan, stemma_error *err) {
    struct catalogue *c = &scan->catalogue;
    struct reading r = {.scan = scan, .status = STEMMA_OK};
    uint64_t bytes = 0;
    scan->datasets = 0;
    r.queue = mem_alloc(c->source_count * sizeof *r.queue);
    if (!r.queue) return fail_memory(err);
    for (size_t i = 0; i < c->source_count; i++) {
        r.queue[i] = (uint32_t)i;
        scan->datasets += c->sources[i].kind == SOURCE_DATASET;
        bytes += c->sources[i].size;
    }
    if (!scan->takers->in_order) qsort_r(r.queue, c->source_count, sizeof *r.queue, queue_order, c->sources);
    progress_stage(scan, "reading", 0, bytes);
    texts_expect(&scan->texts, bytes);
    pthread_mutex_init(&r.lock, NULL);
    threads_run(scan->settings.threads, work, &r);
    pthread_mutex_destroy(&r.lock);
    mem_free(r.queue);
    mem_trim(); /* of the workers' memory */
    if (r.status != STEMMA_OK) return fail(err, r.status, "%s", r.error.message);
    return scan_read_contained(scan, err);
}

stemma_status scan_read(struct stemma_scan *scan, stemma_error *err) {
    TRY(scan_read_sources(scan, err));
    TRY(texts_make_room(scan, err));
    catalogue_settle(&scan->catalogue);
    return sorter_finish(scan->samples, err);
}
