/* Questions about documents in memory, one after the other, by one thread: what it takes is made once. */
#ifndef COLLECT_DIRECT_H
#define COLLECT_DIRECT_H

#include "collect/query.h"

struct direct;

/* Store and recipe must outlive it; the settings are copied. */
stemma_status direct_new(struct collection *store, const struct stemma_recipe *recipe,
                         const struct asker_settings *settings, struct direct **out, stemma_error *err);
void direct_free(struct direct *direct);
const struct asker_settings *direct_settings(const struct direct *direct);

/* What is found goes to the query, which has begun with the same store and recipe; a document that cannot be
 * read is its problem. */
stemma_status direct_ask(struct direct *direct, const char *id, const void *data, size_t size,
                         struct query *query, stemma_error *err);

#endif
