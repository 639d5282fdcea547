#include "base/alloc.h"
#include "base/file.h"
#include "index/salvage.h"
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
    struct stat facts;
    off_t from = 0, at = 0;
    uint64_t done = 0;
    if (fstat(file->fd, &facts)) return errno;
    /* Its second table may be cut off, or have bytes behind it. */
    const uint64_t size = (uint64_t)facts.st_size < file->size ? (uint64_t)facts.st_size : file->size;
    while (done < size && !(c->stop && __atomic_load_n(c->stop, __ATOMIC_RELAXED))) {
        uint64_t left = size - done, some = left < 1 << 26 ? left : 1 << 26;
        ssize_t copied = copy_file_range(file->fd, &from, to, &at, (size_t)some, 0);
        if (copied <= 0) break;
        done += (uint64_t)copied;
    }
    for (int cause; done < size; done += sizeof piece) {
        if (c->stop && __atomic_load_n(c->stop, __ATOMIC_RELAXED)) return EINTR;
        size_t part = size - done < sizeof piece ? (size_t)(size - done) : sizeof piece;
        if ((cause = read_at(file->fd, piece, part, done))) return cause;
        if ((cause = write_at(to, piece, part, done))) return cause;
    }
    return 0;
}

static stemma_status copy_file(const struct collection *c, const struct segment_file *file, int folder,
                               const char *name, stemma_error *err) {
    int fd = -1, cause = c->disk->create(c->disk, folder, name, &fd);
    if (cause == 0) cause = copy_bytes(c, file, fd);
    if (cause == 0) cause = c->disk->sync(c->disk, fd);
    if (fd >= 0) close(fd);
    return cause ? fail_errno(err, "copy", file->path, cause) : STEMMA_OK;
}

/* What is damaged is copied all the same, as somebody may have nothing better. */
struct damage {
    uint64_t files;
    stemma_error first;
};

static stemma_status check_file(const struct segment_file *file, struct damage *damage, stemma_error *err) {
    stemma_error found;
    stemma_status status = file->one_copy ? table_one_copy_left(file, &found) : check_blocks(file, &found);
    if (status != STEMMA_CORRUPT)
        return status == STEMMA_OK ? status : fail(err, status, "%s", found.message);
    if (damage->files++ == 0) damage->first = found;
    return STEMMA_OK;
}

static stemma_status take_file(const struct collection *c, const struct segment_file *file, int folder,
                               bool link, struct damage *damage, stemma_error *err) {
    char name[32];
    segment_name(file->serial, name);
    TRY(check_stop(c->stop, err));
    if (link && link_file(c, file, folder, name)) return STEMMA_OK;
    TRY(copy_file(c, file, folder, name, err));
    return check_file(file, damage, err);
}

/* As a collection that is there, so that what writes into one can be used. */
static stemma_status fill(struct collection *c, struct collection *copy, bool link, struct damage *damage,
                          stemma_error *err) {
    struct manifest m;
    for (size_t i = 0; i < c->state.count; i++)
        for (size_t f = 0; f < c->state.segments[i]->file_count; f++)
            TRY(take_file(c, c->state.segments[i]->files[f], copy->folder, link, damage, err));
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

static stemma_status tell_damage(const struct damage *damage, stemma_error *err) {
    if (damage->files == 0) return STEMMA_OK;
    if (damage->files == 1) return fail(err, STEMMA_CORRUPT, "%s", damage->first.message);
    return fail(err, STEMMA_CORRUPT, "%s; and %llu more file%s", damage->first.message,
                (unsigned long long)damage->files - 1, damage->files == 2 ? "" : "s");
}

stemma_status collection_backup(struct collection *c, const char *path, bool link, stemma_error *err) {
    struct collection copy = {.path = mem_copy_string(path), .disk = c->disk};
    struct damage damage = {0};
    if (!copy.path) return fail_memory(err);
    stemma_status status = mkdir(path, 0777) == 0 ? STEMMA_OK
                           : errno == EEXIST
                               ? fail(err, STEMMA_INVALID, "'%s' exists: a backup is a new folder", path)
                               : fail_errno(err, "create", path, errno);
    if (status == STEMMA_OK) {
        copy.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        status = copy.folder < 0 ? fail_errno(err, "open", path, errno) : fill(c, &copy, link, &damage, err);
        if (status != STEMMA_OK) take_back(c, &copy);
        if (copy.folder >= 0) close(copy.folder);
    }
    mem_free(copy.path);
    return status == STEMMA_OK ? tell_damage(&damage, err) : status;
}
