/*
 * Answers to some questions that are more than memory should hold: sorted on disk (base/ordered.h), and read
 * in order when they are given. Shared by the answers to questions that were asked together.
 */
#ifndef COLLECT_MANY_H
#define COLLECT_MANY_H

#include "collect/asker.h"

struct many;

stemma_status many_new(const char *directory, struct many **out, stemma_error *err); /* as of ordered_new */
struct many *many_share(struct many *many);
void many_free(struct many *many); /* one of its shares; accepts NULL */

/* Without its alignment; the id is the answer's. */
stemma_status many_add(struct many *many, uint64_t question, const struct answer *answer, struct cell id,
                       stemma_error *err);
/* No more will be added. Then, and after _again, they are read from the first one on. */
stemma_status many_finish(struct many *many, stemma_error *err);
stemma_status many_again(struct many *many, stemma_error *err);
/* The next answer to this question, best first, or to a later one than was asked for before; it stays until
 * the next call. *more: there is one. */
stemma_status many_next(struct many *many, uint64_t question, struct answer *answer, bool *more,
                        stemma_error *err);

#endif
