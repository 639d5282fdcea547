#include "collect/each.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "scan/reading.h"
#include "scan/taker.h"
#include "shingle/whole.h"

#include <string.h>

/* How far a worker may be ahead of the first job that is not done, and what may be held for it: more would
 * keep others busy beside one large document, and take more memory. */
enum { JOBS_AHEAD = 1024, HELD_MOST = 1 << 14 };

/* What is there of a job, in order. */
struct each_job {
    struct each_result *results;
    size_t count, cap;
    bool done;
};

/* One worker's. */
struct each_taker {
    struct each *each;
    void *worker;
    uint64_t job;
    bool busy;              /* with that job */
    struct each_result now; /* the document at work, */
    struct each_text text;  /* and what is known of it before its text */
    bool container;
    struct each_result waiting[EACH_TOGETHER]; /* for the flush, and then for others to know */
    size_t count, bytes;
    uint64_t *done; /* jobs that are, but for the flush */
    size_t done_count, done_cap;
    double begun; /* reading, since it did anything else */
};

void each_init(struct each *each, const struct each_kind *kind, void *context,
               const struct stemma_recipe *recipe, each_give *give, void *receiver) {
    *each =
        (struct each){.kind = kind, .context = context, .recipe = recipe, .give = give, .receiver = receiver};
    pthread_mutex_init(&each->lock, NULL);
    pthread_cond_init(&each->moved, NULL);
}

static void result_release(const struct each *each, struct each_result *result) {
    mem_free(result->id);
    if (result->answer) each->kind->drop(result->answer);
    *result = (struct each_result){0};
}

static void results_release(const struct each *each, struct each_result *results, size_t count) {
    for (size_t i = 0; i < count; i++) result_release(each, &results[i]);
}

void each_release(struct each *each) {
    for (size_t i = 0; each->ahead && i < JOBS_AHEAD; i++) {
        results_release(each, each->ahead[i].results, each->ahead[i].count);
        mem_free(each->ahead[i].results);
    }
    mem_free(each->ahead);
    scan_free(each->scan);
    pthread_cond_destroy(&each->moved);
    pthread_mutex_destroy(&each->lock);
}

/* ---- in order: all with the lock held ---- */

static void end_early(struct each *each) {
    each->ended = true;
    pthread_cond_broadcast(&each->moved);
}

static stemma_status check_ended(const struct each *each, stemma_error *err) {
    if (!each->ended) return STEMMA_OK;
    const bool taken = each->failure.status != STEMMA_OK;
    return taken ? fail(err, each->failure.status, "%s", each->failure.message)
                 : fail(err, STEMMA_INTERRUPTED, "another worker has failed");
}

static size_t weight_of(const struct each *each, const struct each_result *result) {
    return 1 + (result->answer ? each->kind->weight(result->answer) : 0);
}

static stemma_status hold(struct each *each, struct each_result *result, stemma_error *err) {
    struct each_job *job = &each->ahead[result->job % JOBS_AHEAD];
    if (!mem_grow((void **)&job->results, &job->cap, job->count + 1, sizeof *job->results))
        return fail_memory(err);
    each->held += weight_of(each, result);
    job->results[job->count++] = *result;
    *result = (struct each_result){0};
    return STEMMA_OK;
}

static stemma_status give(struct each *each, struct each_result *result) {
    result->place = each->given++;
    each->held -= weight_of(each, result);
    stemma_status status = each->give(each->receiver, result, &each->failure);
    each->failure.status = status;
    return status;
}

static stemma_status give_job(struct each *each, struct each_job *job) {
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < job->count && status == STEMMA_OK; i++) status = give(each, &job->results[i]);
    results_release(each, job->results, job->count);
    job->count = 0;
    return status;
}

/* All that can be given is, up to the first job that is not done. */
static stemma_status move_on(struct each *each, stemma_error *err) {
    stemma_status status;
    for (;;) {
        struct each_job *job = &each->ahead[each->front % JOBS_AHEAD];
        status = give_job(each, job);
        if (status != STEMMA_OK || !job->done) break;
        mem_free(job->results);
        *job = (struct each_job){0};
        each->front++;
    }
    pthread_cond_broadcast(&each->moved);
    if (status == STEMMA_OK) return STEMMA_OK;
    end_early(each);
    return check_ended(each, err);
}

static stemma_status hand_over(struct each_taker *t, stemma_error *err) {
    struct each *each = t->each;
    TRY(check_ended(each, err));
    for (size_t i = 0; i < t->count; i++) TRY(hold(each, &t->waiting[i], err));
    for (size_t i = 0; i < t->done_count; i++) each->ahead[t->done[i] % JOBS_AHEAD].done = true;
    t->count = t->done_count = 0;
    return move_on(each, err);
}

