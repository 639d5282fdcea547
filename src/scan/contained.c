/*
 * Documents inside files: archives, mail, crawls. When all files have been read, each of those that hold
 * documents is gone through by one worker, the largest first; of files with the same bytes only the first is,
 * since the others hold the same. So are data sets that a cache knows.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/thread.h"
#include "scan/reading.h"

#include <stdlib.h>
#include <string.h>

stemma_status scan_container(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                             size_t size, enum container_kind *out, stemma_error *err) {
    *out = CONTAINER_NONE;
    if (scan->settings.options.no_archives) return STEMMA_OK;
    return container_look(name, bytes, size, &scan->document_options, out, err);
}

/* ---- going through one ---- */

stemma_status scan_walk_container(struct stemma_scan *scan, uint32_t number, struct worker *worker,
                                  struct container_visitor *visitor, stemma_error *err) {
    const char *name = scan->catalogue.sources[number].name;
    struct container_options options = {.document = scan->document_options,
                                        .held_most = scan->record_most,
                                        .held_freely = worker ? scan->huge_from : 0,
                                        .wait = worker_wait,
                                        .go_on = worker_go_on,
                                        .context = worker,
                                        .stop = scan->settings.limits.stop};
    struct input input;
    stemma_error cause;
    stemma_status status = of_document(input_open(&input, name, &cause));
    if (status == STEMMA_OK) {
        struct stream stream = stream_of_file(name, input.fd, input.size);
        status = container_walk(&stream, &options, visitor, &cause);
        input_close(&input);
    } else if (is_problem(status)) {
        visitor->problem(visitor->context, name, &cause);
        return STEMMA_OK;
    }
    return status == STEMMA_OK ? status : fail(err, status, "%s", cause.message);
}

/* ---- entering what is in it ---- */

struct inside {
    struct worker *worker;
    uint32_t source;
    stemma_status status; /* of telling a problem */
    stemma_error error;
};

/* Something is in there that goes with the file, also where it cannot be read or is passed over. */
static void note_filled(const struct inside *in) {
    in->worker->scan->catalogue.sources[in->source].filled = true;
}

static stemma_status take_contained(void *context, const struct contained *found, stemma_error *err) {
    struct inside *in = context;
    const stemma_scan_options *o = &in->worker->scan->settings.options;
    struct document document = {.source = in->source, .offset = found->number + 1};
    note_filled(in);
    if (in->status != STEMMA_OK) return fail(err, in->status, "%s", in->error.message);
    if (found->size < o->least_bytes || (o->most_bytes && found->size > o->most_bytes)) return STEMMA_OK;
    return worker_take(in->worker, &document, found->id, found->id, strlen(found->id), found->bytes,
                       found->size, found->kind, err);
}

static void take_problem(void *context, const char *id, const stemma_error *cause) {
    struct inside *in = context;
    stemma_error error;
    note_filled(in);
    stemma_status status = worker_problem(in->worker, in->source, id, 0, cause, &error);
    if (status == STEMMA_OK || in->status != STEMMA_OK) return;
    in->status = status;
    in->error = error;
}

static stemma_status read_container(struct worker *w, uint32_t source, stemma_error *err) {
    struct inside in = {.worker = w, .source = source};
    bool more = false;
    struct container_visitor visitor = {
        .context = &in, .document = take_contained, .problem = take_problem, .more = &more};
    TRY(worker_begin_inside(w, source, err));
    TRY(scan_walk_container(w->scan, source, w, &visitor, err));
    if (in.status != STEMMA_OK) return fail(err, in.status, "%s", in.error.message);
    if (more) note_filled(&in);
    const struct inside_taken how = {.whole = true, .tight = visitor.tight, .held = visitor.held};
    return worker_end_inside(w, source, &how, err);
}

