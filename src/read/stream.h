/* Bytes that are read in order, wherever they are: in a file,
 * in memory, inside something that unpacks them. */
#ifndef READ_STREAM_H
#define READ_STREAM_H

#include "base/error.h"

/* Some bytes, at most size; *got is 0 at the end. */
typedef stemma_status stream_pull(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err);

/* Bytes in memory come first, then those of a file, or those that are pulled. */
struct stream {
    const char *name; /* for messages; must stay */
    const uint8_t *memory;
    size_t memory_size;
    int fd; /* -1: none */
    stream_pull *pull;
    void *context;
    const volatile int *stop; /* asked before every read; may be NULL */
    uint64_t at;
    uint64_t size;        /* of memory or file; of what is pulled it is not known */
    stemma_error failure; /* the last one, for those whose callbacks cannot hand it on */
    bool cut;             /* set by who unpacks it: it should go on behind its end */
};

struct stream stream_of_memory(const char *name, const uint8_t *bytes, size_t size);
/* The descriptor stays the caller's, and keeps its position. */
struct stream stream_of_file(const char *name, int fd, uint64_t size);
/* What was pulled already, then the rest. */
struct stream stream_of_pull(const char *name, const uint8_t *begun, size_t begun_size, stream_pull *pull,
                             void *context);

stemma_status stream_read(struct stream *stream, uint8_t *bytes, size_t size, size_t *got, stemma_error *err);
/* Until there are `size` bytes or no more; *got is how many there are. */
stemma_status stream_fill(struct stream *stream, uint8_t *bytes, size_t size, size_t *got, stemma_error *err);
bool stream_seekable(const struct stream *stream); /* at may be set */

#endif
