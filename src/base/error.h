/* Statuses with a message: `return fail(err, STEMMA_IO, "cannot read '%s': %s", path, cause)`. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "stemma.h"

/* Fill *err when there is one, and return status. */
stemma_status fail(stemma_error *err, stemma_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* fail() for an allocation that was refused. */
stemma_status fail_memory(stemma_error *err) __attribute__((cold));

/* INTERRUPTED when the caller wants the work to end. */
stemma_status check_stop(const volatile int *stop, stemma_error *err);

/* fail() for a system call on a named file: "cannot <verb> '<path>': <cause>". The status follows errno. */
stemma_status fail_errno(stemma_error *err, const char *verb, const char *path, int error_number)
    __attribute__((cold));

/* Hand a failure on to the caller. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        stemma_status try_status = (call);                                                                   \
        if (try_status != STEMMA_OK) return try_status;                                                      \
    } while (0)

#endif