/* The worker of the front job never does: so there is always one that goes on. */
static bool must_wait(const struct each_taker *t) {
    const struct each *each = t->each;
    return !each->ended && t->job != each->front &&
           (t->job - each->front >= JOBS_AHEAD || each->held >= HELD_MOST);
}

/* ---- a worker ---- */

static stemma_status flush(struct each_taker *t, stemma_error *err) {
    struct each *each = t->each;
    const double reading = clock_seconds() - t->begun;
    if (each->kind->flush) TRY(each->kind->flush(t->worker, err));
    t->bytes = 0;
    pthread_mutex_lock(&each->lock);
    each->seconds_reading += reading;
    stemma_status status = hand_over(t, err);
    pthread_mutex_unlock(&each->lock);
    t->begun = clock_seconds();
    return status;
}

/* No one wakes who waits when it is to stop: it looks for itself. */
static void wait_a_while(struct each *each) {
    enum { LOOKED_EVERY = 200000000, SECOND = 1000000000 };
    const int64_t until = clock_time() + LOOKED_EVERY;
    const struct timespec end = {.tv_sec = until / SECOND, .tv_nsec = until % SECOND};
    pthread_cond_timedwait(&each->moved, &each->lock, &end);
}

/* Not before everything of its own is with the others, who may wait for that. */
static stemma_status wait_for_others(struct each_taker *t, stemma_error *err) {
    struct each *each = t->each;
    pthread_mutex_lock(&each->lock);
    bool waits = must_wait(t);
    pthread_mutex_unlock(&each->lock);
    if (!waits) return STEMMA_OK;
    TRY(flush(t, err));
    pthread_mutex_lock(&each->lock);
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && must_wait(t)) {
        wait_a_while(each);
        status = check_stop(each->scan->settings.limits.stop, err);
    }
    if (status == STEMMA_OK) status = check_ended(each, err);
    pthread_mutex_unlock(&each->lock);
    t->begun = clock_seconds();
    return status;
}

static void taker_free(void *taker) {
    struct each_taker *t = taker;
    if (!t) return;
    struct each *each = t->each;
    if (t->busy || t->count || t->done_count) { /* it has failed, and others may wait for it */
        pthread_mutex_lock(&each->lock);
        end_early(each);
        pthread_mutex_unlock(&each->lock);
    }
    result_release(each, &t->now);
    results_release(each, t->waiting, t->count);
    if (t->worker) each->kind->free(t->worker);
    mem_free(t->done);
    mem_free(t);
}

static stemma_status taker_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct each_taker *t = mem_zero(1, sizeof *t);
    if (!t) return fail_memory(err);
    t->each = scan->taken_for;
    t->begun = clock_seconds();
    stemma_status status = t->each->kind->new (t->each->context, &t->worker, err);
    if (status == STEMMA_OK)
        *out = t;
    else
        taker_free(t);
    return status;
}

static stemma_status end_job(struct each_taker *t, stemma_error *err) {
    if (!t->busy) return STEMMA_OK;
    if (!mem_grow((void **)&t->done, &t->done_cap, t->done_count + 1, sizeof *t->done))
        return fail_memory(err);
    t->done[t->done_count++] = t->job;
    t->busy = false;
    return STEMMA_OK;
}

static stemma_status begin_job(void *taker, uint64_t number, stemma_error *err) {
    struct each_taker *t = taker;
    TRY(end_job(t, err));
    t->job = number;
    t->busy = true;
    /* Jobs without a document, such as files that cannot be read, are told, too. */
    if (t->done_count >= EACH_TOGETHER) TRY(flush(t, err));
    return wait_for_others(t, err);
}

static stemma_status pause_job(void *taker, stemma_error *err) {
    return wait_for_others(taker, err);
}

static stemma_status finish(void *taker, stemma_error *err) {
    struct each_taker *t = taker;
    TRY(end_job(t, err));
    return flush(t, err);
}

/* ---- a document ---- */

static stemma_status take_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct each_taker *t = taker;
    const struct source *source = &t->each->scan->catalogue.sources[document->source];
    result_release(t->each, &t->now);
    t->now = (struct each_result){.job = t->job};
    t->now.id = id ? mem_copy_bytes(id, id_size) : mem_copy_string(source->name);
    t->text = (struct each_text){
        .id = t->now.id, .file = source->kind == SOURCE_FILE, .digest = document->bytes_identity};
    t->container = document->state == DOCUMENT_CONTAINER;
    *wanted = true; /* copies, too, each get their answer */
    return t->now.id ? STEMMA_OK : fail_memory(err);
}

static stemma_status new_answer(struct each_taker *t, stemma_error *err) {
    t->now.answer = mem_zero(1, t->each->kind->answer_size);
    return t->now.answer ? STEMMA_OK : fail_memory(err);
}

static stemma_status answer_fingerprints(struct each_taker *t, stemma_error *err) {
    TRY(new_answer(t, err));
    return t->each->kind->answer(t->worker, &t->text, t->now.answer, err);
}

