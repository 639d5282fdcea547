/* Questions about documents in memory, one after the other, by one thread: what it takes is made once. */
#ifndef COLLECT_DIRECT_H
#define COLLECT_DIRECT_H

#include "collect/asker.h"

struct direct;

/* Store and recipe must outlive it; the settings are copied. */
stemma_status direct_new(struct collection *store, const struct stemma_recipe *recipe,
                         const struct asker_settings *settings, struct direct **out, stemma_error *err);
void direct_free(struct direct *direct);
const struct asker_settings *direct_settings(const struct direct *direct);

struct direct_answer {
    bool failed;        /* it could not be read, */
    stemma_error cause; /* for this reason */
    bool asked;         /* it is not empty */
    struct answers answers;
    struct asker_work work;
    double seconds_reading;
};

/* A document that cannot be read is no failure. *answer may have to be released, whatever comes of it. */
stemma_status direct_ask(struct direct *direct, const void *data, size_t size, struct direct_answer *answer,
                         stemma_error *err);

#endif
