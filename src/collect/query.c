#include "collect/query.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "scan/taker.h"
#include "sketch/text_keys.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Documents that are asked about together: they share lookups and scans. Their texts are held meanwhile. */
enum { BATCH_MOST = 64, BATCH_BYTES = 8 << 20 };

/* One document of a batch. */
struct waiting {
    struct query_result result;
    struct asked_document asked;
    struct buf text;
};

/* One worker's. */
struct questioner {
    struct query *query;
    struct collection *reader;
    struct asker *asker;
    struct key_form form;
    struct keyer *keyer;
    struct waiting waiting[BATCH_MOST]; /* the one behind the last is at work */
    size_t count, held;
    uint64_t documents, without_text;
    struct asker_work work;
    double begun; /* when the last batch was done */
};

void query_init(struct query *query, struct collection *store, const struct stemma_recipe *recipe) {
    *query = (struct query){.store = store, .recipe = recipe};
    pthread_mutex_init(&query->lock, NULL);
}

static void result_release(struct query_result *result, void (*drop)(stemma_alignment *)) {
    mem_free(result->id);
    answers_release(&result->answers, drop);
    *result = (struct query_result){0};
}

void query_release(struct query *query) {
    for (size_t i = 0; i < query->count; i++) result_release(&query->results[i], query->drop);
    mem_free(query->results);
    scan_free(query->scan);
    pthread_mutex_destroy(&query->lock);
}

stemma_status query_add_result(struct query *query, const char *id, struct query_result **out,
                               stemma_error *err) {
    if (!mem_grow((void **)&query->results, &query->cap, query->count + 1, sizeof *query->results))
        return fail_memory(err);
    char *copy = mem_copy_string(id);
    if (!copy) return fail_memory(err);
    *out = &query->results[query->count++];
    **out = (struct query_result){.id = copy};
    return STEMMA_OK;
}

/* ---- one worker ---- */

double query_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void questioner_free(void *taker) {
    struct questioner *q = taker;
    if (!q) return;
    for (size_t i = 0; i < BATCH_MOST; i++) {
        result_release(&q->waiting[i].result, q->query->drop);
        asked_document_release(&q->waiting[i].asked);
        buf_release(&q->waiting[i].text);
    }
    asker_free(q->asker);
    collection_close(q->reader);
    keyer_free(q->keyer);
    mem_free(q);
}

static stemma_status questioner_prepare(struct questioner *q, stemma_error *err) {
    struct query *query = q->query;
    TRY(collection_twin(query->store, &q->reader, err));
    TRY(asker_new(q->reader, query->recipe, &query->settings, &q->asker, err));
    q->form = index_form(&query->recipe->view);
    return keyer_new(q->form, &q->keyer, err);
}

static stemma_status questioner_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct questioner *q = mem_zero(1, sizeof *q);
    if (!q) return fail_memory(err);
    q->query = scan->taken_for;
    q->begun = query_clock();
    stemma_status status = questioner_prepare(q, err);
    if (status == STEMMA_OK)
        *out = q;
    else
        questioner_free(q);
    return status;
}

/* ---- a batch ---- */

static void add_work(struct asker_work *sum, const struct asker_work *work) {
    sum->retrieval.lookups += work->retrieval.lookups;
    sum->retrieval.postings += work->retrieval.postings;
    sum->retrieval.common += work->retrieval.common;
    sum->retrieval.scanned += work->retrieval.scanned;
    sum->retrieval.left_aside += work->retrieval.left_aside;
    sum->candidates += work->candidates;
    sum->verified += work->verified;
    sum->unverified += work->unverified;
    sum->unasked += work->unasked;
    sum->seconds_finding += work->seconds_finding;
    sum->seconds_verifying += work->seconds_verifying;
}

/* With the lock held. Results move to the query. */
static stemma_status hand_over(struct questioner *q, stemma_error *err) {
    struct query *query = q->query;
    if (!mem_grow((void **)&query->results, &query->cap, query->count + q->count, sizeof *query->results))
        return fail_memory(err);
    for (size_t i = 0; i < q->count; i++) {
        query->results[query->count++] = q->waiting[i].result;
        q->waiting[i].result = (struct query_result){0};
    }
    query->documents += q->documents;
    query->without_text += q->without_text;
    add_work(&query->work, &q->work);
    /* what is not spent on finding and verifying is spent on reading */
    query->seconds_reading += query_clock() - q->begun - q->work.seconds_finding - q->work.seconds_verifying;
    q->begun = query_clock();
    q->documents = q->without_text = 0;
    q->work = (struct asker_work){0};
    return STEMMA_OK;
}

static stemma_status ask(struct questioner *q, stemma_error *err) {
    struct asked_document documents[BATCH_MOST];
    struct answers answers[BATCH_MOST] = {0};
    for (size_t i = 0; i < q->count; i++) documents[i] = q->waiting[i].asked;
    stemma_status status = asker_ask(q->asker, documents, q->count, answers, &q->work, err);
    for (size_t i = 0; i < q->count; i++) q->waiting[i].result.answers = answers[i];
    return status;
}

static stemma_status flush(void *taker, stemma_error *err) {
    struct questioner *q = taker;
    TRY(ask(q, err));
    pthread_mutex_lock(&q->query->lock);
    stemma_status status = hand_over(q, err);
    pthread_mutex_unlock(&q->query->lock);
    q->count = q->held = 0;
    return status;
}

