/* A disk on which one call does not come back, or fails. */
#ifndef TESTS_FAULTY_DISK_H
#define TESTS_FAULTY_DISK_H

#include "base/disk.h"

#include <stdbool.h>
#include <unistd.h>

enum fate { COUNT, KILL, REFUSE };

struct fault {
    enum fate fate;
    long left, calls;
    int error;
};

static bool strikes(const struct disk *disk) {
    struct fault *fault = disk->context;
    fault->calls++;
    return fault->fate != COUNT && fault->left-- == 0;
}

static int strike(const struct disk *disk) {
    const struct fault *fault = disk->context;
    if (fault->fate == KILL) _exit(77);
    return fault->error;
}

static int faulty_create(const struct disk *disk, int folder, const char *name, int *fd) {
    return strikes(disk) ? strike(disk) : disk_plain.create(disk, folder, name, fd);
}
static int faulty_write(const struct disk *disk, int fd, const void *bytes, size_t size, uint64_t at) {
    if (!strikes(disk)) return disk_plain.write(disk, fd, bytes, size, at);
    disk_plain.write(disk, fd, bytes, size / 2, at);
    return strike(disk);
}
static int faulty_sync(const struct disk *disk, int fd) {
    return strikes(disk) ? strike(disk) : disk_plain.sync(disk, fd);
}
static int faulty_rename(const struct disk *disk, int folder, const char *from, const char *to) {
    return strikes(disk) ? strike(disk) : disk_plain.rename(disk, folder, from, to);
}
static int faulty_unlink(const struct disk *disk, int folder, const char *name) {
    return strikes(disk) ? strike(disk) : disk_plain.unlink(disk, folder, name);
}
static int faulty_sync_folder(const struct disk *disk, int folder) {
    return strikes(disk) ? strike(disk) : disk_plain.sync_folder(disk, folder);
}

static inline struct disk faulty(struct fault *fault) {
    return (struct disk){.context = fault,
                         .create = faulty_create,
                         .write = faulty_write,
                         .sync = faulty_sync,
                         .rename = faulty_rename,
                         .unlink = faulty_unlink,
                         .sync_folder = faulty_sync_folder};
}

#endif
