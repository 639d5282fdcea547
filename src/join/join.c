/* Shares the bands, and the samples, out to threads. */
#include "join/join.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "join/bands.h"
#include "join/samples.h"

#include <pthread.h>

enum stage { COUNT, MEET, GIVE };

struct join {
    const struct join_plan *plan;
    const struct join_input *input;
    struct sorter *pairs;
    struct bands bands;
    struct samples samples;
    enum stage stage;
    uint32_t slices, band_count; /* tasks of the stage */
    atomic_uint next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of what follows */
    struct join_counts *counts;
    stemma_status status;
    stemma_error *err;
};

static stemma_status do_slice(struct join *join, struct band_worker *worker, uint32_t slice,
                              stemma_error *err) {
    switch (join->stage) {
    case COUNT:
        return samples_count(&join->samples, slice, err);
    case MEET:
        return samples_meet(&join->samples, slice, &worker->counts, err);
    case GIVE:
        break;
    }
    return samples_give(&join->samples, slice, &worker->outlet, &worker->counts, err);
}

static stemma_status do_band(struct join *join, struct band_worker *worker, uint32_t band,
                             stemma_error *err) {
    return join->stage == COUNT ? band_join(&join->bands, worker, band, err)
                                : band_join_again(&join->bands, worker, band, err);
}

static stemma_status do_tasks(struct join *join, struct band_worker *worker, stemma_error *err) {
    band_worker_init(worker, join->pairs);
    const uint32_t tasks = join->slices + join->band_count;
    for (uint32_t task; !join->failed && (task = join->next++) < tasks;)
        TRY(task < join->slices ? do_slice(join, worker, task, err)
                                : do_band(join, worker, task - join->slices, err));
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

static stemma_status run_stage(struct join *join, enum stage stage, bool with_bands) {
    join->stage = stage;
    join->slices = stage == GIVE ? join->samples.met_slices : join->samples.slices;
    join->band_count = with_bands ? join->plan->bands : 0;
    join->next = 0;
    const uint32_t tasks = join->slices + join->band_count;
    unsigned threads = thread_count(join->input->threads);
    if (tasks > 0) threads_run(threads < tasks ? threads : tasks, work, join);
    return join->status;
}

static stemma_status run(struct join *join, stemma_error *err) {
    const bool sampled = join->plan->contained > 0;
    TRY(bands_init(&join->bands, join->plan, join->input, err));
    if (sampled) TRY(samples_init(&join->samples, join->plan, join->input, err));
    TRY(run_stage(join, COUNT, true));
    if (sampled) TRY(samples_decide(&join->samples, err));
    TRY(run_stage(join, MEET, join->counts->full_bands > 0));
    if (sampled) TRY(samples_settle(&join->samples, join->counts, err));
    return run_stage(join, GIVE, false);
}

static uint64_t count_crowded(const struct join *join) {
    const bool sampled = join->plan->contained > 0;
    uint64_t crowded = 0;
    for (uint32_t class = 0; class < join->input->count; class ++)
        crowded += join->bands.full[class] != 0 || (sampled && samples_needs_full(&join->samples, class));
    return crowded;
}

stemma_status join_candidates(const struct join_plan *plan, const struct join_input *input,
                              struct sorter *pairs, struct join_counts *counts, stemma_error *err) {
    struct join_counts made = {0};
    struct join join = {.plan = plan, .input = input, .pairs = pairs, .counts = &made, .err = err};
    pthread_mutex_init(&join.lock, NULL);
    stemma_status status = input->count > 0 ? run(&join, err) : STEMMA_OK;
    if (status == STEMMA_OK && input->count > 0) made.crowded = count_crowded(&join);
    bands_release(&join.bands);
    samples_release(&join.samples);
    pthread_mutex_destroy(&join.lock);
    if (status == STEMMA_OK) *counts = made;
    return status;
}
