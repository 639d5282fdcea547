/*
 * find_round.h - files that are searched at once, and what is found in them, printed in their order.
 *
 * What is found is put into words by the thread that finds it, while the text is at hand. The main thread
 * prints it, since a signal ends its waiting for a reader; with one thread it also searches. The file whose
 * turn it is is printed while it is searched; others hold only so much back, and wait then.
 */
#ifndef STEMMA_CLI_FIND_ROUND_H
#define STEMMA_CLI_FIND_ROUND_H

#include <pthread.h>
#include <stdatomic.h>

#include "fragments.h"
#include "progress.h"

typedef struct find_item find_item;

typedef struct find_round {
    const options *options;
    const char *unit; /* what a fragment is counted in */
    stemma_finder *finder;
    stemma_limits limits;
    unsigned threads;
    bool alone; /* the main thread searches */
    find_item *items;
    size_t count;
    pthread_mutex_t lock; /* of what the items have ready */
    pthread_cond_t changed;
    atomic_size_t turn; /* the item that is printed */
    atomic_bool enough; /* nobody reads, or --quiet has its answer */
    pthread_mutex_t terminal;
    progress progress;
    find_totals totals; /* of all rounds */
    enum exit_code code;
} find_round;

void round_open(find_round *r, const options *o, unsigned threads); /* finder and unit are set behind it */
void round_close(find_round *r);                                    /* the finder, too */

bool round_is_full(const find_round *r);
void round_add(find_round *r, const char *name, bool named); /* named: by the user, not found in a folder */
/* All that were added, which are then forgotten. False: more work would be for nothing. */
bool round_search(find_round *r);
void round_searched(void *round, uint64_t bytes); /* of the finder, by any thread */

#endif
