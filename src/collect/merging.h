/* Documents of one collection into another. */
#ifndef COLLECT_MERGING_H
#define COLLECT_MERGING_H

#include "index/transfer.h"

/* As one commit of `store`, which is open to be written and in no batch. prefix: put before each id, so that
 * paths of several machines stay apart; NULL: none. A document whose id is there is replaced, unless it is
 * the same. MISMATCH when they do not keep the same. */
stemma_status merge_documents(struct collection *store, struct origin *origin, const char *prefix,
                              struct merge_facts *facts, stemma_error *err);

#endif
