/* All allocation goes through here, so that tests can make each one fail. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t size);              /* NULL when refused; size 0 gives a pointer to free */
void *mem_zero(size_t count, size_t size); /* zeroed, overflow checked */
char *mem_copy_string(const char *text);
void mem_free(void *pointer);

/* For much that stays: in huge pages, where the system has them, since every small one costs a fault. The
 * size is rounded up to whole ones. */
void *mem_alloc_huge(size_t size);
#define HUGE_PAGE ((size_t)2 << 20)

/* Make room for `need` elements in a growing array (at least doubling); false leaves all as it was. */
bool mem_grow(void **array, size_t *capacity, size_t need, size_t element_size);

#endif
