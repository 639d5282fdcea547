/* What a converter may ask of the system: a filter of system calls, made beforehand, put on between fork and
 * exec. */
#ifndef READ_SANDBOX_H
#define READ_SANDBOX_H

#include "base/error.h"

#include <linux/filter.h>
#include <stdbool.h>

struct sandbox {
    struct sock_filter *code;
    unsigned short count;
};

/* The only program that may be started is the one open as `program`. Errors: UNSUPPORTED (this system has no
 * such filters), NO_MEMORY. */
stemma_status sandbox_init(struct sandbox *sandbox, int program, stemma_error *err);
void sandbox_release(struct sandbox *sandbox);

/* In the child, of calls that are allowed there; from then on it cannot be taken off. */
bool sandbox_enter(const struct sandbox *sandbox);

#endif
