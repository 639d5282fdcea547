/*
 * A stream of documents: each is held against all that came before, and joins them.
 *
 * What is not committed yet is found in memory. A commit is due every second, or every thousand documents.
 */
#ifndef COLLECT_SEEING_H
#define COLLECT_SEEING_H

#include "collect/collecting.h"
#include "collect/recent.h"

struct seeing;

struct seeing_options {
    double threshold, contained;
    bool dry;
};

/* Pending and recipe must outlive it. */
stemma_status seeing_new(struct pending *pending, const struct stemma_recipe *recipe,
                         const stemma_limits *limits, const struct seeing_options *options,
                         struct seeing **out, stemma_error *err);
void seeing_free(struct seeing *seeing);
const struct seeing_options *seeing_options_of(const struct seeing *seeing);

/* What is like the document, before it was there. Pointers are good until the next call. */
struct sighting {
    const char *id;
    bool text;                  /* it has any; else nothing is known of it */
    const struct answer *match; /* NULL: it is new */
    const stemma_error *cause;  /* why it could not be read; NULL: it could */
};
/* id "": by the digest of its bytes. */
stemma_status seeing_text(struct seeing *seeing, const char *id, const void *data, size_t size,
                          struct sighting *out, stemma_error *err);
stemma_status seeing_file(struct seeing *seeing, const char *path, struct sighting *out, stemma_error *err);

/* Commits, if that is due; `now` says that it is. */
stemma_status seeing_commit(struct seeing *seeing, bool now, stemma_error *err);

#endif
