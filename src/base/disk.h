/*
 * How a store changes its folder: every write, sync, rename and unlink goes through one table, so that tests
 * can fail each, end the process at it, or lose what was not synced. Functions return 0 or an errno.
 */
#ifndef BASE_DISK_H
#define BASE_DISK_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct disk {
    void *context; /* of a table's own */
    int (*create)(const struct disk *disk, int folder, const char *name,
                  int *fd); /* empty, to read and write */
    int (*write)(const struct disk *disk, int fd, const void *bytes, size_t size, uint64_t at);
    int (*sync)(const struct disk *disk, int fd);
    int (*rename)(const struct disk *disk, int folder, const char *from, const char *to);
    int (*unlink)(const struct disk *disk, int folder, const char *name);
    int (*sync_folder)(const struct disk *disk, int folder);
};

extern const struct disk disk_plain; /* the system's calls */

/* A file that is written from front to back. */
struct sink {
    const struct disk *disk;
    int fd;
    const char *name; /* for messages */
    uint64_t at;      /* bytes taken */
    size_t filled;    /* of them not written yet */
    uint8_t *bytes;
};

/* Descriptor and name stay the caller's. */
stemma_status sink_init(struct sink *sink, const struct disk *disk, int fd, const char *name,
                        stemma_error *err);
stemma_status sink_add(struct sink *sink, const void *bytes, size_t size, stemma_error *err);
/* Again, what was taken from there on. */
stemma_status sink_rewrite(struct sink *sink, const void *bytes, size_t size, uint64_t at, stemma_error *err);
/* All that was taken is on the disk. */
stemma_status sink_sync(struct sink *sink, stemma_error *err);
void sink_release(struct sink *sink);

#endif
