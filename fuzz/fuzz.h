/* What the fuzzers share. */
#ifndef FUZZ_H
#define FUZZ_H

#include "text/utf8.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Two documents with a mark between them; without one the second is empty. */
struct documents {
    const uint8_t *a, *b;
    size_t a_size, b_size;
};

static inline struct documents split_documents(const uint8_t *data, size_t size) {
    static const char mark[] = "|||";
    const uint8_t *found = size ? memmem(data, size, mark, strlen(mark)) : NULL;
    if (!found) return (struct documents){data, data + size, size, 0};
    const uint8_t *second = found + strlen(mark);
    return (struct documents){data, second, (size_t)(found - data), (size_t)(data + size - second)};
}

static inline void require_utf8(const uint8_t *text, size_t size) {
    for (size_t at = 0; at < size;) {
        uint32_t cp;
        size_t length = utf8_decode(text + at, size - at, &cp);
        REQUIRE(length > 0 && cp != UTF8_INVALID);
        at += length;
    }
}

/* A file without a name that holds the bytes; its path, while it is open, is that of fuzz_path. */
static inline int fuzz_file(const uint8_t *data, size_t size) {
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

enum { FUZZ_PATH = 40 };
static inline void fuzz_path(int fd, char path[FUZZ_PATH]) {
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
}

#endif
