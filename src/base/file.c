#include "base/file.h"

#include "base/alloc.h"
#include "base/long_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- input ---- */

static bool names_a_descriptor(const char *path) {
    return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/self/fd/", 14) ||
           !strcmp(path, "/dev/stdin");
}

const char *input_refusal(const char *path, mode_t mode) {
    if (S_ISREG(mode)) return NULL;
    if (S_ISDIR(mode)) return "is a directory";
    if (S_ISFIFO(mode)) return names_a_descriptor(path) ? NULL : "is a FIFO, not a regular file";
    if (S_ISSOCK(mode)) return "is a socket, not a regular file";
    return "is a device, not a regular file";
}

/* Bytes on disk never keep a reader waiting, whatever the flag says: only pipes and the like need this. */
static void wait_for_bytes(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

stemma_status input_open(struct input *input, const char *path, stemma_error *err) {
    struct stat info;
    bool standard = !strcmp(path, "-");
    /* O_NONBLOCK: opening a FIFO must not wait for a writer that never comes. */
    int fd = standard ? STDIN_FILENO : open_path(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return fail_errno(err, "read", path, errno);
    if (fstat(fd, &info) != 0) {
        int cause = errno;
        if (!standard) close(fd);
        return fail_errno(err, "read", path, cause);
    }
    const char *reason = !standard               ? input_refusal(path, info.st_mode)
                         : S_ISDIR(info.st_mode) ? "is a directory"
                                                 : NULL;
    if (reason) {
        if (!standard) close(fd);
        return fail(err, STEMMA_UNREADABLE, "cannot read '%s': %s", path, reason);
    }
    *input = (struct input){.fd = fd,
                            .name = path,
                            .owned = !standard,
                            .size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0};
    if (!standard && input->size == 0) wait_for_bytes(fd);
    return STEMMA_OK;
}

enum { PATIENCE = 100 }; /* milliseconds */

/* False when there is nothing yet. A pipe may be silent for long, and a signal ends the waiting of one thread
 * alone, which need not be the one that waits here. */
static bool has_bytes(const struct input *input) {
    struct pollfd waiting = {.fd = input->fd, .events = POLLIN};
    if (input->size > 0 || !input->stop) return true;
    int ready = poll(&waiting, 1, PATIENCE);
    return ready > 0 || (ready < 0 && errno != EINTR);
}

/* Less than there was room for, just where the file is said to end: asking again would only cost a call. */
static void note_end(struct input *input, size_t room, size_t got) {
    input->done += got;
    input->ended = got < room && input->done == input->size;
}

stemma_status input_read(struct input *input, void *bytes, size_t size, size_t *got, stemma_error *err) {
    *got = 0;
    while (!input->ended) {
        if (input->stop && *input->stop) return fail(err, STEMMA_INTERRUPTED, "interrupted");
        if (!has_bytes(input)) continue;
        ssize_t count = read(input->fd, bytes, size);
        if (count >= 0) {
            *got = (size_t)count;
            note_end(input, size, *got);
            return STEMMA_OK;
        }
        if (errno != EINTR) return fail_errno(err, "read", input->name, errno);
    }
    return STEMMA_OK;
}

stemma_status input_read_head(struct input *input, size_t most, struct buf *head, stemma_error *err) {
    size_t known = input->size && input->size < most ? (size_t)input->size + 1 : most;
    if (!buf_reserve(head, known)) return fail_memory(err);
    while (head->len < most) {
        size_t got = 0;
        if (!buf_reserve(head, 1)) return fail_memory(err); /* it may have grown */
        size_t room = (head->cap < most ? head->cap : most) - head->len;
        TRY(input_read(input, head->data + head->len, room, &got, err));
        if (got == 0) return STEMMA_OK;
        head->len += got;
    }
    return STEMMA_OK;
}

stemma_status input_read_all(struct input *input, size_t most, struct buf *out, stemma_error *err) {
    for (;;) {
        size_t got = 0, room = out->cap - out->len > 65536 ? out->cap - out->len : 65536;
        if (!buf_reserve(out, room)) return fail_memory(err);
        TRY(input_read(input, out->data + out->len, room, &got, err));
        if (got == 0) return STEMMA_OK;
        out->len += got;
        if (out->len > most)
            return fail(err, STEMMA_UNSUPPORTED,
                        "cannot read '%s': it has more than %zu bytes: allow more memory", input->name, most);
    }
}

void input_close(struct input *input) {
    if (input->owned) close(input->fd);
    input->fd = -1;
    input->owned = false;
}

/* ---- folders ---- */

DIR *open_listing(int folder) {
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (list || fd < 0) return list;
    int cause = errno;
    close(fd);
    errno = cause;
    return NULL;
}

/* ---- output ---- */

int write_all(int fd, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t count = write(fd, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        at += count;
        size -= (size_t)count;
    }
    return 0;
}

int write_at(int fd, const void *bytes, size_t size, uint64_t offset) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t count = pwrite(fd, at, size, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        at += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return 0;
}

int read_at(int fd, void *bytes, size_t size, uint64_t offset) {
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t count = pread(fd, at, size, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : ENODATA;
        at += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return 0;
}

static void output_release(struct output *output) {
    if (output->fd > STDERR_FILENO) close(output->fd);
    mem_free(output->path);
    mem_free(output->draft);
    mem_free(output->directory);
    *output = (struct output){.fd = -1};
}

/* The directory a path stands in, for files that get their name later. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return mem_copy_string(".");
    char *directory = mem_copy_string(path);
    if (directory) directory[slash == path ? 1 : slash - path] = 0;
    return directory;
}

/* Where the file system cannot make a file without a name, one with a name that nobody else uses. */
static int open_named_draft(struct output *output) {
    for (unsigned try = 0; try < 100; try++) {
        snprintf(output->draft, output->draft_size, "%s/.stemma-%d-%u", output->directory, (int)getpid(),
                 try);
        int fd = open(output->draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        output->draft_exists = fd >= 0;
        if (fd >= 0 || errno != EEXIST) return fd < 0 ? -errno : fd;
    }
    return -EEXIST;
}

/* A draft without a name, so that a killed process leaves nothing. */
static int open_draft(struct output *output) {
    output->directory = directory_of(output->path);
    output->draft_size = strlen(output->path) + 40;
    output->draft = mem_alloc(output->draft_size);
    if (!output->directory || !output->draft) return -ENOMEM;
    int fd = open(output->directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL ? open_named_draft(output) : -errno;
}

/* Give the draft its name beside the target; renaming it is then atomic. Process and descriptor make it
 * unique. */
static int name_draft(struct output *output) {
    char link[32];
    if (output->draft_exists) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", output->fd);
    snprintf(output->draft, output->draft_size, "%s/.stemma-%d-%d", output->directory, (int)getpid(),
             output->fd);
    unlink(output->draft); /* of a process of the same number that was killed at this very place */
    if (linkat(AT_FDCWD, link, AT_FDCWD, output->draft, AT_SYMLINK_FOLLOW) != 0) return -1;
    output->draft_exists = true;
    return 0;
}

static int open_target(struct output *output) {
    struct stat info;
    if (!strcmp(output->path, "-")) {
        output->direct = true;
        return STDOUT_FILENO;
    }
    if (stat(output->path, &info) == 0 && !S_ISREG(info.st_mode)) {
        output->direct = true;
        int fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return fd < 0 ? -errno : fd;
    }
    return open_draft(output);
}

stemma_status output_open(struct output *output, const char *path, stemma_error *err) {
    char real[PATH_MAX]; /* a symbolic link stays one: its target is written */
    bool resolved = strcmp(path, "-") && realpath(path, real);
    struct output opened = {.fd = -1, .path = mem_copy_string(resolved ? real : path)};
    if (!opened.path) return fail_memory(err);
    int fd = open_target(&opened);
    if (fd < 0) {
        output_release(&opened);
        return fail_errno(err, "write", path, -fd);
    }
    opened.fd = fd;
    *output = opened;
    return STEMMA_OK;
}

stemma_status output_write(struct output *output, const void *bytes, size_t size, stemma_error *err) {
    int cause = write_all(output->fd, bytes, size);
    return cause ? fail_errno(err, "write", output->path, cause) : STEMMA_OK;
}

static int publish(struct output *output) {
    if (output->direct) return 0;
    if (fsync(output->fd) != 0 || name_draft(output) != 0 || rename(output->draft, output->path) != 0)
        return -1;
    output->draft_exists = false;
    return 0;
}

static int close_output(struct output *output) {
    int fd = output->fd;
    output->fd = -1;
    return fd > STDERR_FILENO ? close(fd) : 0;
}

stemma_status output_commit(struct output *output, stemma_error *err) {
    stemma_status status = STEMMA_OK;
    if (publish(output) != 0 || close_output(output) != 0)
        status = fail_errno(err, "write", output->path, errno);
    output_abandon(output);
    return status;
}

void output_abandon(struct output *output) {
    if (output->draft_exists) unlink(output->draft);
    output_release(output);
}
