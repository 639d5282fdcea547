#include "collect/each.h"

#include "base/alloc.h"
#include "scan/reading.h"
#include "scan/taker.h"
#include "shingle/whole.h"

#include <stdlib.h>
#include <string.h>

/* One worker's. */
struct each_taker {
    struct each *each;
    void *worker;
    struct each_result now; /* the document at work */
    bool container;
};

void each_init(struct each *each, const struct each_kind *kind, void *context,
               const struct stemma_recipe *recipe) {
    *each = (struct each){.kind = kind, .context = context, .recipe = recipe};
    pthread_mutex_init(&each->lock, NULL);
}

static void result_release(const struct each *each, struct each_result *result) {
    mem_free(result->id);
    if (result->answer) each->kind->drop(result->answer);
    *result = (struct each_result){0};
}

void each_release(struct each *each) {
    for (size_t i = 0; i < each->count; i++) result_release(each, &each->results[i]);
    mem_free(each->results);
    scan_free(each->scan);
    pthread_mutex_destroy(&each->lock);
}

/* ---- one worker ---- */

static void taker_free(void *taker) {
    struct each_taker *t = taker;
    if (!t) return;
    result_release(t->each, &t->now);
    if (t->worker) t->each->kind->free(t->worker);
    mem_free(t);
}

static stemma_status taker_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct each_taker *t = mem_zero(1, sizeof *t);
    if (!t) return fail_memory(err);
    t->each = scan->taken_for;
    stemma_status status = t->each->kind->new(t->each->context, &t->worker, err);
    if (status == STEMMA_OK)
        *out = t;
    else
        taker_free(t);
    return status;
}

/* ---- a document ---- */

static stemma_status take_source(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    (void)taker, (void)source, (void)err;
    *wanted = true; /* copies, too, each get their answer */
    return STEMMA_OK;
}

static char *copy_id(const char *id, size_t size) {
    char *copy = mem_alloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, id, size);
    copy[size] = '\0';
    return copy;
}

static stemma_status take_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct each_taker *t = taker;
    const struct source *source = &t->each->scan->catalogue.sources[document->source];
    result_release(t->each, &t->now);
    t->now = (struct each_result){.source = document->source, .offset = document->offset};
    t->now.id = id ? copy_id(id, id_size) : mem_copy_string(source->name);
    t->container = false;
    *wanted = true;
    return t->now.id ? STEMMA_OK : fail_memory(err);
}

static stemma_status answer(struct each_taker *t, stemma_error *err) {
    const struct each_kind *kind = t->each->kind;
    void *made = mem_zero(1, kind->answer_size);
    if (!made) return fail_memory(err);
    stemma_status status = kind->answer(t->worker, made, err);
    if (status == STEMMA_OK)
        t->now.answer = made;
    else
        kind->drop(made);
    return status;
}

static stemma_status take_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct each_taker *t = taker;
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(reader->whole, text, size, &fp, &count, &tokens, err));
    struct shingle_sink sink = t->each->kind->begin(t->worker);
    TRY(sink.take(sink.context, fp, count, NULL, 0, err));
    return answer(t, err);
}

static struct shingle_sink begin_pieces(void *taker) {
    struct each_taker *t = taker;
    return t->each->kind->begin(t->worker);
}

static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    (void)text, (void)size;
    return answer(taker, err);
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct each_taker *t = taker;
    (void)err;
    t->container = state == DOCUMENT_CONTAINER;
    t->now.failed = state == DOCUMENT_FAILED;
    if (t->now.failed) catalogue_add_problem(&t->each->scan->catalogue, t->now.id, 0, cause);
    return STEMMA_OK;
}

/* With the lock held. */
static stemma_status hand_over(struct each_taker *t, stemma_error *err) {
    struct each *each = t->each;
    if (!mem_grow((void **)&each->results, &each->cap, each->count + 1, sizeof *each->results))
        return fail_memory(err);
    each->results[each->count++] = t->now;
    t->now = (struct each_result){0};
    return STEMMA_OK;
}

static stemma_status end(void *taker, stemma_error *err) {
    struct each_taker *t = taker;
    if (t->container || !t->now.id) return STEMMA_OK;
    pthread_mutex_lock(&t->each->lock);
    stemma_status status = hand_over(t, err);
    pthread_mutex_unlock(&t->each->lock);
    return status;
}

static stemma_status finish(void *taker, stemma_error *err) {
    (void)taker, (void)err;
    return STEMMA_OK;
}

static const struct taker_kind each_takers = {.new = taker_new,
                                              .free = taker_free,
                                              .source = take_source,
                                              .every_container = true,
                                              .document = take_document,
                                              .text = take_text,
                                              .begin_pieces = begin_pieces,
                                              .end_pieces = end_pieces,
                                              .no_text = take_no_text,
                                              .end = end,
                                              .finish = finish};

/* ---- all of them ---- */

static int in_order(const void *a, const void *b) {
    const struct each_result *p = a, *q = b;
    if (p->source != q->source) return p->source < q->source ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static stemma_status add_subject(struct stemma_scan *scan, const struct each_subject *subject,
                                 stemma_error *err) {
    const struct source memory = {.name = subject->id,
                                  .kind = SOURCE_MEMORY,
                                  .size = subject->size,
                                  .memory = subject->data ? subject->data : ""};
    if (subject->id) return catalogue_add_source(&scan->catalogue, &memory, err);
    for (size_t i = 0; i < subject->count; i++) TRY(scan_add_path(scan, subject->paths[i], err));
    return STEMMA_OK;
}

stemma_status each_run(struct each *each, const struct scan_settings *settings,
                       const struct each_subject *subject, stemma_error *err) {
    TRY(scan_new(each->recipe, settings, &each->scan, err));
    each->scan->takers = &each_takers;
    each->scan->taken_for = each;
    TRY(add_subject(each->scan, subject, err));
    TRY(scan_list(each->scan, err));
    TRY(scan_read_sources(each->scan, err));
    catalogue_sort_problems(&each->scan->catalogue);
    if (each->count) qsort(each->results, each->count, sizeof *each->results, in_order);
    return STEMMA_OK;
}
