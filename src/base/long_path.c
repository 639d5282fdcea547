#include "base/long_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static void close_keeping_errno(int fd) {
    int cause = errno;
    if (fd >= 0) close(fd);
    errno = cause;
}

/* As many folders of the path as can be gone at once; *path is then what is left.
 * -1 and errno when it fails. */
static int step_down(int from, const char **path) {
    char step[PATH_MAX];
    const char *slash = memrchr(*path, '/', sizeof step - 2);
    if (!slash) {
        errno = ENAMETOOLONG;
        return -1;
    }
    size_t size = (size_t)(slash + 1 - *path);
    memcpy(step, *path, size);
    step[size] = 0;
    *path += size + strspn(slash + 1, "/");
    return openat(from, step, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int open_path(const char *path, int flags) {
    int fd = open(path, flags);
    if (fd >= 0 || errno != ENAMETOOLONG) return fd;
    int folder = AT_FDCWD;
    while (strlen(path) >= PATH_MAX) {
        int next = step_down(folder, &path);
        close_keeping_errno(folder);
        if (next < 0) return -1;
        folder = next;
    }
    fd = openat(folder, path, flags);
    close_keeping_errno(folder);
    return fd;
}
