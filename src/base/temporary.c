#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *temporary_directory(const char *asked) {
    if (asked) return asked;
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

/* A file system without O_TMPFILE: named for a moment. */
static int open_named(const char *directory) {
    char name[4096];
    if (snprintf(name, sizeof name, "%s/stemma-XXXXXX", directory) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

stemma_status temporary_open(const char *asked, int *fd, stemma_error *err) {
    const char *directory = temporary_directory(asked);
    int opened = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (opened < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        opened = open_named(directory);
    if (opened < 0) {
        int cause = errno == ENOENT || errno == ENOTDIR || errno == EACCES ? EIO : errno;
        stemma_status status =
            fail_errno(NULL, "", "", cause); /* not the document's fault, so not its status */
        fail_errno(err, "make a temporary file in", directory, errno);
        if (err) err->status = status;
        return status;
    }
    *fd = opened;
    return STEMMA_OK;
}

void *temporary_map(const char *asked, size_t size) {
    int fd;
    if (temporary_open(asked, &fd, NULL) != STEMMA_OK) return NULL;
    /* All of its room at once: a disk that is full shows now, and not by a signal. */
    void *bytes = posix_fallocate(fd, 0, (off_t)size)
                      ? MAP_FAILED
                      : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void temporary_unmap(void *bytes, size_t size) {
    munmap(bytes, size);
}
