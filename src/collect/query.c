#include "collect/query.h"

#include "base/alloc.h"
#include "index/stored_samples.h"
#include "scan/reading.h"
#include "sketch/text_keys.h"

#include <string.h>

/* A document of a batch. */
struct waiting {
    struct asked_document asked;
    struct buf text;
    struct query_answer *answer;
};

/* One worker's. */
struct questioner {
    struct query *query;
    struct collection *reader;
    struct asker *asker;
    struct key_form form;
    struct keyer *keyer;
    struct waiting waiting[EACH_TOGETHER];
    size_t count;
};

void query_init(struct query *query, struct collection *store, const struct stemma_recipe *recipe) {
    *query = (struct query){.store = store, .recipe = recipe};
    pthread_mutex_init(&query->lock, NULL);
}

void query_release(struct query *query) {
    pthread_mutex_destroy(&query->lock);
}

void query_add_work(struct query *query, const struct asker_work *work) {
    struct asker_work *sum = &query->work;
    pthread_mutex_lock(&query->lock);
    sum->retrieval.lookups += work->retrieval.lookups;
    sum->retrieval.postings += work->retrieval.postings;
    sum->retrieval.common += work->retrieval.common;
    sum->retrieval.scanned += work->retrieval.scanned;
    sum->retrieval.left_aside += work->retrieval.left_aside;
    for (size_t i = 0; i < STEMMA_WAYS; i++) sum->retrieval.ways[i] += work->retrieval.ways[i];
    sum->candidates += work->candidates;
    sum->verified += work->verified;
    sum->unverified += work->unverified;
    sum->seconds_finding += work->seconds_finding;
    sum->seconds_verifying += work->seconds_verifying;
    pthread_mutex_unlock(&query->lock);
}

/* ---- one worker ---- */

static void questioner_free(void *worker) {
    struct questioner *q = worker;
    if (!q) return;
    for (size_t i = 0; i < EACH_TOGETHER; i++) {
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

static stemma_status questioner_new(void *context, void **worker, stemma_error *err) {
    struct questioner *q = mem_zero(1, sizeof *q);
    if (!q) return fail_memory(err);
    q->query = context;
    stemma_status status = questioner_prepare(q, err);
    if (status == STEMMA_OK)
        *worker = q;
    else
        questioner_free(q);
    return status;
}

/* ---- documents ---- */

static stemma_status hold_text(struct waiting *w, const struct each_text *text, stemma_error *err) {
    w->text.len = 0;
    if (!buf_reserve(&w->text, text->size + KERNEL_SLACK)) return fail_memory(err);
    memcpy(w->text.data, text->text, text->size);
    memset(w->text.data + text->size, 0, KERNEL_SLACK);
    w->asked.text = w->text.data;
    w->asked.text_size = text->size;
    return STEMMA_OK;
}

static struct waiting *next_waiting(struct questioner *q, const struct each_text *document, void *answer) {
    struct waiting *w = &q->waiting[q->count];
    w->answer = answer;
    w->answer->drop = q->query->drop;
    w->asked.name = document->file ? document->id : NULL;
    identity_store(document->digest, w->asked.digest);
    identity_store(document->text_digest, w->asked.text_digest);
    return w;
}

static stemma_status take_bytes(void *worker, const struct each_text *document, void *answer,
                                stemma_error *err) {
    struct questioner *q = worker;
    (void)err;
    asked_set_bytes(&next_waiting(q, document, answer)->asked);
    q->count++;
    return STEMMA_OK;
}

static stemma_status take_text(void *worker, const struct each_text *text, void *answer, stemma_error *err) {
    struct questioner *q = worker;
    struct waiting *w = next_waiting(q, text, answer);
    w->asked.by_bytes = false;
    TRY(hold_text(w, text, err));
    TRY(text_keys(q->keyer, &q->form, text->reader->whole, w->text.data, text->size, w->asked.minima,
                  &w->asked.samples, err));
    samples_cut_for(collection_schema(q->reader), &w->asked.samples);
    minima_set_size(w->asked.minima, keyer_size(q->keyer));
    q->count++;
    return STEMMA_OK;
}

/* Here, and not where answers are given: there the other workers wait. */
static stemma_status grow_families(struct questioner *q, stemma_error *err) {
    const size_t most = q->query->family_most;
    for (size_t i = 0; i < q->count && most; i++) {
        struct query_answer *a = q->waiting[i].answer;
        TRY(family_grow(q->query, &a->answers, most, &a->family, err));
    }
    return STEMMA_OK;
}

static stemma_status flush(void *worker, stemma_error *err) {
    struct questioner *q = worker;
    struct asked_document documents[EACH_TOGETHER];
    struct answers answers[EACH_TOGETHER] = {0};
    struct asker_work work = {0};
    for (size_t i = 0; i < q->count; i++) documents[i] = q->waiting[i].asked;
    stemma_status status = asker_ask(q->asker, documents, q->count, answers, &work, err);
    for (size_t i = 0; i < q->count; i++) q->waiting[i].answer->answers = answers[i];
    query_add_work(q->query, &work);
    if (status == STEMMA_OK) status = grow_families(q, err);
    q->count = 0;
    return status;
}

/* In answers: an alignment may take as much as many of them. */
static size_t weight(const void *answer) {
    enum { ANSWER_BYTES = 256, MANY = 128 /* what is sorted in memory, shared by those asked together */ };
    const struct query_answer *a = answer;
    size_t bytes = 0;
    for (size_t i = 0; i < a->answers.count; i++) bytes += a->answers.list[i].places_bytes;
    for (size_t i = 0; i < a->family.count; i++) bytes += a->family.list[i].answer.places_bytes;
    return a->answers.count + (a->answers.more ? MANY : 0) + a->family.count + bytes / ANSWER_BYTES;
}

static void drop(void *answer) {
    struct query_answer *a = answer;
    answers_release(&a->answers, a->drop);
    relatives_release(&a->family, a->drop);
    mem_free(a);
}

const struct each_kind query_each = {.new = questioner_new,
                                     .free = questioner_free,
                                     .text = take_text,
                                     .bytes = take_bytes,
                                     .flush = flush,
                                     .weight = weight,
                                     .drop = drop,
                                     .answer_size = sizeof(struct query_answer)};
