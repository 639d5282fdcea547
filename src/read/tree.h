/*
 * The files of a folder and of all folders in it, in an order that does not depend on the file system: by the
 * bytes of their names.
 *
 * Folders are listed one at a time and kept on a stack of their own, with a bounded number of them open, so
 * neither depth nor length of paths has a limit. (To open what was found, base/long_path.h.) With `follow`,
 * links are gone into after everything else, and each file and folder is taken once, however many names lead
 * to it: under its own name when that is in the tree, and loops end by themselves.
 *
 * Folders that are collections hold no documents: they are problems, and not gone into.
 */
#ifndef READ_TREE_H
#define READ_TREE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_IGNORE_FILE ".stemmaignore"

/* Patterns are those of read/glob.h, relative to the operand. What is left out by `exclude` or by an ignore
 * file is never entered; exclude is asked before ignore files, these before those of outer folders. With
 * `include`, a file must be matched by it or stand in a folder that is. */
struct file_id {
    uint64_t device, inode;
};

struct tree_options {
    const char *const *include, *const *exclude;
    size_t include_count, exclude_count;
    bool hidden;                 /* names that begin with a dot, too */
    bool follow;                 /* symbolic links inside folders, too */
    bool no_ignore_file;         /* TREE_IGNORE_FILE is a file like any other */
    uint64_t min_size, max_size; /* bytes; 0: any. Not asked of data sets, which are many documents */
    const struct file_id *omit;  /* folders that are not entered */
    size_t omit_count;
    const char *temporary_directory; /* for what memory should not hold; NULL: $TMPDIR, or /tmp */
    const volatile int *stop;
};

struct tree_file {
    const char *path;
    uint64_t size;
    int64_t modified, changed; /* nanoseconds since 1970; changed: which nobody can set */
    uint32_t owner;
    uint64_t device, inode;
    uint64_t names; /* that the file has, in folders anywhere */
};

struct tree_visitor {
    void *context;
    stemma_status (*file)(void *context, const struct tree_file *file, stemma_error *err);
    /* What cannot be read; the walk goes on. */
    void (*problem)(void *context, const char *path, const stemma_error *cause);
    uint64_t *passed_over; /* counts wanted names of what is neither file nor folder, or is a link that is
                              not followed; may be NULL */
};

/* One operand: a file, which is taken whatever its name, or a folder; a link stands for what it points to.
 * Fails when the visitor does, when interrupted, and when memory or descriptors are refused. */
stemma_status tree_walk(const char *path, const struct tree_options *options,
                        const struct tree_visitor *visitor, stemma_error *err);

#endif
