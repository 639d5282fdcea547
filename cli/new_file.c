/* The draft has no name where the file system can do that: then nothing is left even of a killed process. */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 40 };

static void release(new_file *file) {
    free(file->path);
    free(file->draft);
    *file = (new_file){0};
}

/* Process and descriptor make the name its own. */
static void name_beside(new_file *file, int number) {
    const char *slash = strrchr(file->path, '/');
    int directory = slash ? (int)(slash + 1 - file->path) : 0;
    snprintf(file->draft, strlen(file->path) + NAME_ROOM, "%.*s.stemma-%d-%d", directory, file->path,
             (int)getpid(), number);
}

static int open_named(new_file *file) {
    name_beside(file, 0);
    int fd = open(file->draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    file->named = fd >= 0;
    return fd;
}

static int open_draft(new_file *file) {
    file->draft = need_memory(strlen(file->path) + NAME_ROOM);
    const char *slash = strrchr(file->path, '/');
    char *directory = need_copy(slash ? file->path : ".");
    if (slash) directory[slash == file->path ? 1 : slash - file->path] = '\0';
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(directory);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    return open_named(file);
}

bool new_file_open(new_file *file, const char *path) {
    char real[PATH_MAX];
    struct stat info;
    *file = (new_file){.path = need_copy(realpath(path, real) ? real : path)};
    bool direct = !stat(file->path, &info) && !S_ISREG(info.st_mode);
    int fd = direct ? open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_draft(file);
    int cause = errno;
    if (fd >= 0)
        file->out = need(fdopen(fd, "w"));
    else
        release(file);
    errno = cause;
    return fd >= 0;
}

/* A draft that has no name yet gets one: its own at once, or one that is then renamed. */
static bool give_name(new_file *file, bool replace) {
    char link_to[32];
    int number = fileno(file->out);
    snprintf(link_to, sizeof link_to, "/proc/self/fd/%d", number);
    if (!replace)
        return !linkat(AT_FDCWD, file->named ? file->draft : link_to, AT_FDCWD, file->path,
                       AT_SYMLINK_FOLLOW);
    if (!file->named) {
        name_beside(file, number);
        unlink(file->draft); /* of a process of the same number that was killed at this very place */
        if (linkat(AT_FDCWD, link_to, AT_FDCWD, file->draft, AT_SYMLINK_FOLLOW)) return false;
        file->named = true;
    }
    if (rename(file->draft, file->path)) return false;
    file->named = false;
    return true;
}

bool new_file_keep(new_file *file, bool replace) {
    bool written = !fflush(file->out) && !ferror(file->out);
    bool kept = written && (!file->draft || (!fsync(fileno(file->out)) && give_name(file, replace)));
    int cause = errno;
    new_file_abandon(file);
    errno = cause;
    return kept;
}

void new_file_abandon(new_file *file) {
    fclose(file->out);
    if (file->named) unlink(file->draft);
    release(file);
}

bool new_file_possible(const char *path) {
    struct stat info;
    new_file trial;
    bool there = !stat(path, &info), folder = there && S_ISDIR(info.st_mode);
    if (folder || !*path) {
        errno = folder ? EISDIR : ENOENT;
        return false;
    }
    if (there && !S_ISREG(info.st_mode)) return true; /* a pipe would be read to its end */
    if (!new_file_open(&trial, path)) return false;
    new_file_abandon(&trial);
    return true;
}

bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* The folder of a path, and the name in it. */
static const char *folder_of(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + (slash == path) : 1;
    if (size >= PATH_MAX) size = 0;
    memcpy(folder, slash ? path : ".", size);
    folder[size] = '\0';
    return slash ? slash + 1 : path;
}

bool is_same_name(const char *a, const char *b) {
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    if (!strcmp(folder_of(a, folder_a), folder_of(b, folder_b)) && is_same_file(folder_a, folder_b))
        return true;
    return is_same_file(a, b);
}

enum exit_code new_file_check_place(const char *path) {
    char real[PATH_MAX], folder[PATH_MAX];
    folder_of(realpath(path, real) ? real : path, folder);
    if (!stemma_collection_exists(folder)) return EXIT_DONE;
    complain("cannot write '%s': it is inside a collection", path);
    return EXIT_WRONG;
}

enum exit_code complain_of_document(const char *path) {
    complain("cannot write '%s': it is one of the documents", path);
    return EXIT_WRONG;
}

enum exit_code complain_of_existing(const char *path) {
    complain("'%s' exists; use --force to overwrite it", path);
    return EXIT_WRONG;
}

enum exit_code complain_of_write(const char *path, int cause) {
    if (cause == EEXIST) return complain_of_existing(path);
    complain("cannot write '%s': %s", path, cause_text(cause));
    return EXIT_MACHINE;
}

enum exit_code new_file_check(const char *path, char *const *inputs, size_t count, bool force) {
    struct stat info;
    if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
        complain("cannot write '%s': is a directory", path);
        return EXIT_WRONG;
    }
    if (new_file_check_place(path)) return EXIT_WRONG;
    for (size_t i = 0; i < count; i++)
        if (is_same_file(path, inputs[i])) return complain_of_document(path);
    return force || lstat(path, &info) ? EXIT_DONE : complain_of_existing(path);
}
