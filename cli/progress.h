/*
 * progress.h - how far long work has come: one line on standard error, when that is a terminal and the work
 * lasts longer than a second.
 */
#ifndef STEMMA_CLI_PROGRESS_H
#define STEMMA_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <stemma.h>

typedef struct progress {
    bool wanted;
    _Atomic uint64_t bytes;
    _Atomic int64_t next; /* when the line is written again, in nanoseconds of the clock */
    int64_t begin;
    const char *lead;  /* of several scans: which this is, with what parts it from the stage; NULL: of one */
    const char *stage; /* of a scan, */
    int64_t stage_begin;
    atomic_bool shown;
} progress;

void progress_begin(progress *p, bool quiet);
void progress_searched(void *p, uint64_t bytes);                  /* by any thread */
void progress_of_scan(void *p, const stemma_scan_progress *scan); /* by one thread at a time */
void progress_erase(progress *p);                                 /* before anything else is printed */

#endif