stemma_status scan_read_inside(struct worker *w, uint32_t source, stemma_error *err) {
    bool wanted = true;
    if (w->kind->inside) TRY(w->kind->inside(w->taker, source, &wanted, err));
    return wanted ? read_container(w, source, err) : STEMMA_OK;
}

/* ---- all of them ---- */

static stemma_status note(struct stemma_scan *scan, struct scan_container container, stemma_error *err) {
    pthread_mutex_lock(&scan->catalogue.lock);
    bool room = mem_grow((void **)&scan->containers, &scan->container_cap, scan->container_count + 1,
                         sizeof *scan->containers);
    if (room) scan->containers[scan->container_count++] = container;
    pthread_mutex_unlock(&scan->catalogue.lock);
    return room ? STEMMA_OK : fail_memory(err);
}

stemma_status scan_note_container(struct stemma_scan *scan, const struct document *document,
                                  stemma_error *err) {
    const struct scan_container container = {
        .same = document_identity(document), .source = document->source, .size = document->bytes};
    return note(scan, container, err);
}

/* Each counts, also those with the same bytes. */
stemma_status scan_note_known(struct stemma_scan *scan, uint32_t source, stemma_error *err) {
    const struct scan_container container = {
        .same = {source, UINT64_MAX}, .source = source, .size = scan->catalogue.sources[source].size};
    return note(scan, container, err);
}

static int by_bytes_and_place(const void *a, const void *b) {
    const struct scan_container *p = a, *q = b;
    if (p->same.low != q->same.low) return p->same.low < q->same.low ? -1 : 1;
    if (p->same.high != q->same.high) return p->same.high < q->same.high ? -1 : 1;
    return (p->source > q->source) - (p->source < q->source);
}

static int largest_first(const void *a, const void *b) {
    const struct scan_container *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return (p->source > q->source) - (p->source < q->source);
}

/* One of each. */
static void drop_copies(struct scan_container *queue, size_t *count) {
    size_t kept = 0;
    qsort(queue, *count, sizeof *queue, by_bytes_and_place);
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || !identity_equal(queue[i].same, queue[i - 1].same)) queue[kept++] = queue[i];
    *count = kept;
}

struct unpacking {
    struct stemma_scan *scan;
    pthread_mutex_t lock; /* of what follows */
    size_t next;
    stemma_status status; /* the first failure ends it */
    stemma_error error;
};

static bool take_job(struct unpacking *u, uint32_t *source) {
    pthread_mutex_lock(&u->lock);
    bool found = u->status == STEMMA_OK && u->next < u->scan->container_count;
    if (found) *source = u->scan->containers[u->next++].source;
    pthread_mutex_unlock(&u->lock);
    return found;
}

static void work(void *context, unsigned number) {
    struct unpacking *u = context;
    struct worker w;
    uint32_t source;
    stemma_error error;
    (void)number;
    stemma_status status = worker_init(&w, u->scan, &error);
    while (status == STEMMA_OK && take_job(u, &source)) status = scan_read_inside(&w, source, &error);
    if (status == STEMMA_OK) status = w.kind->finish(w.taker, &error);
    pthread_mutex_lock(&u->lock);
    if (status != STEMMA_OK && u->status == STEMMA_OK) {
        u->status = status;
        u->error = error;
    }
    pthread_mutex_unlock(&u->lock);
    worker_release(&w);
}

stemma_status scan_read_contained(struct stemma_scan *scan, stemma_error *err) {
    struct unpacking u = {.scan = scan};
    if (scan->container_count == 0) return STEMMA_OK;
    if (!scan->takers->every_container) drop_copies(scan->containers, &scan->container_count);
    qsort(scan->containers, scan->container_count, sizeof *scan->containers, largest_first);
    pthread_mutex_init(&u.lock, NULL);
    threads_run(scan->settings.threads, work, &u);
    pthread_mutex_destroy(&u.lock);
    mem_trim();
    return u.status == STEMMA_OK ? STEMMA_OK : fail(err, u.status, "%s", u.error.message);
}
