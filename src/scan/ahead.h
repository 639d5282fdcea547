/*
 * Texts that have to be read again, before they are asked for.
 *
 * Candidates come in keep order, their texts lie anywhere in the files: read one by one, each costs the
 * system calls of its own, and where a file is not in memory a wait. So the candidates that come next are
 * looked through, as many as there is memory for the texts of, and these are read in the order of the
 * reading, by all threads; then they are compared, and the next ones follow. What is not read ahead is read
 * when it is asked for (text_fetch): this changes nothing but the time.
 */
#ifndef SCAN_AHEAD_H
#define SCAN_AHEAD_H

#include "base/error.h"
#include "runs/runs.h"

struct stemma_scan;

struct ahead {
    struct sorter_cursor *cursor; /* over the candidates; NULL: nothing is read ahead */
    struct record *records;       /* taken from it: at .. filled are still to be looked through */
    size_t at, filled;
    bool all;      /* also of candidates that no group asks for */
    uint64_t next; /* candidates from this one on have not been looked through */
    size_t rounds;
};

/* All candidates will be gone through, once, about in order: for groups, or all of them. */
stemma_status ahead_begin(struct stemma_scan *scan, bool all, stemma_error *err);
/* These are compared next. */
stemma_status ahead_reach(struct stemma_scan *scan, const uint64_t *pairs, size_t count, stemma_error *err);
void ahead_end(struct stemma_scan *scan);

#endif
