/* One worker that reads documents, and hands them to a taker: what reading.c does with each. */
#ifndef SCAN_READING_H
#define SCAN_READING_H

#include "read/container.h"
#include "read/dataset.h"
#include "scan/scan.h"
#include "scan/taker.h"

struct worker {
    struct stemma_scan *scan;
    struct text_reader reader;
    struct record_reader records_in;
    const struct taker_kind *kind;
    void *taker;
    bool holds; /* the file at work holds documents, and is looked into at once */
    int alone;  /* how often it asked for that: */
};

/* What takes more memory than others leave is done by one worker at a time. May be asked for again meanwhile,
 * and is given back as often. */
void worker_wait(void *worker);
void worker_go_on(void *worker);

stemma_status worker_init(struct worker *worker, struct stemma_scan *scan, stemma_error *err);
void worker_release(struct worker *worker);

/* A document of which everything but the text is known. */
stemma_status worker_begin(struct worker *worker, const struct document *document, const char *id,
                           size_t id_size, bool *wanted, stemma_error *err);

/* A document with the place it has; name decides on the format, and may be NULL; id may be, too. */
stemma_status worker_take(struct worker *worker, const struct document *place, const char *name,
                          const char *id, size_t id_size, const uint8_t *bytes, size_t size,
                          enum container_kind kind, stemma_error *err);

/* What cannot be read of a source that documents are taken out of. */
stemma_status worker_problem(struct worker *worker, uint32_t source, const char *name, uint64_t line,
                             const stemma_error *cause, stemma_error *err);
stemma_status worker_begin_inside(struct worker *worker, uint32_t source, stemma_error *err);
stemma_status worker_end_inside(struct worker *worker, uint32_t source, const struct inside_taken *how,
                                stemma_error *err);

/* A file that was read, or is known, and holds documents. */
stemma_status scan_note_container(struct stemma_scan *scan, const struct document *document,
                                  stemma_error *err);
/* A data set of which the taker knows what is inside. */
stemma_status scan_note_known(struct stemma_scan *scan, uint32_t source, stemma_error *err);
/* What is inside one. */
stemma_status scan_read_inside(struct worker *worker, uint32_t source, stemma_error *err);
/* What is inside all that were noted. */
stemma_status scan_read_contained(struct stemma_scan *scan, stemma_error *err);

/* Statuses that are the fault of one document, not of the scan. */
bool is_problem(stemma_status status);

#endif
