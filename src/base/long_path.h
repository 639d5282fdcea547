/* Paths longer than the kernel takes at once: a tree may be deeper than that. */
#ifndef BASE_LONG_PATH_H
#define BASE_LONG_PATH_H

/* open() of what exists, for paths of any length. */
int open_path(const char *path, int flags);

#endif
