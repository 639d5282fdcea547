#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *stemma_status_text(stemma_status status) {
    switch (status) {
#define STATUS_TEXT(name, number, text)                                                                      \
    case name:                                                                                               \
        return text;
        STEMMA_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}

/* A message that is too long has a long name in it: its middle is left out, the cause at the end stays. */
static void put_message(stemma_error *err, const char *text, size_t length) {
    const size_t room = sizeof err->message, head = room / 2, tail = room - head - 4;
    if (length < room)
        memcpy(err->message, text, length + 1);
    else
        snprintf(err->message, room, "%.*s...%s", (int)head, text, text + length - tail);
}

stemma_status fail(stemma_error *err, stemma_status status, const char *format, ...) {
    if (err) {
        char text[8192 + 512]; /* two names of PATH_MAX */
        va_list arguments;
        err->status = status;
        va_start(arguments, format);
        int length = vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        put_message(err, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
    }
    return status;
}

stemma_status fail_memory(stemma_error *err) {
    return fail(err, STEMMA_NO_MEMORY, "out of memory");
}

stemma_status check_stop(const volatile int *stop, stemma_error *err) {
    /* The caller's other thread or signal handler writes it. */
    if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED)) return fail(err, STEMMA_INTERRUPTED, "interrupted");
    return STEMMA_OK;
}

static stemma_status status_of_errno(int error_number) {
    switch (error_number) {
    case ENOENT:
    case ENOTDIR:
        return STEMMA_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return STEMMA_UNREADABLE;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STEMMA_NO_SPACE;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return STEMMA_NO_MEMORY;
    case EINTR:
        return STEMMA_INTERRUPTED;
    default:
        return STEMMA_IO;
    }
}

/* Lower-case first letter, as our messages are one sentence: "cannot read 'x': permission denied". */
static void describe_errno(int error_number, char *text, size_t size) {
    char own[128];
    const char *said = strerror_r(error_number, own, sizeof own);
    snprintf(text, size, "%s", said);
    if (text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z')) text[0] += 'a' - 'A';
}

stemma_status fail_errno(stemma_error *err, const char *verb, const char *path, int error_number) {
    char cause[128];
    describe_errno(error_number, cause, sizeof cause);
    return fail(err, status_of_errno(error_number), "cannot %s '%s': %s", verb, path, cause);
}
