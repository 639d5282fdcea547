/*
 * Files by the descriptor of their folder: what was looked at is what is touched, whatever happens to the
 * names above it meanwhile.
 */
#ifndef ACT_PLACE_H
#define ACT_PLACE_H

#include "base/error.h"

#include <sys/stat.h>

/* A name in a folder, whether or not there is such a file. */
struct place {
    int folder;              /* -1: none */
    const char *path, *name; /* name: the end of path */
};

stemma_status place_open(struct place *place, const char *path, stemma_error *err);
void place_close(struct place *place);
/* The names of its folder are on the disk. */
stemma_status place_sync(const struct place *place, stemma_error *err);

/* A regular file that is open, and what it was then. Never a symbolic link. */
struct held {
    struct place place;
    int fd;
    struct stat info;
};

stemma_status held_open(struct held *held, const char *path, stemma_error *err);
void held_close(struct held *held);
/* UNSUPPORTED when the file was written to since, or something else stands under its name. */
stemma_status held_unchanged(const struct held *held, stemma_error *err);

int64_t nanoseconds(struct timespec time);
static inline bool is_same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 0: nothing stands under a path of any length; EEXIST: something, also a broken link; else why neither can
 * be. */
int path_taken(const char *path);

/* The device that a folder is on, or would be made on. */
stemma_status folder_device(const char *path, dev_t *device, stemma_error *err);

/* Told of each folder before it is made, and once more, with false, when it was somebody else who made it. */
typedef stemma_status folder_made(void *context, const char *path, bool made, stemma_error *err);
/* What every folder on the way to this one allows; the user everything. */
mode_t folder_mode(int folder);
/* Opens the folder `path`, which begins at the root; what is missing is made, with the mode. Links are
 * followed only within the first `trusted` bytes of it. */
stemma_status folder_open(const char *path, size_t trusted, mode_t mode, folder_made *made, void *context,
                          int *fd, stemma_error *err);

#endif
