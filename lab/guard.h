/* A temporary folder that nothing leaves behind, whatever ends this process: another one, which does nothing
 * else, waits for its end and removes the folder. */
#ifndef LAB_GUARD_H
#define LAB_GUARD_H

#include "base/error.h"

#include <sys/types.h>

enum { GUARD_PATH_MOST = 4200 };

/* A zeroed one guards nothing. */
struct guard {
    char folder[GUARD_PATH_MOST];
    pid_t process;
    int end; /* of a pipe, open as long as this process lives */
};

stemma_status guard_folder(struct guard *guard, stemma_error *err);
/* Returns when the folder is gone, with all that is in it. */
void guard_release(struct guard *guard);

#endif
