#include "base/disk.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int plain_create(const struct disk *disk, int folder, const char *name, int *fd) {
    (void)disk;
    *fd = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return *fd < 0 ? errno : 0;
}

static int plain_write(const struct disk *disk, int fd, const void *bytes, size_t size, uint64_t at) {
    (void)disk;
    return write_at(fd, bytes, size, at);
}

static int plain_sync(const struct disk *disk, int fd) {
    (void)disk;
    return fdatasync(fd) ? errno : 0;
}

static int plain_rename(const struct disk *disk, int folder, const char *from, const char *to) {
    (void)disk;
    return renameat(folder, from, folder, to) ? errno : 0;
}

static int plain_unlink(const struct disk *disk, int folder, const char *name) {
    (void)disk;
    return unlinkat(folder, name, 0) ? errno : 0;
}

static int plain_sync_folder(const struct disk *disk, int folder) {
    (void)disk;
    return fsync(folder) ? errno : 0;
}

const struct disk disk_plain = {.create = plain_create,
                                .write = plain_write,
                                .sync = plain_sync,
                                .rename = plain_rename,
                                .unlink = plain_unlink,
                                .sync_folder = plain_sync_folder};

enum { SINK_ROOM = 1 << 16 };

stemma_status sink_init(struct sink *sink, const struct disk *disk, int fd, const char *name,
                        stemma_error *err) {
    *sink = (struct sink){.disk = disk, .fd = fd, .name = name, .bytes = mem_alloc(SINK_ROOM)};
    return sink->bytes ? STEMMA_OK : fail_memory(err);
}

static stemma_status sink_flush(struct sink *sink, stemma_error *err) {
    if (sink->filled == 0) return STEMMA_OK;
    int cause = sink->disk->write(sink->disk, sink->fd, sink->bytes, sink->filled, sink->at - sink->filled);
    if (cause) return fail_errno(err, "write", sink->name, cause);
    sink->filled = 0;
    return STEMMA_OK;
}

stemma_status sink_add(struct sink *sink, const void *bytes, size_t size, stemma_error *err) {
    const uint8_t *from = bytes;
    while (size) {
        if (sink->filled == SINK_ROOM) TRY(sink_flush(sink, err));
        size_t room = SINK_ROOM - sink->filled, part = size < room ? size : room;
        memcpy(sink->bytes + sink->filled, from, part);
        sink->filled += part;
        sink->at += part;
        from += part;
        size -= part;
    }
    return STEMMA_OK;
}

stemma_status sink_rewrite(struct sink *sink, const void *bytes, size_t size, uint64_t at,
                           stemma_error *err) {
    TRY(sink_flush(sink, err));
    int cause = sink->disk->write(sink->disk, sink->fd, bytes, size, at);
    return cause ? fail_errno(err, "write", sink->name, cause) : STEMMA_OK;
}

stemma_status sink_sync(struct sink *sink, stemma_error *err) {
    TRY(sink_flush(sink, err));
    int cause = sink->disk->sync(sink->disk, sink->fd);
    return cause ? fail_errno(err, "sync", sink->name, cause) : STEMMA_OK;
}

void sink_release(struct sink *sink) {
    mem_free(sink->bytes);
    sink->bytes = NULL;
}
