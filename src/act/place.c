#include "act/place.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/long_path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

stemma_status place_open(struct place *place, const char *path, stemma_error *err) {
    const char *slash = strrchr(path, '/');
    char *folder = mem_copy_string(slash ? path : ".");
    if (!folder) return fail_memory(err);
    if (slash) folder[slash == path ? 1 : slash - path] = 0;
    int fd = open_path(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    mem_free(folder);
    if (fd < 0) return fail_errno(err, "open the folder of", path, errno);
    *place = (struct place){.folder = fd, .path = path, .name = slash ? slash + 1 : path};
    return STEMMA_OK;
}

void place_close(struct place *place) {
    if (place->folder >= 0) close(place->folder);
    place->folder = -1;
}

/* A folder that is open for its names alone has to be opened once more. One that may not be read is left to
 * the system. */
stemma_status place_sync(const struct place *place, stemma_error *err) {
    int fd = openat(place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) return STEMMA_OK;
    bool synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == EROFS);
    int cause = errno;
    if (fd >= 0) close(fd);
    return synced ? STEMMA_OK : fail_errno(err, "write", place->path, cause);
}

/* ---- files ---- */

int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static stemma_status open_file(struct held *held, stemma_error *err) {
    const struct place *place = &held->place;
    held->fd = openat(place->folder, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (held->fd < 0 && errno == ELOOP)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is a symbolic link", place->path);
    if (held->fd < 0 || fstat(held->fd, &held->info) != 0) return fail_errno(err, "read", place->path, errno);
    if (!S_ISREG(held->info.st_mode))
        return fail(err, STEMMA_UNSUPPORTED, "'%s' %s", place->path,
                    S_ISDIR(held->info.st_mode) ? "is a folder" : "is not a regular file");
    return STEMMA_OK;
}

stemma_status held_open(struct held *held, const char *path, stemma_error *err) {
    struct held opened = {.fd = -1};
    TRY(place_open(&opened.place, path, err));
    stemma_status status = open_file(&opened, err);
    if (status == STEMMA_OK)
        *held = opened;
    else
        held_close(&opened);
    return status;
}

void held_close(struct held *held) {
    if (held->fd >= 0) close(held->fd);
    held->fd = -1;
    place_close(&held->place);
}

stemma_status held_unchanged(const struct held *held, stemma_error *err) {
    struct stat now;
    const struct stat *then = &held->info;
    if (fstatat(held->place.folder, held->place.name, &now, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_errno(err, "look at", held->place.path, errno);
    if (is_same_inode(&now, then) && now.st_size == then->st_size &&
        nanoseconds(now.st_mtim) == nanoseconds(then->st_mtim) &&
        nanoseconds(now.st_ctim) == nanoseconds(then->st_ctim))
        return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' is being changed", held->place.path);
}

int path_taken(const char *path) {
    int fd = open_path(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? 0 : errno;
    close(fd);
    return EEXIST;
}

/* ---- folders ---- */

/* Cuts path until it is there: the root always is. */
static int open_nearest(char *path) {
    int fd;
    while ((fd = open_path(path, O_PATH | O_CLOEXEC)) < 0 && path[1] &&
           (errno == ENOENT || errno == ENOTDIR)) {
        char *slash = strrchr(path, '/');
        slash[slash == path] = 0;
    }
    return fd;
}

stemma_status folder_device(const char *path, dev_t *device, stemma_error *err) {
    struct stat info;
    char *copy = mem_copy_string(path);
    if (!copy) return fail_memory(err);
    int fd = open_nearest(copy);
    bool known = fd >= 0 && fstat(fd, &info) == 0;
    int cause = errno;
    mem_free(copy);
    if (fd >= 0) close(fd);
    if (!known) return fail_errno(err, "open the folder", path, cause);
    *device = info.st_dev;
    return STEMMA_OK;
}

mode_t folder_mode(int folder) {
    mode_t mode = 0777;
    struct stat info = {0}, inner;
    int fd = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    do {
        inner = info;
        if (fd < 0 || fstat(fd, &info) != 0) info.st_mode = 0, inner = info; /* in doubt nothing */
        mode &= info.st_mode;
        int outer = fd < 0 ? -1 : openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) close(fd);
        fd = outer;
    } while (!is_same_inode(&info, &inner)); /* above the root is the root */
    if (fd >= 0) close(fd);
    return mode | 0700;
}

/* What a made folder is opened by. */
struct making {
    size_t trusted;
    mode_t mode;
    folder_made *made;
    void *context;
};

static stemma_status make(int outer, const char *name, const char *path, const struct making *m,
                          stemma_error *err) {
    TRY(m->made(m->context, path, true, err));
    if (mkdirat(outer, name, m->mode) == 0) return STEMMA_OK;
    if (errno != EEXIST) return fail_errno(err, "make the folder", path, errno);
    return m->made(m->context, path, false, err);
}

static stemma_status open_or_make(int outer, const char *name, const char *path, int flags,
                                  const struct making *m, int *fd, stemma_error *err) {
    *fd = openat(outer, name, flags);
    if (*fd < 0 && errno == ENOENT) {
        TRY(make(outer, name, path, m, err));
        *fd = openat(outer, name, flags);
    }
    if (*fd < 0 && errno == ENOTDIR) return fail(err, STEMMA_UNREADABLE, "'%s' is not a folder", path);
    return *fd < 0 ? fail_errno(err, "open the folder", path, errno) : STEMMA_OK;
}

/* path is cut at its slashes, one after the other. */
static stemma_status step_into(char *path, const struct making *m, int *fd, stemma_error *err) {
    for (char *at = path + 1; *at;) {
        char *end = strchrnul(at, '/'), cut = *end;
        int inner,
            flags = O_PATH | O_DIRECTORY | O_CLOEXEC | ((size_t)(end - path) > m->trusted ? O_NOFOLLOW : 0);
        *end = 0;
        stemma_status status = *at ? open_or_make(*fd, at, path, flags, m, &inner, err) : STEMMA_OK;
        if (status != STEMMA_OK) return status;
        if (*at) {
            close(*fd);
            *fd = inner;
        }
        *end = cut;
        at = end + (cut != 0);
    }
    return STEMMA_OK;
}

stemma_status folder_open(const char *path, size_t trusted, mode_t mode, folder_made *made, void *context,
                          int *fd, stemma_error *err) {
    const struct making making = {trusted, mode, made, context};
    char *copy = mem_copy_string(path);
    if (!copy) return fail_memory(err);
    int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    stemma_status status =
        folder < 0 ? fail_errno(err, "open", "/", errno) : step_into(copy, &making, &folder, err);
    mem_free(copy);
    if (status == STEMMA_OK)
        *fd = folder;
    else if (folder >= 0)
        close(folder);
    return status;
}