/* ---- a document ---- */

static stemma_status take_source(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    (void)taker, (void)source, (void)err;
    *wanted = true; /* copies of an archive, too, each get their answers */
    return STEMMA_OK;
}

static char *copy_id(const char *id, size_t size) {
    char *copy = mem_alloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, id, size);
    copy[size] = '\0';
    return copy;
}

void query_set_digest(uint8_t digest[FACTS_DIGEST], struct identity identity) {
    store_u64(digest, identity.low);
    store_u64(digest + 8, identity.high);
}

static stemma_status take_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct questioner *q = taker;
    struct waiting *w = &q->waiting[q->count];
    const struct source *source = &q->query->scan->catalogue.sources[document->source];
    result_release(&w->result, NULL);
    w->result = (struct query_result){.source = document->source, .offset = document->offset};
    w->result.id = id ? copy_id(id, id_size) : mem_copy_string(source->name);
    if (!w->result.id) return fail_memory(err);
    w->asked.name = source->kind == SOURCE_FILE ? w->result.id : NULL;
    query_set_digest(w->asked.digest, document->bytes_identity);
    q->documents += document->state != DOCUMENT_CONTAINER;
    *wanted = true;
    return STEMMA_OK;
}

static stemma_status hold(struct waiting *w, const uint8_t *text, size_t size, stemma_error *err) {
    w->text.len = 0;
    if (!buf_reserve(&w->text, size + KERNEL_SLACK)) return fail_memory(err);
    memcpy(w->text.data, text, size);
    memset(w->text.data + size, 0, KERNEL_SLACK);
    w->asked.text = w->text.data;
    w->asked.text_size = size;
    return STEMMA_OK;
}

static stemma_status take_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct questioner *q = taker;
    struct waiting *w = &q->waiting[q->count];
    TRY(hold(w, text, size, err));
    TRY(text_keys(q->keyer, &q->form, reader->whole, w->text.data, size, w->asked.minima, &w->asked.samples,
                  err));
    minima_set_size(w->asked.minima, keyer_size(q->keyer));
    query_set_digest(w->asked.text_digest, identity_of(&q->query->scan->key, w->text.data, size));
    q->count++;
    q->held += size;
    return STEMMA_OK;
}

static stemma_status ignore(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                            size_t token_count, stemma_error *err) {
    (void)context, (void)fp, (void)count, (void)tokens, (void)token_count, (void)err;
    return STEMMA_OK;
}

static struct shingle_sink begin_pieces(void *taker) {
    return (struct shingle_sink){.context = taker, .take = ignore};
}

/* What cannot be held cannot be compared with many. */
static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct questioner *q = taker;
    stemma_error cause;
    (void)text, (void)size, (void)err;
    q->documents--;
    fail(&cause, STEMMA_UNSUPPORTED, "'%s' is too large to be held in memory: allow more",
         q->waiting[q->count].result.id);
    catalogue_add_problem(&q->query->scan->catalogue, q->waiting[q->count].result.id, 0, &cause);
    return STEMMA_OK;
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct questioner *q = taker;
    (void)err;
    if (state == DOCUMENT_FAILED) q->documents--;
    if (state == DOCUMENT_FAILED)
        catalogue_add_problem(&q->query->scan->catalogue, q->waiting[q->count].result.id, 0, cause);
    else
        q->without_text += state != DOCUMENT_CONTAINER;
    return STEMMA_OK;
}

static stemma_status end(void *taker, stemma_error *err) {
    struct questioner *q = taker;
    return q->count == BATCH_MOST || q->held >= BATCH_BYTES ? flush(q, err) : STEMMA_OK;
}

static const struct taker_kind questioner_taker = {.new = questioner_new,
                                                   .free = questioner_free,
                                                   .source = take_source,
                                                   .every_container = true,
                                                   .document = take_document,
                                                   .text = take_text,
                                                   .begin_pieces = begin_pieces,
                                                   .end_pieces = end_pieces,
                                                   .no_text = take_no_text,
                                                   .end = end,
                                                   .finish = flush};

/* ---- all of them ---- */

static int in_order(const void *a, const void *b) {
    const struct query_result *p = a, *q = b;
    if (p->source != q->source) return p->source < q->source ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static stemma_status begin(struct query *query, const struct scan_settings *settings, stemma_error *err) {
    TRY(scan_new(query->recipe, settings, &query->scan, err));
    query->scan->takers = &questioner_taker;
    query->scan->taken_for = query;
    identity_key_lasting(&query->scan->key);
    return STEMMA_OK;
}

static stemma_status run(struct query *query, stemma_error *err) {
    TRY(scan_list(query->scan, err));
    TRY(scan_read_sources(query->scan, err));
    catalogue_sort_problems(&query->scan->catalogue);
    if (query->count) qsort(query->results, query->count, sizeof *query->results, in_order);
    return STEMMA_OK;
}

stemma_status query_paths(struct query *query, const struct scan_settings *settings, const char *const *paths,
                          size_t count, stemma_error *err) {
    TRY(begin(query, settings, err));
    for (size_t i = 0; i < count; i++) TRY(scan_add_path(query->scan, paths[i], err));
    return run(query, err);
}
