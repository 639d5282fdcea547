#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output.h"

enum { SECOND = 1000000000, DAY = 24 * 60 * 60 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

void progress_begin(progress *p, bool quiet) {
    p->wanted = !quiet && isatty(STDERR_FILENO);
    p->begin = now();
    atomic_store(&p->next, p->begin + SECOND);
}

static void show(const progress *p, uint64_t bytes, int64_t time) {
    double seconds = (double)(time - p->begin) / SECOND, megabytes = (double)bytes / 1e6;
    fprintf(stderr, "\r%.0f MB searched, %.0f MB/s\033[K", megabytes, megabytes / seconds);
    fflush(stderr);
}

/* True for one thread, twice a second. */
static bool is_due(progress *p, int64_t time) {
    int64_t due = atomic_load(&p->next);
    if (time < due || !atomic_compare_exchange_strong(&p->next, &due, time + SECOND / 2)) return false;
    atomic_store(&p->shown, true);
    return true;
}

void progress_searched(void *argument, uint64_t bytes) {
    progress *p = argument;
    if (!p->wanted) return;
    uint64_t total = atomic_fetch_add(&p->bytes, bytes) + bytes;
    int64_t time = now();
    if (is_due(p, time)) show(p, total, time);
}

/* ---- a scan ---- */

/* Of a stage whose end is known: the share done, and the time left at the pace of the stage so far. */
static void show_share(double done, double total, double seconds) {
    char percent[16];
    if (done > total) done = total; /* files grow, and the size of a pipe is not known */
    fprintf(stderr, " %s", format_percent(done / total, percent, sizeof percent));
    if (done < total / 100) return; /* too early to say: what comes first is not like the rest */
    double left = seconds * (total - done) / done + .5;
    if (left >= DAY) return;
    fprintf(stderr, ", %u:%02u left", (unsigned)left / 60, (unsigned)left % 60);
}

static void show_scan(const char *lead, const stemma_scan_progress *scan, double seconds) {
    char documents[32], bytes[32];
    fprintf(stderr, "\r%s%s", lead ? lead : "", scan->stage);
    if (scan->bytes_total)
        show_share((double)scan->bytes, (double)scan->bytes_total, seconds);
    else if (scan->documents_total)
        show_share((double)scan->documents, (double)scan->documents_total, seconds);
    if (scan->documents && !scan->documents_total) /* else they are pairs, or what the share has said */
        fprintf(stderr, ", %s document%s", format_count(scan->documents, documents, sizeof documents),
                scan->documents == 1 ? "" : "s");
    if (scan->bytes && seconds > 0)
        fprintf(stderr, ", %s, %.0f MB/s", format_bytes(scan->bytes, bytes, sizeof bytes),
                (double)scan->bytes / 1e6 / seconds);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void progress_of_scan(void *argument, const stemma_scan_progress *scan) {
    progress *p = argument;
    if (!p->wanted) return;
    int64_t time = now();
    if (!p->stage || strcmp(p->stage, scan->stage)) {
        p->stage = scan->stage;
        p->stage_begin = time;
    }
    if (is_due(p, time)) show_scan(p->lead, scan, (double)(time - p->stage_begin) / SECOND);
}

void progress_erase(progress *p) {
    if (atomic_exchange(&p->shown, false)) fputs("\r\033[K", stderr);
}
