#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void *mem_alloc(size_t size) {
    return malloc(size ? size : 1);
}

void *mem_zero(size_t count, size_t size) {
    return calloc(count ? count : 1, size ? size : 1);
}

char *mem_copy_string(const char *text) {
    return mem_copy_bytes(text, strlen(text));
}

char *mem_copy_bytes(const void *bytes, size_t size) {
    char *copy = mem_alloc(size + 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void mem_free(void *pointer) {
    free(pointer);
}

void mem_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* A hint: where the system does not know it, pages come as they are written. */
void mem_touch(void *bytes, size_t size) {
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = 4096, first = ((uintptr_t)bytes + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)bytes + size) & ~(page - 1);
    if (first < end) madvise((uint8_t *)bytes + (first - (uintptr_t)bytes), end - first, MADV_POPULATE_WRITE);
#else
    (void)bytes, (void)size;
#endif
}

/* Also hints. */
#define LARGE_PAGE ((uintptr_t)1 << 21)

/* The large pages that lie within: where they begin, and their bytes. */
static uint8_t *large_pages(void *bytes, size_t size, size_t *inside) {
    const uintptr_t first = ((uintptr_t)bytes + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    const uintptr_t end = ((uintptr_t)bytes + size) & ~(LARGE_PAGE - 1);
    *inside = first < end ? end - first : 0;
    return (uint8_t *)bytes + (first - (uintptr_t)bytes);
}

void mem_large_pages(void *bytes, size_t size) {
#ifdef MADV_HUGEPAGE
    size_t inside;
    uint8_t *from = large_pages(bytes, size, &inside);
    if (inside) madvise(from, inside, MADV_HUGEPAGE);
#else
    (void)bytes, (void)size;
#endif
}

/* Below this the tables of pages stay in the caches, and moving costs more than it saves. */
#define SCATTERED_LEAST ((size_t)16 << 20)

#if defined(__linux__) && !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25 /* since Linux 6.1; refused before */
#endif

void mem_scattered(void *bytes, size_t size) {
#ifdef MADV_COLLAPSE
    size_t inside;
    uint8_t *from = large_pages(bytes, size, &inside);
    if (size < SCATTERED_LEAST || !inside) return;
    mem_large_pages(bytes, size);         /* what has not been written to, */
    madvise(from, inside, MADV_COLLAPSE); /* and what has */
#else
    (void)bytes, (void)size;
#endif
}

bool mem_grow(void **array, size_t *capacity, size_t need, size_t element_size) {
    if (need <= *capacity) return true;
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / element_size) return false;
    void *grown = realloc(*array, wanted * element_size);
    if (!grown) return false;
    *array = grown;
    *capacity = wanted;
    return true;
}
