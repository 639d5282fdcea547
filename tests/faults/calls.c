/* The linker puts these before the real calls, so the library has no hooks. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

struct fault fault;

static bool fails(enum call call) {
    if (!fault.armed || call != fault.call || fault.left-- > 0) return false;
    fault.armed = fault.how & LASTING;
    fault.left = 0;
    fault.fired = true;
    errno = fault.error;
    return true;
}

static size_t moved(size_t size) {
    return fault.how & SHORT && size > 30011 ? 30011 : size;
}

#define WRAP(result, name, ...)                                                                              \
    result __real_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_malloc(size);
    fault.live += given != NULL;
    return given;
}
WRAP(void *, calloc, size_t count, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_calloc(count, size);
    fault.live += given != NULL;
    return given;
}
WRAP(void *, realloc, void *old, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_realloc(old, size);
    fault.live += given && !old;
    return given;
}
WRAP(void, free, void *pointer) {
    fault.live -= pointer != NULL;
    __real_free(pointer);
}
WRAP(int, open, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    enum call call = (flags & O_TMPFILE) == O_TMPFILE ? OPEN_UNNAMED : flags & O_CREAT ? OPEN_NAMED : OPEN;
    if (call == OPEN_UNNAMED && fault.how & NAMED) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails(call) ? -1 : __real_open(path, flags, mode);
}
WRAP(int, openat, int at, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(flags & O_CREAT ? OPEN_NAMED : OPEN) ? -1 : __real_openat(at, path, flags, mode);
}
WRAP(int, mkostemp, char *name, int flags) {
    return fails(OPEN_NAMED) ? -1 : __real_mkostemp(name, flags);
}
WRAP(ssize_t, read, int fd, void *bytes, size_t size) {
    return fails(READ) ? -1 : __real_read(fd, bytes, moved(size));
}
WRAP(ssize_t, pread, int fd, void *bytes, size_t size, off_t at) {
    return fails(READ) ? -1 : __real_pread(fd, bytes, moved(size), at);
}
WRAP(ssize_t, write, int fd, const void *bytes, size_t size) {
    return fails(WRITE) ? -1 : __real_write(fd, bytes, moved(size));
}
WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t size, off_t at) {
    return fails(WRITE) ? -1 : __real_pwrite(fd, bytes, moved(size), at);
}
WRAP(int, fsync, int fd) {
    return fails(SYNC) ? -1 : __real_fsync(fd);
}
WRAP(int, linkat, int from_at, const char *from, int to_at, const char *to, int flags) {
    return fails(LINK) ? -1 : __real_linkat(from_at, from, to_at, to, flags);
}
WRAP(int, rename, const char *from, const char *to) {
    return fails(RENAME) ? -1 : __real_rename(from, to);
}
