/* Documents that were taken and are not committed yet, in memory: so that the next ones are held against
 * them, too. */
#ifndef COLLECT_RECENT_H
#define COLLECT_RECENT_H

#include "collect/asker.h"

struct recent;

/* Recipe and settings must outlive it: threshold, contained and asking count. */
stemma_status recent_new(const struct stemma_recipe *recipe, const struct asker_settings *settings,
                         struct recent **out, stemma_error *err);
void recent_free(struct recent *recent);

/* Takes a copy, in place of the one with the same id. */
stemma_status recent_add(struct recent *recent, const char *id, const struct asked_document *document,
                         stemma_error *err);
void recent_clear(struct recent *recent);
uint64_t recent_bytes(const struct recent *recent); /* of their texts */

/* The one most like it, if any reaches a threshold; its id is recent's until the next change. */
stemma_status recent_find(struct recent *recent, const struct asked_document *document, struct answer *best,
                          bool *found, stemma_error *err);

#endif
