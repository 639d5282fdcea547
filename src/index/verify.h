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

/* Makes cells of a row again that are damaged, from the others or from the document itself. */
enum mending {
    MEND_NOT = 0, /* nothing to make them from */
    MEND_EMPTIED, /* likewise; but they are left empty, since the document is found without them */
    MEND_DONE
};
struct mender {
    /* Id and facts are sound; damaged: by part. Cells that are made last until the next call. */
    stemma_status (*mend)(void *context, const struct schema *schema, const bool *damaged, struct row *row,
                          enum mending *done, stemma_error *err);
    void *context;
};

/* What is wrong, or was done about it, in a sentence. */
typedef void take_finding(void *context, const char *text);

/* Reads every byte of every file. CORRUPT and the like are findings, not failures; NOT_FOUND, LATER_VERSION
 * and those of the machine are. With `repair` it is a writer, and takes options as one; documents of which a
 * cell is damaged are lost where `mender` (may be NULL) cannot make it again. */
stemma_status collection_verify(const char *path, const struct collection_options *options, bool repair,
                                const struct mender *mender, take_finding *take, void *context,
                                struct verify_facts *facts, stemma_error *err);

/* What an open collection shows without reading its blocks: CORRUPT, with the first damage that is met to
 * its copies and to where its parts end; what opening reads, and no more. */
stemma_status collection_glance(const struct collection *collection, stemma_error *err);

#endif
