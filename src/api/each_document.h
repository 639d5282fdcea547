/* What the questions about each document (collect/each.h) have in common at the side of the caller. */
#ifndef API_EACH_DOCUMENT_H
#define API_EACH_DOCUMENT_H

#include "api/collection.h"
#include "collect/each.h"

/* INVALID where something is missing. */
stemma_status each_check_paths(const struct stemma_collection *collection, const char *const *paths,
                               size_t count, bool taken, stemma_error *err);

/* How documents are read: as the options of a scan say, NULL for the defaults. */
stemma_status each_reading(const struct stemma_collection *collection, const stemma_scan_options *given,
                           struct scan_settings *out, stemma_error *err);

/* tell may be NULL. Errors: NO_MEMORY, IO, where not all can be read back. */
stemma_status each_tell_problems(const struct each *each,
                                 void (*tell)(void *context, const stemma_scan_problem *problem),
                                 void *context, stemma_error *err);

#endif
