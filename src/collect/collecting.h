/*
 * Documents into a collection: what a scan reads becomes rows (docs/design/collection.md).
 *
 * What is there already is left alone: a file by its size and time, without being read; else by the digest of
 * its bytes, and then at most its time is written again. Of files that hold documents the row of the file
 * itself is settled when all that is in it has been taken, so that an interrupted reading begins again there.
 */
#ifndef COLLECT_COLLECTING_H
#define COLLECT_COLLECTING_H

#include "collect/pending.h"
#include "index/facts.h"
#include "scan/scan.h"

struct collecting;

/* Pending and recipe must outlive it; of the options input, threads and progress count. */
stemma_status collecting_new(struct pending *pending, const struct stemma_recipe *recipe,
                             const struct scan_settings *settings, struct collecting **out,
                             stemma_error *err);
void collecting_free(struct collecting *collecting);

/* What is done with documents whose files are not there any more (vanished.h). */
enum pruning { PRUNE_NOTHING, PRUNE_SOME, PRUNE_ALL };

/* Files, folders, data sets, and commits. */
stemma_status collecting_add(struct collecting *collecting, const char *const *paths, size_t count,
                             enum pruning prune, stemma_add_summary *summary, stemma_error *err);
/* What could not be read by that. */
struct problems *collecting_problems(struct collecting *collecting);

/* ---- one document after the other, without commits ---- */

/* Is told of each what it is, before it becomes a row. */
struct taken {
    struct cell id;
    const struct facts *facts;
    const stemma_error *cause; /* why it could not be read, where the facts say so */
    bool unchanged;            /* the collection has it as it is: nothing else is known of it */
    const uint8_t *text;       /* canonical, with KERNEL_SLACK behind it; NULL: none in memory */
    size_t text_size;
    const uint8_t *minima; /* MINIMA_BYTES, where there is a text */
    const struct vec64 *samples;
};
typedef stemma_status watch_taken(void *context, const struct taken *document, stemma_error *err);
/* dry: nothing becomes a row. */
void collecting_watch(struct collecting *collecting, watch_taken *watch, void *context, bool dry);

stemma_status collecting_add_text(struct collecting *collecting, const char *id, const void *data,
                                  size_t size, stemma_error *err);
/* A file that is one document: what it may hold is not looked into. Errors of the file are the caller's to
 * tell; UNSUPPORTED where it is too large. */
stemma_status collecting_add_file(struct collecting *collecting, const char *path, stemma_error *err);

#endif
