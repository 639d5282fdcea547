#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

void progress_begin(progress *p) {
    p->wanted = isatty(STDERR_FILENO);
    p->begin = now();
    atomic_store(&p->next, p->begin + SECOND);
}

static void show(const progress *p, uint64_t bytes, int64_t time) {
    double seconds = (double)(time - p->begin) / SECOND, megabytes = (double)bytes / 1e6;
    fprintf(stderr, "\r%.0f MB searched, %.0f MB/s\033[K", megabytes, megabytes / seconds);
    fflush(stderr);
}

void progress_add(void *argument, uint64_t bytes) {
    progress *p = argument;
    if (!p->wanted) return;
    uint64_t total = atomic_fetch_add(&p->bytes, bytes) + bytes;
    int64_t time = now(), due = atomic_load(&p->next);
    if (time < due || !atomic_compare_exchange_strong(&p->next, &due, time + SECOND / 2)) return;
    atomic_store(&p->shown, true);
    show(p, total, time);
}

void progress_erase(progress *p) {
    if (atomic_exchange(&p->shown, false)) fputs("\r\033[K", stderr);
}
