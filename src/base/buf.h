/* Growing arrays: bytes, 16-bit and 64-bit values. A zeroed one is empty; the functions that grow return
 * false when memory is refused and leave the array as it was. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    uint8_t *data;
    size_t len, cap;
};

bool buf_reserve(struct buf *buf, size_t extra); /* room for extra more bytes after len */
bool buf_add(struct buf *buf, const void *bytes, size_t size);
bool buf_add_byte(struct buf *buf, uint8_t byte);
bool buf_add_u32(struct buf *buf, uint32_t value); /* little-endian */
bool buf_add_u64(struct buf *buf, uint64_t value);
bool buf_add_string(struct buf *buf, const char *text); /* without its NUL */
bool buf_add_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_release(struct buf *buf);

struct vec64 {
    uint64_t *data;
    size_t len, cap;
};

bool vec64_reserve(struct vec64 *vec, size_t extra);
bool vec64_add(struct vec64 *vec, uint64_t value);
bool vec64_add_all(struct vec64 *vec, const uint64_t *values, size_t count);
void vec64_release(struct vec64 *vec);

struct vec16 {
    uint16_t *data;
    size_t len, cap;
};

bool vec16_reserve(struct vec16 *vec, size_t extra);
void vec16_release(struct vec16 *vec);

/* Little-endian values at any address, on any machine. */
static inline uint32_t load_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline void store_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}
static inline void store_u64(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> (8 * i));
}
static inline uint64_t load_u64(const uint8_t *at) {
    return (uint64_t)load_u32(at) | (uint64_t)load_u32(at + 4) << 32;
}

#endif
