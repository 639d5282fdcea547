#include "base/buf.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool buf_reserve(struct buf *buf, size_t extra) {
    if (extra > SIZE_MAX - buf->len) return false;
    return mem_grow((void **)&buf->data, &buf->cap, buf->len + extra, 1);
}

bool buf_add(struct buf *buf, const void *bytes, size_t size) {
    if (!buf_reserve(buf, size)) return false;
    if (size) memcpy(buf->data + buf->len, bytes, size);
    buf->len += size;
    return true;
}

bool buf_add_byte(struct buf *buf, uint8_t byte) {
    return buf_add(buf, &byte, 1);
}

bool buf_add_u32(struct buf *buf, uint32_t value) {
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    return buf_add(buf, bytes, sizeof bytes);
}

bool buf_add_u64(struct buf *buf, uint64_t value) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    return buf_add(buf, bytes, sizeof bytes);
}

bool buf_add_string(struct buf *buf, const char *text) {
    return buf_add(buf, text, strlen(text));
}

bool buf_add_format(struct buf *buf, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !buf_reserve(buf, (size_t)length + 1)) return false;
    va_start(arguments, format);
    vsnprintf((char *)buf->data + buf->len, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buf->len += (size_t)length;
    return true;
}

void buf_release(struct buf *buf) {
    mem_free(buf->data);
    *buf = (struct buf){0};
}

bool vec64_reserve(struct vec64 *vec, size_t extra) {
    if (extra > SIZE_MAX - vec->len) return false;
    return mem_grow((void **)&vec->data, &vec->cap, vec->len + extra, sizeof *vec->data);
}

bool vec64_add(struct vec64 *vec, uint64_t value) {
    if (!vec64_reserve(vec, 1)) return false;
    vec->data[vec->len++] = value;
    return true;
}

bool vec64_add_all(struct vec64 *vec, const uint64_t *values, size_t count) {
    if (!vec64_reserve(vec, count)) return false;
    if (count) memcpy(vec->data + vec->len, values, count * sizeof *values);
    vec->len += count;
    return true;
}

void vec64_release(struct vec64 *vec) {
    mem_free(vec->data);
    *vec = (struct vec64){0};
}

bool vec16_reserve(struct vec16 *vec, size_t extra) {
    if (extra > SIZE_MAX - vec->len) return false;
    return mem_grow((void **)&vec->data, &vec->cap, vec->len + extra, sizeof *vec->data);
}

void vec16_release(struct vec16 *vec) {
    mem_free(vec->data);
    *vec = (struct vec16){0};
}
