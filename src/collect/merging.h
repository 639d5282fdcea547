/* Documents of one collection into another. */
#ifndef COLLECT_MERGING_H
#define COLLECT_MERGING_H

#include "index/transfer.h"
#include "sketch/recipe.h"

/* As one commit of `store`, which is open to be written and in no batch. prefix: put before each id, so that
 * paths of several machines stay apart; NULL: none. A document whose id is there is replaced, unless it is
 * the same. What the store does not keep is left out; what the other one does not is made again, where the
 * document or its stored text can be read, or else left empty. Where the other one has fewer bits, those of
 * the store are cut, too. MISMATCH: another view, or a document that would lack minima or samples. */
stemma_status merge_documents(struct collection *store, const struct stemma_recipe *recipe,
                              const stemma_limits *limits, struct origin *origin, const char *prefix,
                              struct merge_facts *facts, stemma_error *err);

#endif
