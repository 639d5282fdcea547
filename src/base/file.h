/* Reading documents and writing results: clear refusals, complete files or none. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

#include <dirent.h>
#include <sys/types.h>

struct input {
    int fd;
    const char *name; /* for messages; "-" is standard input */
    bool owned;
    uint64_t size;            /* as the file system says when it was opened; 0 for a pipe */
    const volatile int *stop; /* ends the reading when a signal has set it; NULL: nothing does */
    uint64_t done;            /* bytes read */
    bool ended;
};

/* Regular files, "-", and pipes named /dev/fd/N or /dev/stdin (as shells make them). Directories, devices,
 * sockets and FIFOs are refused by name, without waiting for them. */
stemma_status input_open(struct input *input, const char *path, stemma_error *err);
/* NULL when a file of this mode can be a document; else what it is. */
const char *input_refusal(const char *path, mode_t mode);
/* Up to size bytes; *got is 0 at the end. */
stemma_status input_read(struct input *input, void *bytes, size_t size, size_t *got, stemma_error *err);
/* The first `most` bytes, or all there are. */
stemma_status input_read_head(struct input *input, size_t most, struct buf *head, stemma_error *err);
/* All that is left, refused with UNSUPPORTED above `most` bytes. */
stemma_status input_read_all(struct input *input, size_t most, struct buf *out, stemma_error *err);
void input_close(struct input *input);

/* A file that appears under its name only when it is complete. "-" is standard output; a device or FIFO is
 * written to directly. */
struct output {
    int fd;
    char *path;
    char *directory; /* the path's */
    char *draft;     /* the name it has for a moment before it gets its own */
    size_t draft_size;
    bool draft_exists;
    bool direct;
};

stemma_status output_open(struct output *output, const char *path, stemma_error *err);
stemma_status output_write(struct output *output, const void *bytes, size_t size, stemma_error *err);
/* Releases in either case; when it fails nothing stands under the name that was not there before. */
stemma_status output_commit(struct output *output, stemma_error *err);
void output_abandon(struct output *output);

/* The names in a folder that is open, from the first one on, whoever else reads them;
 * NULL: errno says why. */
DIR *open_listing(int folder);

/* Write all of it to a descriptor, whatever interrupts. Returns 0 or an errno. */
int write_all(int fd, const void *bytes, size_t size);
/* The same at a place of a file; one that ends before all is read is ENODATA. */
int write_at(int fd, const void *bytes, size_t size, uint64_t offset);
int read_at(int fd, void *bytes, size_t size, uint64_t offset);

#endif
