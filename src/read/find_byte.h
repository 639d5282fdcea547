/* The first of one or two bytes in a run. memchr finds one; two are looked for eight bytes at a time, as it
 * would need two passes. */
#ifndef READ_FIND_BYTE_H
#define READ_FIND_BYTE_H

#include "base/buf.h"

#include <string.h>

#define BYTES_OF(byte) (0x0101010101010101u * (byte))

/* The high bit of the lowest zero byte of a word, and perhaps of some above it. */
static inline uint64_t zero_bytes(uint64_t word) {
    return (word - BYTES_OF(1)) & ~word & BYTES_OF(0x80);
}

/* Where the byte is, or end. */
static inline const uint8_t *find_byte(const uint8_t *at, const uint8_t *end, uint8_t byte) {
    const uint8_t *found = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

/* Where the first a or b is, or end. */
static inline const uint8_t *find_either(const uint8_t *at, const uint8_t *end, uint8_t a, uint8_t b) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = load_u64(at);
        uint64_t found = zero_bytes(word ^ BYTES_OF(a)) | zero_bytes(word ^ BYTES_OF(b));
        if (found) return at + __builtin_ctzll(found) / 8;
    }
    while (at < end && *at != a && *at != b) at++;
    return at;
}

/* How many of the bytes are line ends. Rows of counters that cannot overflow, which the compiler makes
 * vectors of. */
static inline uint64_t count_lines(const uint8_t *bytes, size_t size) {
    enum { ROW = 64, ROWS_MOST = 255 };
    uint64_t count = 0;
    while (size >= ROW) {
        uint8_t counters[ROW] = {0};
        size_t rows = size / ROW < ROWS_MOST ? size / ROW : ROWS_MOST;
        for (size_t row = 0; row < rows; row++, bytes += ROW)
            for (size_t i = 0; i < ROW; i++) counters[i] = (uint8_t)(counters[i] + (bytes[i] == '\n'));
        for (size_t i = 0; i < ROW; i++) count += counters[i];
        size -= rows * ROW;
    }
    while (size > 0) count += bytes[--size] == '\n';
    return count;
}

#endif
