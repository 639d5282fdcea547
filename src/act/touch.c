#include "act/touch.h"

#include "act/attributes.h"
#include "act/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- names ---- */

/* Whether a name leads to the file. */
static bool leads_to(int folder, const char *name, const struct stat *file) {
    struct stat now;
    return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && is_same_inode(&now, file);
}

/* What counts is that it is gone: over a network an error may be told of what was done. Returns 0 or the
 * cause. */
static int remove_name(int folder, const char *name) {
    struct stat now;
    if (unlinkat(folder, name, 0) == 0) return 0;
    int cause = errno;
    return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT ? 0 : cause;
}

/* Never over what is there. Where the file system has no such renaming, by a link. Returns 0 or the cause. */
static int rename_new(int from, const char *name, int to, const char *new_name) {
    if (renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (linkat(from, name, to, new_name, 0) != 0) return errno;
    struct stat linked;
    int cause = remove_name(from, name);
    if (cause && fstatat(to, new_name, &linked, AT_SYMLINK_NOFOLLOW) == 0 && leads_to(from, name, &linked))
        unlinkat(to, new_name, 0);
    return cause;
}

static stemma_status fail_taken(const char *path, stemma_error *err) {
    return fail(err, STEMMA_UNSUPPORTED, "'%s' exists", path);
}

/* ---- drafts ---- */

stemma_status draft_drop(const struct place *beside, const char *draft, stemma_error *err) {
    int cause = remove_name(beside->folder, draft);
    return cause ? fail_errno(err, "remove the draft of", beside->path, cause) : STEMMA_OK;
}

static stemma_status publish(const struct place *to, const char *draft, bool replace, stemma_error *err) {
    int cause = !replace ? rename_new(to->folder, draft, to->folder, to->name)
                : renameat(to->folder, draft, to->folder, to->name) == 0 ? 0
                                                                         : errno;
    if (cause == EEXIST) return fail_taken(to->path, err);
    return cause ? fail_errno(err, "write", to->path, cause) : STEMMA_OK;
}

/* ---- delete, links ---- */

stemma_status touch_delete(const struct held *file, stemma_error *err) {
    TRY(held_unchanged(file, err));
    int cause = remove_name(file->place.folder, file->place.name);
    return cause ? fail_errno(err, "delete", file->place.path, cause) : STEMMA_OK;
}

static stemma_status fail_link(const struct held *kept, int cause, stemma_error *err) {
    if (cause == EMLINK)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has as many links as a file can have", kept->place.path);
    if (cause == EXDEV)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is on another file system", kept->place.path);
    return fail_errno(err, "link", kept->place.path, cause);
}

/* The draft must be a link to what was compared, and the name still lead to the file it replaces. */
static stemma_status replace_by_draft(const struct held *file, const struct held *kept, const char *draft,
                                      stemma_error *err) {
    struct stat linked;
    if (fstatat(file->place.folder, draft, &linked, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_errno(err, "link", kept->place.path, errno);
    if (!is_same_inode(&linked, &kept->info) || linked.st_size != kept->info.st_size ||
        nanoseconds(linked.st_mtim) != nanoseconds(kept->info.st_mtim))
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is being changed", kept->place.path);
    TRY(held_unchanged(file, err));
    return publish(&file->place, draft, true, err);
}

stemma_status touch_hardlink(const struct held *file, const struct held *kept, const char *draft,
                             stemma_error *err) {
    if (linkat(kept->place.folder, kept->place.name, file->place.folder, draft, 0) != 0)
        return fail_link(kept, errno, err);
    stemma_status status = replace_by_draft(file, kept, draft, err);
    if (status != STEMMA_OK) draft_drop(&file->place, draft, NULL);
    return status;
}

enum { SHARE_PIECE = 1 << 24 }; /* bytes: what file systems take at once */

/* Returns 0 or the cause; *shared bytes are the same blocks now, fewer than asked only when they differ. */
static int share(const struct held *kept, const struct held *file, uint64_t offset, uint64_t size,
                 uint64_t *shared) {
    union {
        struct file_dedupe_range range;
        char room[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)];
    } ask;
    memset(&ask, 0, sizeof ask);
    ask.range.src_offset = offset;
    ask.range.src_length = size;
    ask.range.dest_count = 1;
    ask.range.info[0].dest_fd = file->fd;
    ask.range.info[0].dest_offset = offset;
    if (ioctl(kept->fd, FIDEDUPERANGE, &ask.range) != 0) return errno;
    const struct file_dedupe_range_info *answer = &ask.range.info[0];
    *shared = answer->status == FILE_DEDUPE_RANGE_SAME ? answer->bytes_deduped : 0;
    return answer->status < 0 ? -answer->status : 0;
}

static stemma_status fail_share(const struct held *file, int cause, stemma_error *err) {
    if (cause == EOPNOTSUPP || cause == ENOTTY || cause == EINVAL || cause == ENOSYS || cause == EXDEV)
        return fail(err, STEMMA_UNSUPPORTED, "the file system of '%s' cannot share blocks with the kept file",
                    file->place.path);
    return fail_errno(err, "share the blocks of", file->place.path, cause);
}

stemma_status reflink_possible(const struct held *file, const struct held *kept, stemma_error *err) {
    uint64_t shared;
    int cause = file->info.st_dev != kept->info.st_dev ? EXDEV : share(kept, file, 0, 0, &shared);
    return cause ? fail_share(file, cause, err) : STEMMA_OK;
}

stemma_status touch_reflink(const struct held *file, const struct held *kept, const volatile int *stop,
                            stemma_error *err) {
    uint64_t size = (uint64_t)file->info.st_size, shared = 0;
    for (uint64_t at = 0; at < size; at += shared) {
        TRY(check_stop(stop, err));
        int cause = share(kept, file, at, size - at < SHARE_PIECE ? size - at : SHARE_PIECE, &shared);
        if (cause) return fail_share(file, cause, err);
        if (shared == 0) return fail(err, STEMMA_UNSUPPORTED, "'%s' is being changed", file->place.path);
    }
    return STEMMA_OK;
}

/* ---- copies ---- */

static stemma_status fill_draft(const struct held *from, const struct buf *noted, const struct stat *info,
                                int fd, const char *name, const volatile int *stop, stemma_error *err) {
    struct held copy = {.place = {.folder = -1, .path = name, .name = name}, .fd = fd};
    TRY(bytes_copy(from, fd, name, stop, err));
    TRY(attributes_give(noted, info, fd, name, err));
    if (fsync(fd) != 0) return fail_errno(err, "write", name, errno);
    return bytes_compare(from, &copy, stop, err);
}

static stemma_status copy_noted(const struct held *from, const struct buf *noted, const struct stat *info,
                                const struct place *to, const char *draft, bool replace,
                                const volatile int *stop, stemma_error *err) {
    TRY(draft_drop(to, draft, err));
    int fd = openat(to->folder, draft, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fail_errno(err, "write", to->path, errno);
    stemma_status status = fill_draft(from, noted, info, fd, to->path, stop, err);
    close(fd);
    if (status == STEMMA_OK) status = held_unchanged(from, err);
    if (status == STEMMA_OK) status = publish(to, draft, replace, err);
    if (status != STEMMA_OK) draft_drop(to, draft, NULL);
    return status;
}

stemma_status touch_copy(const struct held *from, const struct buf *noted, const struct stat *info,
                         const struct place *to, const char *draft, bool replace, const volatile int *stop,
                         stemma_error *err) {
    struct buf own = {0};
    stemma_status status = noted ? STEMMA_OK : attributes_note(from, &own, err);
    if (status == STEMMA_OK)
        status = copy_noted(from, noted ? noted : &own, info, to, draft, replace, stop, err);
    buf_release(&own);
    return status;
}

/* ---- move ---- */

static stemma_status move_over(const struct held *file, const struct stat *info, const struct place *to,
                               const char *draft, const volatile int *stop, stemma_error *err) {
    if (file->info.st_nlink > 1)
        return fail(err, STEMMA_UNSUPPORTED,
                    "'%s' has other links, from which another file system would part it", file->place.path);
    TRY(touch_copy(file, NULL, info, to, draft, false, stop, err));
    stemma_status status = place_sync(to, err);
    if (status == STEMMA_OK) status = touch_delete(file, err);
    if (status != STEMMA_OK && leads_to(file->place.folder, file->place.name, &file->info))
        unlinkat(to->folder, to->name, 0); /* the file stays where it is, and once */
    return status;
}

stemma_status touch_move(const struct held *file, const struct stat *info, const struct place *to,
                         const char *draft, const volatile int *stop, stemma_error *err) {
    TRY(held_unchanged(file, err));
    int cause = rename_new(file->place.folder, file->place.name, to->folder, to->name);
    if (cause == EXDEV) return move_over(file, info, to, draft, stop, err);
    if (cause == EEXIST) return fail_taken(to->path, err);
    return cause ? fail_errno(err, "move", file->place.path, cause) : STEMMA_OK;
}
