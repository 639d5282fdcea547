/*
 * parallel.h - independent items on several threads.
 *
 * Commands work in rounds: read some items, work on all of them, print in the order read. So output never
 * depends on the number of threads, and with one thread each item is answered before the next is read.
 */
#ifndef STEMMA_CLI_PARALLEL_H
#define STEMMA_CLI_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* Work on item `index`; `worker` is below the number of threads, for state of the worker's own. */
typedef void parallel_work(void *context, size_t index, unsigned worker);

/* Returns when all items are done. Works with fewer threads where the system gives no more. */
void parallel_for(size_t count, unsigned threads, parallel_work *work, void *context);
/* The same, while the main thread does something else. False: the system gives no thread, nothing is done. */
bool parallel_beside(size_t count, unsigned threads, parallel_work *work, void *context,
                     void (*beside)(void *context));

unsigned worker_count(unsigned asked); /* 0: one a processor */
size_t round_size(unsigned threads);   /* items of a round */

#endif
