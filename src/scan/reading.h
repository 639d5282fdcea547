/* One worker that reads documents and enters them into the catalogue: what reading.c does with each. */
#ifndef SCAN_READING_H
#define SCAN_READING_H

#include "read/container.h"
#include "read/dataset.h"
#include "scan/scan.h"

enum { SAMPLE_ROOM = 4096 }; /* records handed to the sorter at a time */

struct worker {
    struct stemma_scan *scan;
    struct text_reader reader;
    struct record_reader records_in;
    struct keyer *keyer;
    uint8_t *keys;
    struct vec64 samples;   /* of one document */
    struct record *records; /* samples for the sorter */
    size_t record_count;
    size_t entered; /* bytes that became resident, about, since room was made for them */
    int alone;      /* how often it asked for that: */
};

/* What takes more memory than others leave is done by one worker at a time. May be asked for again meanwhile,
 * and is given back as often. */
void worker_wait(void *worker);
void worker_go_on(void *worker);

stemma_status worker_init(struct worker *worker, struct stemma_scan *scan, stemma_error *err);
void worker_release(struct worker *worker);

/* The samples of a class on their way to the sorter. */
stemma_status worker_add_samples(struct worker *worker, uint32_t class, stemma_error *err);
stemma_status worker_flush(struct worker *worker, stemma_error *err);

/* A document with the place it has; name decides on the format, and may be NULL; id may be, too. */
stemma_status worker_take(struct worker *worker, const struct document *place, const char *name,
                          const char *id, size_t id_size, const uint8_t *bytes, size_t size,
                          enum container_kind kind, stemma_error *err);

/* What is inside the files that were read and hold documents. */
stemma_status scan_read_contained(struct stemma_scan *scan, stemma_error *err);

/* Statuses that are the fault of one document, not of the scan. */
bool is_problem(stemma_status status);

#endif
