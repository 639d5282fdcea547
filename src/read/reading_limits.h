/* What reading one document may take. A zeroed one means the defaults. */
#ifndef READ_READING_LIMITS_H
#define READ_READING_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Memory that converting a document takes, in times its size: itself, its characters, their text. */
#define DOCUMENT_TIMES 5

#define CONVERTER_SECONDS 30
#define CONVERTER_MEMORY  ((size_t)1 << 30)

/* Windows of compression are not counted among what is held; a usual one takes some megabytes. */
#define WINDOW_PART 4

#define UNPACKED_TIMES  1000 /* of the file's size; prose packs to a tenth, logs to a hundredth */
#define UNPACKED_ALWAYS ((uint64_t)64 << 20)

struct reading_limits {
    size_t memory;                   /* bytes; 0: 1 GiB. The text is no longer than a fifth of it */
    unsigned converter_seconds;      /* of a program that converts; 0: CONVERTER_SECONDS */
    size_t converter_memory;         /* likewise, bytes; 0: CONVERTER_MEMORY */
    size_t window_most;              /* as unpacker_new takes it */
    uint64_t unpacked_most;          /* bytes of all that is unpacked of a file; 0: UNPACKED_TIMES its size */
    const char *temporary_directory; /* as in stemma_limits */
    const volatile int *stop;        /* likewise */
};

/* What converters return for a text that is longer than the limits allow; document_extract makes UNSUPPORTED
 * of it. */
#define TEXT_TOO_LONG STEMMA_NO_SPACE

static inline size_t reading_memory(const struct reading_limits *limits) {
    return limits->memory ? limits->memory : (size_t)1 << 30;
}

static inline size_t reading_text_most(const struct reading_limits *limits) {
    return reading_memory(limits) / DOCUMENT_TIMES;
}

/* asked: 0 is by the size of the file. */
static inline uint64_t reading_unpacked_most(uint64_t asked, uint64_t file_size) {
    uint64_t most = UNPACKED_TIMES * file_size;
    if (asked) return asked;
    return most < UNPACKED_ALWAYS ? UNPACKED_ALWAYS : most;
}

#endif
