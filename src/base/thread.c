#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct helper {
    pthread_t thread;
    void (*work)(void *context, unsigned worker);
    void *context;
    unsigned worker;
};

unsigned thread_count(unsigned asked) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked == 0) asked = processors > 0 ? (unsigned)processors : 1;
    return asked < THREADS_MOST ? asked : THREADS_MOST;
}

static void *run_helper(void *argument) {
    struct helper *helper = argument;
    helper->work(helper->context, helper->worker);
    return NULL;
}

/* Started with all signals blocked, so that none of them takes one. */
static unsigned start(struct helper *helpers, unsigned count) {
    sigset_t all, before;
    unsigned started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count &&
           pthread_create(&helpers[started].thread, NULL, run_helper, &helpers[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void threads_run(unsigned threads, void (*work)(void *context, unsigned worker), void *context) {
    struct helper helpers[THREADS_MOST];
    unsigned wanted = threads > THREADS_MOST ? THREADS_MOST : threads;
    for (unsigned i = 1; i < wanted; i++)
        helpers[i - 1] = (struct helper){.work = work, .context = context, .worker = i};
    unsigned started = start(helpers, wanted > 0 ? wanted - 1 : 0);
    work(context, 0);
    while (started > 0) pthread_join(helpers[--started].thread, NULL);
}
