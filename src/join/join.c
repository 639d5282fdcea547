/* Shares the bands, and the samples, out to threads. */
#include "join/join.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "join/bands.h"
#include "join/samples.h"

#include <pthread.h>

struct join {
    const struct join_plan *plan;
    const struct join_input *input;
    struct sorter *pairs;
    struct bands bands;
    bool again;       /* bands are gone through a second time */
    uint32_t sampled; /* 1 when the samples are to be joined, too */
    atomic_uint next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of what follows */
    struct join_counts *counts;
    stemma_status status;
    stemma_error *err;
};

/* The samples are one task, the longest: it comes first. */
static uint32_t task_count(const struct join *join) {
    return join->plan->bands + join->sampled;
}

static stemma_status do_task(struct join *join, struct band_worker *worker, uint32_t task,
                             stemma_error *err) {
    uint32_t band = task - join->sampled;
    if (join->again) return band_join_again(&join->bands, worker, band, err);
    if (task < join->sampled)
        return samples_join(join->plan, join->input, &worker->outlet, &worker->counts, err);
    return band_join(&join->bands, worker, band, err);
}

static stemma_status do_tasks(struct join *join, struct band_worker *worker, stemma_error *err) {
    TRY(band_worker_init(worker, &join->bands, join->pairs, err));
    for (uint32_t task; !join->failed && (task = join->next++) < task_count(join);)
        TRY(do_task(join, worker, task, err));
    return outlet_flush(&worker->outlet, err);
}

static void add_counts(struct join_counts *sum, const struct join_counts *more) {
    sum->looked += more->looked;
    sum->resembling += more->resembling;
    sum->full_bands += more->full_bands;
    sum->shared += more->shared;
    sum->containing += more->containing;
    sum->full_samples += more->full_samples;
    sum->spilled += more->spilled;
}

/* The first failure is the one that is told. */
static void hand_in(struct join *join, const struct band_worker *worker, stemma_status status,
                    const stemma_error *err) {
    pthread_mutex_lock(&join->lock);
    add_counts(join->counts, &worker->counts);
    if (status != STEMMA_OK && join->status == STEMMA_OK) {
        join->status = status;
        if (join->err) *join->err = *err;
        join->failed = true;
    }
    pthread_mutex_unlock(&join->lock);
}

static void work(void *context, unsigned number) {
    (void)number;
    struct join *join = context;
    stemma_error err = {0};
    struct band_worker worker = {0};
    stemma_status status = do_tasks(join, &worker, &err);
    hand_in(join, &worker, status, &err);
    band_worker_release(&worker);
}

static stemma_status through_bands(struct join *join, bool again) {
    join->again = again;
    join->sampled = !again && join->plan->contained > 0;
    join->next = 0;
    unsigned threads = thread_count(join->input->threads);
    threads_run(threads < task_count(join) ? threads : task_count(join), work, join);
    return join->status;
}

static stemma_status run(struct join *join, stemma_error *err) {
    TRY(bands_init(&join->bands, join->plan, join->input, err));
    stemma_status status = through_bands(join, false);
    if (status == STEMMA_OK && join->counts->full_bands > 0) status = through_bands(join, true);
    bands_release(&join->bands);
    return status;
}

stemma_status join_candidates(const struct join_plan *plan, const struct join_input *input,
                              struct sorter *pairs, struct join_counts *counts, stemma_error *err) {
    struct join_counts made = {0};
    struct join join = {.plan = plan, .input = input, .pairs = pairs, .counts = &made, .err = err};
    pthread_mutex_init(&join.lock, NULL);
    stemma_status status = input->count > 0 ? run(&join, err) : STEMMA_OK;
    pthread_mutex_destroy(&join.lock);
    if (status == STEMMA_OK) *counts = made;
    return status;
}
