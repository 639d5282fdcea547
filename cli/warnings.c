#include "warnings.h"

#include "command.h"

#include <pthread.h>
#include <search.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *told; /* messages, see tsearch(3): under the lock */

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

void warn_of_document(void *context, const char *name, const char *message) {
    (void)context, (void)name;
    pthread_mutex_lock(&lock);
    if (!tfind(message, &told, by_text)) {
        need(tsearch(need_copy(message), &told, by_text));
        complain("warning: %s", message);
    }
    pthread_mutex_unlock(&lock);
}
