/*
 * The manifest: which files count, as of one commit. The same bytes stand twice in one file, each with its
 * checksum; it is replaced as a whole, by rename. (docs/format.md, section 9)
 */
#ifndef INDEX_MANIFEST_H
#define INDEX_MANIFEST_H

#include "base/disk.h"
#include "index/schema.h"

enum {
    MANIFEST_FORMAT = 4, /* 1 has no time of its commit, 2 no runs of version 3, 3 no segments of version 2 */
    MANIFEST_OLDEST = 4, /* program that can read what this one writes */
    MANIFEST_BYTES_MOST = 1 << 24
};

/* Serial, size and checksum of the trailer bind a file: an older one of the same name is refused. */
struct file_name {
    uint64_t serial, size, checksum; /* serial 0: none */
};

struct manifest {
    unsigned format;
    uint64_t id, commit, next_number, next_serial, documents;
    int64_t committed;     /* when, in nanoseconds since 1970; 0: not known */
    struct schema *schema; /* its own */
    struct file_name gone;
    struct file_name
        *files; /* segments by their numbers; further parts behind the segment they belong to, by serial */
    size_t count, cap;
    bool one_copy; /* the other one is damaged */
};

stemma_status manifest_new(struct manifest *manifest, const struct schema *schema, stemma_error *err);
stemma_status manifest_copy(struct manifest *to, const struct manifest *from, stemma_error *err);
void manifest_release(struct manifest *manifest);
bool manifest_add_file(struct manifest *manifest, size_t at, struct file_name file); /* false: no memory */

/* NOT_FOUND, CORRUPT, LATER_VERSION, IO. `path` is the collection's, for messages. */
stemma_status manifest_read(struct manifest *manifest, int folder, const char *path, stemma_error *err);
/* LATER_VERSION when it can be read only: as it would be written, what is new in it would be lost. */
stemma_status manifest_check_writable(const struct manifest *manifest, const char *path, stemma_error *err);
/* Whether the one on disk is of this commit, by its first bytes. */
bool manifest_unchanged(const struct manifest *manifest, int folder);
/* Syncs the folder, writes a new manifest beside the one that counts, puts it into its place, syncs the
 * folder. *named (may be NULL): it may be the one that counts, also after a failure. */
stemma_status manifest_replace(const struct manifest *manifest, const struct disk *disk, int folder,
                               const char *path, bool *named, stemma_error *err);

#endif
