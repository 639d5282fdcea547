#include "parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 256, ITEMS_PER_THREAD = 16 };

typedef struct crew {
    atomic_size_t next;
    atomic_uint workers;
    size_t count;
    parallel_work *work;
    void *context;
} crew;

static void *run_worker(void *argument) {
    crew *c = argument;
    unsigned worker = atomic_fetch_add(&c->workers, 1);
    size_t index;
    while ((index = atomic_fetch_add(&c->next, 1)) < c->count) c->work(c->context, index, worker);
    return NULL;
}

/* The main thread alone takes signals: they interrupt its reading. */
static unsigned start_helpers(crew *c, unsigned wanted, pthread_t *helpers) {
    sigset_t all, before;
    unsigned started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(&helpers[started], NULL, run_worker, c) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void parallel_for(size_t count, unsigned threads, parallel_work *work, void *context) {
    crew c = {.count = count, .work = work, .context = context};
    pthread_t helpers[MAX_THREADS];
    size_t useful = threads < count ? threads : count;
    unsigned started = start_helpers(&c, useful > 1 ? (unsigned)useful - 1 : 0, helpers);
    run_worker(&c);
    while (started > 0) pthread_join(helpers[--started], NULL);
}

bool parallel_beside(size_t count, unsigned threads, parallel_work *work, void *context,
                     void (*beside)(void *context)) {
    crew c = {.count = count, .work = work, .context = context};
    pthread_t helpers[MAX_THREADS];
    unsigned started = start_helpers(&c, threads < count ? threads : (unsigned)count, helpers);
    if (started == 0) return false;
    beside(context);
    while (started > 0) pthread_join(helpers[--started], NULL);
    return true;
}

unsigned worker_count(unsigned asked) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked == 0) asked = processors > 0 ? (unsigned)processors : 1;
    return asked < MAX_THREADS ? asked : MAX_THREADS;
}

size_t round_size(unsigned threads) {
    return threads == 1 ? 1 : (size_t)threads * ITEMS_PER_THREAD;
}
