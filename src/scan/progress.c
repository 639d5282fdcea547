/* How far a scan has come, told to the caller at most ten times a second. */
#include "scan/progress.h"

#include "base/clock.h"
#include "scan/scan.h"

enum { INTERVAL = 100000000 }; /* nanoseconds */

void progress_init(struct scan_progress *p) {
    *p = (struct scan_progress){0};
    pthread_mutex_init(&p->lock, NULL);
}

void progress_release(struct scan_progress *p) {
    pthread_mutex_destroy(&p->lock);
}

static void tell(struct stemma_scan *scan) {
    struct scan_progress *p = &scan->progress;
    p->told.documents = p->documents;
    p->told.bytes = p->bytes;
    scan->settings.options.progress(scan->settings.options.progress_context, &p->told);
}

void progress_stage(struct stemma_scan *scan, const char *stage, uint64_t documents, uint64_t bytes) {
    struct scan_progress *p = &scan->progress;
    if (!scan->settings.options.progress) return;
    pthread_mutex_lock(&p->lock);
    p->documents = p->bytes = 0;
    p->told = (stemma_scan_progress){.stage = stage, .documents_total = documents, .bytes_total = bytes};
    tell(scan);
    pthread_mutex_unlock(&p->lock);
}

void progress_add(struct stemma_scan *scan, uint64_t documents, uint64_t bytes) {
    struct scan_progress *p = &scan->progress;
    if (!scan->settings.options.progress) return;
    p->documents += documents;
    p->bytes += bytes;
    int64_t time = clock_nanoseconds(CLOCK_MONOTONIC), due = p->due;
    if (time < due || !atomic_compare_exchange_strong(&p->due, &due, time + INTERVAL)) return;
    pthread_mutex_lock(&p->lock);
    tell(scan);
    pthread_mutex_unlock(&p->lock);
}
