/* What is kept of a document, made again where a collection is damaged: from its stored text, or from the
 * document as it lies there, if that is still the one that was added. */
#ifndef COLLECT_RESTORING_H
#define COLLECT_RESTORING_H

#include "index/verify.h"

struct restorer; /* what it needs is made when the first document is to be mended */

/* key: of a keyed collection, else NULL; it and the limits must outlive it. */
stemma_status restorer_new(const stemma_limits *limits, const void *key, size_t key_size,
                           struct restorer **out, stemma_error *err);
void restorer_free(struct restorer *restorer);

/* As a mender's, with it as the context. INVALID where the collection is keyed, and the key is not given:
 * documents are not dropped for want of it. */
stemma_status restorer_mend(void *context, const struct schema *schema, const bool *damaged, struct row *row,
                            enum mending *done, stemma_error *err);

#endif
