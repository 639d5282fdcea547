#ifndef SCAN_PROGRESS_H
#define SCAN_PROGRESS_H

#include "stemma.h"

#include <pthread.h>
#include <stdatomic.h>

struct scan_progress {
    pthread_mutex_t lock; /* one caller's function at a time */
    stemma_scan_progress told;
    _Atomic uint64_t documents, bytes;
    _Atomic int64_t due; /* when it is told again */
};

void progress_init(struct scan_progress *progress);
void progress_release(struct scan_progress *progress);

struct stemma_scan;

/* A stage begins; totals are 0 where they are not known. */
void progress_stage(struct stemma_scan *scan, const char *stage, uint64_t documents, uint64_t bytes);
void progress_add(struct stemma_scan *scan, uint64_t documents, uint64_t bytes); /* by any thread */

#endif
