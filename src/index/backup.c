#include "base/alloc.h"
#include "base/file.h"
#include "index/state.h"
#include "index/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The same file, if it still has the name. */
static bool link_file(const struct collection *c, const struct segment_file *file, int folder,
                      const char *name) {
    struct stat here, there;
    if (linkat(c->folder, name, folder, name, 0)) return false;
    if (fstat(file->fd, &here) == 0 && fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        here.st_ino == there.st_ino && here.st_dev == there.st_dev)
        return true;
    unlinkat(folder, name, 0);
    return false;
}

/* By the system, which need not copy what file systems can share; else piece by piece. */
static int copy_bytes(const struct collection *c, const struct segment_file *file, int to) {
    uint8_t piece[1 << 16];
    off_t from = 0, at = 0;
    uint64_t done = 0;
    while (done < file->size && !(c->stop && __atomic_load_n(c->stop, __ATOMIC_RELAXED))) {
        uint64_t left = file->size - done, some = left < 1 << 26 ? left : 1 << 26;
        ssize_t copied = copy_file_range(file->fd, &from, to, &at, (size_t)some, 0);
        if (copied <= 0) break;
        done += (uint64_t)copied;
    }
    for (int cause; done < file->size; done += sizeof piece) {
        if (c->stop && __atomic_load_n(c->stop, __ATOMIC_RELAXED)) return EINTR;
        size_t part = file->size - done < sizeof piece ? (size_t)(file->size - done) : sizeof piece;
        if ((cause = read_at(file->fd, piece, part, done))) return cause;
        if ((cause = write_at(to, piece, part, done))) return cause;
    }
    return 0;
}

static stemma_status copy_file(const struct collection *c, const struct segment_file *file, int folder,
                               const char *name, stemma_error *err) {
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int cause = fd < 0 ? errno : copy_bytes(c, file, fd);
    if (cause == 0 && fdatasync(fd)) cause = errno;
    if (fd >= 0) close(fd);
    return cause ? fail_errno(err, "copy", file->path, cause) : STEMMA_OK;
}

static stemma_status take_file(const struct collection *c, const struct segment_file *file, int folder,
                               bool link, stemma_error *err) {
    char name[32];
    segment_name(file->serial, name);
    return link && link_file(c, file, folder, name) ? STEMMA_OK : copy_file(c, file, folder, name, err);
}

/* As a collection that is there, so that what writes into one can be used. */
static stemma_status fill(struct collection *c, struct collection *copy, bool link, stemma_error *err) {
    struct manifest m;
    for (size_t i = 0; i < c->state.count; i++)
        for (size_t f = 0; f < c->state.segments[i]->file_count; f++)
            TRY(take_file(c, c->state.segments[i]->files[f], copy->folder, link, err));
    TRY(manifest_copy(&m, &c->state.manifest, err));
    /* Written again, not copied: it may be in other bytes than an earlier version wrote. */
    stemma_status status = write_gone(copy, &c->state.gone, m.gone.serial, &m.gone, err);
    if (status == STEMMA_OK) status = manifest_replace(&m, copy->disk, copy->folder, copy->path, NULL, err);
    if (status == STEMMA_OK) status = sync_name(copy, "..", err);
    manifest_release(&m);
    return status;
}

static void take_back(const struct collection *c, const struct collection *copy) {
    char name[32];
    for (size_t i = 0; i < c->state.manifest.count; i++) {
        segment_name(c->state.manifest.files[i].serial, name);
        unlinkat(copy->folder, name, 0);
    }
    gone_name(c->state.manifest.gone.serial, name);
    unlinkat(copy->folder, name, 0);
    unlinkat(copy->folder, "manifest.new", 0);
    unlinkat(copy->folder, "manifest", 0);
    rmdir(copy->path);
}

stemma_status collection_backup(struct collection *c, const char *path, bool link, stemma_error *err) {
    struct collection copy = {.path = mem_copy_string(path), .disk = &disk_plain};
    if (!copy.path) return fail_memory(err);
    stemma_status status = mkdir(path, 0777) == 0 ? STEMMA_OK
                           : errno == EEXIST
                               ? fail(err, STEMMA_INVALID, "'%s' exists: a backup is a new folder", path)
                               : fail_errno(err, "create", path, errno);
    if (status == STEMMA_OK) {
        copy.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        status = copy.folder < 0 ? fail_errno(err, "open", path, errno) : fill(c, &copy, link, err);
        if (status != STEMMA_OK) take_back(c, &copy);
        if (copy.folder >= 0) close(copy.folder);
    }
    mem_free(copy.path);
    return status;
}