static stemma_status answer_text(struct each_taker *t, struct text_reader *reader, const uint8_t *text,
                                 size_t size, stemma_error *err) {
    TRY(new_answer(t, err));
    t->text.reader = reader;
    t->text.text = text;
    t->text.size = size;
    t->text.text_digest = identity_of(&t->each->scan->key, text, size);
    t->bytes += size;
    return t->each->kind->text(t->worker, &t->text, t->now.answer, err);
}

static stemma_status take_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct each_taker *t = taker;
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    if (t->each->kind->text) return answer_text(t, reader, text, size, err);
    TRY(whole_shingles(reader->whole, text, size, &fp, &count, &tokens, err));
    struct shingle_sink sink = t->each->kind->begin(t->worker);
    TRY(sink.take(sink.context, fp, count, NULL, 0, err));
    t->text.text = text;
    t->text.size = size;
    return answer_fingerprints(t, err);
}

static stemma_status ignore(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                            size_t token_count, stemma_error *err) {
    (void)context, (void)fp, (void)count, (void)tokens, (void)token_count, (void)err;
    return STEMMA_OK;
}

static struct shingle_sink begin_pieces(void *taker) {
    struct each_taker *t = taker;
    const struct each_kind *kind = t->each->kind;
    return kind->begin ? kind->begin(t->worker) : (struct shingle_sink){.context = t, .take = ignore};
}

static stemma_status take_damage(void *taker, const stemma_error *what, stemma_error *err) {
    struct each_taker *t = taker;
    (void)err;
    catalogue_add_problem(&t->each->scan->catalogue, t->now.id, 0, what);
    return STEMMA_OK;
}

static stemma_status take_piece(void *taker, const uint8_t *text, size_t size, stemma_error *err) {
    struct each_taker *t = taker;
    const struct each_kind *kind = t->each->kind;
    return kind->piece ? kind->piece(t->worker, text, size, err) : STEMMA_OK;
}

static void fail_document(struct each_taker *t, const stemma_error *cause) {
    t->now.failed = true;
    catalogue_add_problem(&t->each->scan->catalogue, t->now.id, 0, cause);
}

/* What cannot be held cannot be compared with many. */
static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct each_taker *t = taker;
    stemma_error cause;
    (void)text, (void)size;
    if (t->each->kind->begin) return answer_fingerprints(t, err);
    fail(&cause, STEMMA_UNSUPPORTED, "'%s' is too large to be held in memory: allow more (--memory)",
         t->now.id);
    fail_document(t, &cause);
    return STEMMA_OK;
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct each_taker *t = taker;
    if (state == DOCUMENT_CONTAINER) t->container = true;
    if (state == DOCUMENT_FAILED) fail_document(t, cause);
    if (state != DOCUMENT_BINARY || !t->each->kind->bytes) return STEMMA_OK;
    TRY(new_answer(t, err));
    return t->each->kind->bytes(t->worker, &t->text, t->now.answer, err);
}

static stemma_status end(void *taker, stemma_error *err) {
    struct each_taker *t = taker;
    if (t->container || !t->now.id) return STEMMA_OK;
    t->waiting[t->count++] = t->now;
    t->now = (struct each_result){0};
    const bool full = t->count == EACH_TOGETHER || t->bytes >= EACH_BYTES;
    return full || !t->each->kind->flush ? flush(t, err) : STEMMA_OK;
}

/* ---- all of them ---- */

static stemma_status read_listed(struct stemma_scan *scan, stemma_error *err) {
    stemma_status status = scan_read_sources(scan, err);
    scan_forget_sources(scan);
    return status;
}

static const struct taker_kind each_takers = {.new = taker_new,
                                              .free = taker_free,
                                              .listed = read_listed,
                                              .every_container = true,
                                              .in_order = true,
                                              .job = begin_job,
                                              .pause = pause_job,
                                              .document = take_document,
                                              .damaged = take_damage,
                                              .text = take_text,
                                              .begin_pieces = begin_pieces,
                                              .piece = take_piece,
                                              .end_pieces = end_pieces,
                                              .no_text = take_no_text,
                                              .end = end,
                                              .finish = finish};

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
    each->ahead = mem_zero(JOBS_AHEAD, sizeof *each->ahead);
    if (!each->ahead) return fail_memory(err);
    TRY(scan_new(each->recipe, settings, &each->scan, err));
    each->scan->takers = &each_takers;
    each->scan->taken_for = each;
    each->scan->catalogue.problems.most = PROBLEMS_MOST;
    identity_key_lasting(&each->scan->key); /* as the digests of facts */
    TRY(add_subject(each->scan, subject, err));
    TRY(scan_list(each->scan, err));
    TRY(read_listed(each->scan, err));
    return problems_sort(&each->scan->catalogue.problems, err);
}
