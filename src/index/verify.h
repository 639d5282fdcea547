/* Checking all of a collection, and repairing it from what is sound. (docs/design/store.md) */
#ifndef INDEX_VERIFY_H
#define INDEX_VERIFY_H

#include "index/collection.h"

struct verify_facts {
    uint64_t files, bytes, documents; /* checked */
    uint64_t damages;                 /* told */
    uint64_t lost;                    /* documents that cannot be read any more */
    bool repaired;                    /* all of it, by a commit */
};

/* What is wrong, or was done about it, in a sentence. */
typedef void take_finding(void *context, const char *text);

/* Reads every byte of every file. CORRUPT and the like are findings, not failures; NOT_FOUND, LATER_VERSION
 * and those of the machine are. With `repair` it is a writer, and takes options as one. */
stemma_status collection_verify(const char *path, const struct collection_options *options, bool repair,
                                take_finding *take, void *context, struct verify_facts *facts,
                                stemma_error *err);

#endif
