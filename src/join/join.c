/* Shares the bands, and the samples, out to threads. */
#include "join/join.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "join/bands.h"

#include <pthread.h>

struct join {
    const struct join_plan *plan;
    const struct join_input *input;
    struct sorter *pairs;
    struct bands bands;
    bool again; /* bands are gone through a second time */
    atomic_uint next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of what follows */
    struct join_counts *counts;
    stemma_status status;
    stemma_error *err;
};

static stemma_status do_task(struct join *join, struct band_worker *worker, uint32_t task,
                             stemma_error *err) {
    return join->again ? band_join_again(&join->bands, worker, task, err)
                       : band_join(&join->bands, worker, task, err);
}

static stemma_status do_tasks(struct join *join, struct band_worker *worker, stemma_error *err) {
    TRY(band_worker_init(worker, &join->bands, join->pairs, err));
    for (uint32_t task; !join->failed && (task = join->next++) < join->plan->bands;)
        TRY(do_task(join, worker, task, err));
    return outlet_flush(&worker->outlet, err);
}

/* The first failure is the one that is told. */
static void hand_in(struct join *join, const struct band_worker *worker, stemma_status status,
                    const stemma_error *err) {
    pthread_mutex_lock(&join->lock);
    join->counts->looked += worker->looked;
    join->counts->resembling += worker->added;
    join->counts->full_bands += worker->full;
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
    join->next = 0;
    unsigned threads = thread_count(join->input->threads);
    threads_run(threads < join->plan->bands ? threads : join->plan->bands, work, join);
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
