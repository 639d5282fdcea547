#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *mem_alloc(size_t size) {
    return malloc(size ? size : 1);
}

void *mem_alloc_huge(size_t size) {
    if (size > SIZE_MAX - HUGE_PAGE) return NULL;
    size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = NULL;
    if (posix_memalign(&memory, HUGE_PAGE, size)) return NULL;
    madvise(memory, size, MADV_HUGEPAGE); /* small pages do, too */
    return memory;
}

void *mem_zero(size_t count, size_t size) {
    return calloc(count ? count : 1, size ? size : 1);
}

char *mem_copy_string(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void mem_free(void *pointer) {
    free(pointer);
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
