#include "read/stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct stream stream_of_memory(const char *name, const uint8_t *bytes, size_t size) {
    return (struct stream){.name = name, .memory = bytes, .memory_size = size, .size = size, .fd = -1};
}

struct stream stream_of_file(const char *name, int fd, uint64_t size) {
    return (struct stream){.name = name, .fd = fd, .size = size};
}

struct stream stream_of_pull(const char *name, const uint8_t *begun, size_t begun_size, stream_pull *pull,
                             void *context) {
    return (struct stream){
        .name = name, .memory = begun, .memory_size = begun_size, .fd = -1, .pull = pull, .context = context};
}

static stemma_status read_file(struct stream *stream, uint8_t *bytes, size_t size, size_t *got,
                               stemma_error *err) {
    ssize_t count;
    do count = pread(stream->fd, bytes, size, (off_t)stream->at);
    while (count < 0 && errno == EINTR);
    if (count < 0) return fail_errno(err, "read", stream->name, errno);
    *got = (size_t)count;
    return STEMMA_OK;
}

static stemma_status read_some(struct stream *stream, uint8_t *bytes, size_t size, size_t *got,
                               stemma_error *err) {
    *got = 0;
    TRY(check_stop(stream->stop, err));
    if (stream->at < stream->memory_size) {
        size_t left = stream->memory_size - (size_t)stream->at;
        *got = size < left ? size : left;
        memcpy(bytes, stream->memory + stream->at, *got);
        return STEMMA_OK;
    }
    if (stream->fd >= 0) return read_file(stream, bytes, size, got, err);
    return stream->pull ? stream->pull(stream->context, bytes, size, got, err) : STEMMA_OK;
}

stemma_status stream_read(struct stream *stream, uint8_t *bytes, size_t size, size_t *got,
                          stemma_error *err) {
    stemma_error failure;
    stemma_status status = read_some(stream, bytes, size, got, &failure);
    if (status == STEMMA_OK) {
        stream->at += *got;
        return status;
    }
    stream->failure = failure;
    if (err) *err = failure;
    return status;
}

stemma_status stream_fill(struct stream *stream, uint8_t *bytes, size_t size, size_t *got,
                          stemma_error *err) {
    size_t count = 1;
    for (*got = 0; count && *got < size; *got += count)
        TRY(stream_read(stream, bytes + *got, size - *got, &count, err));
    return STEMMA_OK;
}

bool stream_seekable(const struct stream *stream) {
    return !stream->pull;
}
